"""Bundling TypeScript and JavaScript with esbuild, into the cache directory.

A Worker becomes one CommonJS script whose remaining `require` calls (`cloudflare:*`, `node:*`) the
Node host answers. A scenario becomes one ES module that holds everything, eutaxy's own part too,
and runs by itself. Nothing is written into the user's project.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eutaxy._hosts.bundle_cache import file_digest, forget_stale, recall, remember, text_digest
from eutaxy._hosts.cache_folder import publish_folder
from eutaxy._hosts.data_modules import (
    DataModule,
    ModuleRule,
    check_aliases,
    data_modules,
    loader_options,
)
from eutaxy._hosts.toolchain import Esbuild
from eutaxy.errors import ScenarioError

_DEADLINE_S = 60.0
_COMMON = (
    "--bundle",
    "--target=es2022",
    "--sourcemap=external",
    "--log-level=error",
    "--log-limit=20",
    "--color=false",
)
# As Wrangler does it for a deployment, except for the format: the host runs a CommonJS script.
_WORKER = (
    "--format=cjs",
    "--platform=browser",
    "--conditions=workerd,worker,browser",
    "--main-fields=browser,module,main",
    "--external:cloudflare:*",
    "--external:eutaxy/*",
    "--external:node:*",
    *(
        f'--define:{owner}process.env.NODE_ENV="production"'
        for owner in ("", "global.", "globalThis.")
    ),
    "--loader:.cjs=jsx",
    "--loader:.js=jsx",
    "--loader:.mjs=jsx",
    "--log-override:empty-import-meta=error",
)
_SCENARIO = ("--format=esm", "--keep-names", "--platform=node", "--external:node:*")
_ERROR = re.compile(r"^✘ \[ERROR\] (.+)$")
_LOCATION = re.compile(r"^ {4}(\S.*):(\d+):(\d+):$")

# Built-in modules that nodejs_compat also offers without the prefix "node:".
_NODE_MODULES = """
    assert async_hooks buffer child_process cluster console constants crypto dgram
    diagnostics_channel dns events fs http http2 https inspector module net os path perf_hooks
    process punycode querystring readline repl stream string_decoder sys timers tls trace_events
    tty url util v8 vm wasi worker_threads zlib
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Bundled code, in the cache directory.

    Args:
        code: Absolute path of the script.
        map: Absolute path of its source map; its sources are relative to the map's folder.
        inputs: Absolute paths of the files that it was made of.
        digest: Digest of the script and its map.
        modules: What it requires that is not code.
    """

    code: str
    map: str
    inputs: tuple[str, ...]
    digest: str
    modules: tuple[DataModule, ...] = ()


def worker_options(
    *,
    has_node_compat: bool = False,
    define: Mapping[str, str] | None = None,
    alias: Mapping[str, str] | None = None,
    tsconfig: str | None = None,
    jsx_factory: str | None = None,
    jsx_fragment: str | None = None,
    keep_names: bool = True,
    is_minified: bool = False,
    rules: Sequence[ModuleRule] = (),
) -> tuple[str, ...]:
    """Options of esbuild for a Worker.

    Args:
        has_node_compat: Whether built-in modules of Node may be imported without "node:".
        define: `define` of the wrangler config.
        alias: `alias` of the wrangler config; paths are absolute.
        tsconfig: Absolute path of the tsconfig.json that the wrangler config names.
        jsx_factory: `jsx_factory` of the wrangler config.
        jsx_fragment: `jsx_fragment` of the wrangler config.
        keep_names: `keep_names` of the wrangler config: functions keep the names of the source.
        is_minified: `minify` of the wrangler config.
        rules: `rules` of the wrangler config, with Wrangler's own.
    """
    options = [*_WORKER, *loader_options(rules)]
    if keep_names:
        options.append("--keep-names")
    if is_minified:
        options.append("--minify")
    if has_node_compat:
        options += [f"--alias:{name}=node:{name}" for name in _NODE_MODULES.split()]
    options += [f"--define:{name}={value}" for name, value in (define or {}).items()]
    options += [f"--alias:{name}={value}" for name, value in (alias or {}).items()]
    named = {"tsconfig": tsconfig, "jsx-factory": jsx_factory, "jsx-fragment": jsx_fragment}
    options += [f"--{name}={value}" for name, value in named.items() if value is not None]
    return tuple(options)


def scenario_options(modules: Mapping[str, str]) -> tuple[str, ...]:
    """Options of esbuild for a scenario.

    Args:
        modules: Name of each module that eutaxy provides to the absolute path of its file.
    """
    return (*_SCENARIO, *(f"--alias:{name}={path}" for name, path in modules.items()))


def bundle(
    entry: Path,
    options: tuple[str, ...],
    *,
    esbuild: Esbuild,
    cache: Path,
    doing: str,
    shown_folder: str = "",
    rules: Sequence[ModuleRule] = (),
) -> Bundle:
    """Bundle `entry` and everything that it imports; remembered while nothing has changed.

    Args:
        entry: Absolute path of an existing file.
        options: From `worker_options` or `scenario_options`.
        esbuild: The bundler.
        cache: The cache directory.
        doing: What messages say is being done.
        shown_folder: How messages call the folder of `entry`; empty for the working directory.
        rules: What imports of anything but code give; as in `options`.

    Raises:
        ScenarioError: The code cannot be bundled; with the user's file, line and column.
    """
    version = ".".join(str(part) for part in esbuild.version)
    name = "bundle.mjs" if "--format=esm" in options else "bundle.cjs"
    key = text_digest(str(entry), version, name, *_COMMON, *options)[:24]
    home = cache.resolve() / "bundles" / key

    def modules_in(folder: Path) -> tuple[DataModule, ...]:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        check_aliases(meta, options, doing=doing)
        return data_modules(meta, rules, folder, doing=doing, shown_folder=shown_folder)

    known = recall(home)
    if known is not None:
        return _in_folder(known[0], name, known[1], modules_in(known[0]))
    started_ns = time.time_ns()
    made: list[tuple[str, ...]] = []

    def fill(folder: Path) -> None:
        command = [esbuild.path, entry.name, *_COMMON, *options]
        command += [f"--outfile={folder / name}", f"--metafile={folder / 'meta.json'}"]
        _run(command, entry.parent, doing, shown_folder)
        made.append(_inputs(folder / "meta.json", entry.parent))

    folder = home / f"{started_ns:x}-{os.getpid():x}"
    publish_folder(folder, fill)
    forget_stale(home, folder)
    remember(home, folder, [*made[0], *_named_config(options)], started_ns=started_ns)
    return _in_folder(folder, name, made[0], modules_in(folder))


def _in_folder(
    folder: Path, name: str, inputs: tuple[str, ...], modules: tuple[DataModule, ...]
) -> Bundle:
    code, source_map = folder / name, folder / f"{name}.map"
    digest = text_digest(file_digest(code), file_digest(source_map))
    return Bundle(
        code=str(code), map=str(source_map), inputs=inputs, digest=digest, modules=modules
    )


def _inputs(metafile: Path, folder: Path) -> tuple[str, ...]:
    named: Iterable[str] = json.loads(metafile.read_text(encoding="utf-8"))["inputs"]
    paths = (name.removeprefix("(disabled):") for name in named)
    return tuple(
        os.path.normpath(folder / path.partition("?")[0])
        if not (folder / path).exists()
        else os.path.normpath(folder / path)
        for path in paths
    )


def _named_config(options: tuple[str, ...]) -> list[str]:
    return [option.split("=", 1)[1] for option in options if option.startswith("--tsconfig=")]


def _run(command: list[str], folder: Path, doing: str, shown_folder: str) -> None:
    # NODE_PATH and the like would change what imports mean: the bundler sees no environment.
    environ = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ScenarioError(
            doing,
            f"the bundler {command[0]} cannot be used: {error}",
            "install the project's dependencies again, or remove the broken esbuild from it",
        ) from None
    if done.returncode != 0:
        raise _bundling_error(done.stderr, folder, doing, shown_folder)


def _bundling_error(said: str, folder: Path, doing: str, shown_folder: str) -> ScenarioError:
    lines = said.splitlines()
    messages = [match[1] for match in map(_ERROR.match, lines) if match]
    if not messages:
        return ScenarioError(
            doing,
            f"esbuild failed: {said.strip()[-1500:] or 'it said nothing'}",
            "run the same file through `npx esbuild --bundle` to see more",
        )
    first = next(index for index, line in enumerate(lines) if _ERROR.match(line))
    place = ""
    for line in lines[first + 1 :]:
        if _ERROR.match(line):
            break
        location = _LOCATION.match(line)
        if location is not None:
            place = _shown_place(location, folder, shown_folder)
            break
    more = len(messages) - 1
    found = messages[0] if more == 0 else f"{messages[0]} (and {more} more)"
    return ScenarioError(doing, found, _remedy(messages[0]), place=place)


def _shown_place(location: re.Match[str], folder: Path, shown_folder: str) -> str:
    name, line, column_bytes = location[1], int(location[2]), int(location[3])
    try:
        text = (folder / name).read_bytes().splitlines()[line - 1]
        column = len(text[:column_bytes].decode(errors="replace")) + 1
    except (OSError, IndexError):
        column = column_bytes + 1
    return f"{os.path.normpath(Path(shown_folder, name))}:{line}:{column}"


def _remedy(message: str) -> str:
    if message.startswith("Top-level await"):
        return "move the await into a function: top-level await is not modelled yet"
    if message.startswith('"import.meta"'):
        return "take out import.meta: it is not modelled yet"
    if message.startswith("No loader is configured"):
        return "say what such files are with `rules` of the wrangler config (Text, Data)"
    if message.startswith("Could not resolve"):
        return "check the name, and that the project's dependencies are installed"
    return "correct the file and run again"
