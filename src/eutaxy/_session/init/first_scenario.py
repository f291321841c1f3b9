"""`eutaxy init`: from a wrangler config and its Worker to a scenario file that runs at once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from eutaxy._hosts.cache_folder import cache_folder
from eutaxy._hosts.source_map import SourceMap
from eutaxy._session.init.findings import Findings
from eutaxy._session.init.guesses import Guess, guess_from
from eutaxy._session.init.js_scan import scan_javascript
from eutaxy._session.init.python_scan import scan_python
from eutaxy._session.init.scenario_text import Draft, python_text, typescript_text
from eutaxy._session.load import LANGUAGES, bundle_worker, language_of, main_of
from eutaxy._session.worker import Language
from eutaxy._session.wrangler import WranglerConfig, read_wrangler
from eutaxy.errors import ScenarioError

_CONFIG_NAMES = ("wrangler.json", "wrangler.jsonc", "wrangler.toml")
"""In the order in which Wrangler looks for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstScenario:
    """A scenario file that was written.

    Args:
        file: The file, as messages name it.
        worker: The Worker's entry file.
        config: The wrangler config.
        environment: The environment that was read; empty for the top level.
        workflows: Binding and class of each Workflow.
        guess: What the file says.
        unseen: What could not be seen in the code, in sentences.
        unmodelled: Name of each binding that is not modelled to its table.
    """

    file: str
    worker: str
    config: str
    environment: str
    workflows: tuple[tuple[str, str], ...]
    guess: Guess
    unseen: tuple[str, ...]
    unmodelled: Mapping[str, str]


def write_first_scenario(
    where: str,
    *,
    language: str | None = None,
    environment: str = "",
    output: str | None = None,
    is_forced: bool = False,
) -> FirstScenario:
    """Write a first scenario for a Worker.

    Args:
        where: A wrangler config, or a folder that has one.
        language: "ts" or "python"; None for that of `output`, or else of the Worker.
        environment: Name of the environment of the config; empty for its top level.
        output: The file to write; None for one beside the config, named after the Worker.
        is_forced: Whether a file that is there may be replaced.

    Raises:
        ScenarioError: There is no config, it or the Worker cannot be used, or the file is there.
    """
    shown = _config_in(where)
    config = read_wrangler(Path(shown).absolute(), shown, environment)
    doing = f"writing a first scenario for {shown}"
    entry = Path(main_of(config, doing, place=shown))
    shown_entry = os.path.normpath(
        Path(shown).parent / os.path.relpath(entry, config.folder.resolve())
    )
    worker_language = language_of(entry, doing)
    is_python = _is_python(language, output, worker_language, doing)
    file = _file(output, config, shown, is_python=is_python)
    # Before the slow part, and again when it is written.
    if Path(file).exists() and not is_forced:
        raise _is_there(file)
    findings = _scan(entry, shown_entry, config, worker_language)
    guess = guess_from(findings)
    workflows = tuple(
        (workflow.binding, workflow.class_name)
        for workflow in config.workflows
        if workflow.script_name in {None, config.name}
    )
    draft = Draft(
        name=_name(config, entry),
        config=_relative(Path(shown), Path(file).parent),
        workflows=workflows,
        guess=guess,
        starts_directly=not findings.has_fetch and bool(workflows),
    )
    _write(file, python_text(draft) if is_python else typescript_text(draft), is_forced=is_forced)
    return FirstScenario(
        file=file,
        worker=shown_entry,
        config=shown,
        environment=environment,
        workflows=workflows,
        guess=guess,
        unseen=tuple(findings.unseen),
        unmodelled=config.unmodelled,
    )


def _config_in(where: str) -> str:
    path = Path(where)
    if not path.is_dir():
        return os.path.normpath(where)
    for name in _CONFIG_NAMES:
        if (path / name).is_file():
            return os.path.normpath(path / name)
    raise ScenarioError(
        f"looking for a wrangler config in {where}",
        f"there is none of {', '.join(_CONFIG_NAMES)}",
        "name the config, or the folder that has it",
    )


def _is_python(language: str | None, output: str | None, worker: Language, doing: str) -> bool:
    given = None
    if output is not None:
        given = language_of(Path(output), doing) is Language.PYTHON
    wanted = None if language is None else language == "python"
    if given is not None and wanted is not None and given != wanted:
        raise ScenarioError(
            doing,
            f"{output} is no file of the language {language}",
            f"leave out --language, or choose a file that ends with {'.py' if wanted else '.ts'}",
        )
    for each in (given, wanted):
        if each is not None:
            return each
    return worker is Language.PYTHON


def _file(output: str | None, config: WranglerConfig, shown: str, *, is_python: bool) -> str:
    if output is not None:
        return os.path.normpath(output)
    stem = re.sub(r"[^A-Za-z0-9]+", "_" if is_python else "-", config.name).strip("-_") or "worker"
    return os.path.normpath(
        Path(shown).parent / (f"{stem}_sim.py" if is_python else f"{stem}.sim.ts")
    )


def _relative(path: Path, folder: Path) -> str:
    relative = Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    return relative if relative.startswith(".") else f"./{relative}"


def _name(config: WranglerConfig, entry: Path) -> str:
    return config.name or entry.parent.name or "worker"


def _scan(entry: Path, shown: str, config: WranglerConfig, language: Language) -> Findings:
    variables = {name: v for name, v in config.variables.items() if isinstance(v, str)}
    if language is Language.PYTHON:
        return scan_python(entry, variables, str(Path(shown).parent))
    assert entry.suffix in LANGUAGES
    readable = replace(config, bundling={**config.bundling, "is_minified": False})
    bundled = bundle_worker(entry, shown, readable, cache_folder())
    code = Path(bundled.code).read_text(encoding="utf-8")
    source_map = SourceMap(bundled.map)
    folder = Path(shown).parent

    def place(offset: int) -> str:
        line = code.count("\n", 0, offset) + 1
        column = offset - (code.rfind("\n", 0, offset) + 1) + 1
        found = source_map.locate(line, column)
        if found is None:
            return shown
        source = os.path.normpath(folder / os.path.relpath(found.source, entry.parent))
        return f"{source}:{found.line}"

    return scan_javascript(code, variables, place)


def _is_there(file: str) -> ScenarioError:
    return ScenarioError(
        "writing a first scenario",
        f"{file} is there already",
        "choose another file with --output, or replace it with --force",
    )


def _write(file: str, text: str, *, is_forced: bool) -> None:
    try:
        with Path(file).open("w" if is_forced else "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise _is_there(file) from None
    except OSError as error:
        raise ScenarioError(
            "writing a first scenario",
            f"{file}: {error.strerror}",
            "choose a file that can be written with --output",
        ) from None
