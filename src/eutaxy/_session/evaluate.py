"""Running a scenario file in a child process, and getting back what it declares.

A TypeScript scenario runs in Node under the permission model; it may read neither files nor clock
nor randomness, so its outcome is remembered with the bundle. A Python scenario runs each time.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eutaxy._hosts.bundle import Bundle, bundle, scenario_options
from eutaxy._hosts.bundle_cache import file_digest, text_digest
from eutaxy._hosts.cache_folder import publish_text, read_text_if_there
from eutaxy._hosts.source_map import SourceMap
from eutaxy._hosts.toolchain import Esbuild, Node
from eutaxy.errors import HostError, ScenarioError

Declared = dict[str, Any]
"""A call of the scenario API as JSON: "$eutaxy" (its kind), "place", and its members."""

_JS = Path(__file__).parent / "js"
_PY = Path(__file__).parent / "py"
_NEEDED_ON_WINDOWS = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
NODE_ENVIRONMENT: Mapping[str, str] = _NEEDED_ON_WINDOWS
"""What the process of a TypeScript scenario sees of the environment."""
PYTHON_ENVIRONMENT: Mapping[str, str] = {**os.environ, "PYTHONHASHSEED": "0"}
"""What the process of a Python scenario sees of the environment."""
_SCRIPTS = (_JS / "evaluate.mjs", _JS / "declarations.mjs")
_DEADLINE_S = 10.0
_PROVIDED = {
    "eutaxy/cloudflare": str(_JS / "cloudflare.mjs"),
    "cloudflare:workers": str(_JS / "workers_stub.mjs"),
    "cloudflare:workflows": str(_JS / "workers_stub.mjs"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFile:
    """The scenario file.

    Args:
        path: Absolute path.
        shown: As the user named it.
    """

    path: Path
    shown: str

    @property
    def doing(self) -> str:
        """What messages say is being done."""
        return f"loading the scenario {self.shown}"

    @property
    def shown_folder(self) -> str:
        """The folder of the file, as the user named it."""
        return str(Path(self.shown).parent)

    def shown_place(self, place: str = "") -> str:
        """A place "<absolute path>:<line>:<column>" in terms of how the user named the file.

        Args:
            place: Empty for the file as a whole.
        """
        if not place:
            return os.path.normpath(self.shown)
        file, line, column = place.rsplit(":", 2)
        relative = os.path.relpath(file, self.path.parent)
        return f"{os.path.normpath(Path(self.shown_folder, relative))}:{line}:{column}"


def bundle_scenario(file: ScenarioFile, *, esbuild: Esbuild, cache: Path) -> Bundle:
    """Bundle a TypeScript or JavaScript scenario file with all that it imports.

    Raises:
        ScenarioError: The file cannot be bundled.
    """
    return bundle(
        file.path,
        scenario_options(_PROVIDED),
        esbuild=esbuild,
        cache=cache,
        doing=file.doing,
        shown_folder=file.shown_folder,
    )


def evaluate_typescript(
    file: ScenarioFile, bundled: Bundle, *, node: Callable[[], Node], cache: Path
) -> Declared:
    """What a TypeScript or JavaScript scenario file declares.

    Args:
        file: The scenario file.
        bundled: Its bundle.
        node: Finds Node; called only when the outcome is not remembered.
        cache: The cache directory.

    Returns:
        The declared scenario; its places are absolute.

    Raises:
        ScenarioError: The file throws, never ends, or exports no scenario.
    """
    scripts = (file_digest(script) for script in _SCRIPTS)
    key = text_digest(str(file.path), bundled.digest, *scripts)
    remembered = cache / "scenarios" / f"{key[:32]}.json"
    known = _recalled(remembered)
    if known is not None:
        return known
    command = node_command(node(), bundled, _SCRIPTS)
    answer, prints = _run(file, command, environ=NODE_ENVIRONMENT)
    sys.stderr.write(prints)
    if "threw" in answer:
        error = threw_in_javascript(file, file.doing, answer["threw"], bundled)
        error.place = error.place or file.shown_place()
        raise error
    scenario = _default_export(file, answer)
    source_map = SourceMap(bundled.map)
    _map_places(scenario, lambda place: _mapped(place, bundled, source_map))
    if not prints:
        publish_text(remembered, json.dumps(scenario))
    return scenario


def evaluate_python(file: ScenarioFile) -> Declared:
    """What a Python scenario file declares.

    Returns:
        The declared scenario; its places are absolute.

    Raises:
        ScenarioError: The file raises, never ends, or defines not exactly one scenario.
    """
    command = python_command(file, _PY / "evaluate_scenario.py")
    answer, prints = _run(file, command, environ=PYTHON_ENVIRONMENT)
    sys.stderr.write(prints)
    if "threw" in answer:
        error = threw_in_python(file, file.doing, answer["threw"])
        error.place = error.place or file.shown_place()
        raise error
    return _only_scenario(file, answer["declared"])


def _recalled(remembered: Path) -> Declared | None:
    text = read_text_if_there(remembered)
    try:
        scenario: Declared | None = None if text is None else json.loads(text)
    except ValueError:
        return None
    return scenario


def node_command(node: Node, bundled: Bundle, scripts: Sequence[Path]) -> list[str]:
    """The command that runs the first of these scripts with a bundle, which may read no other
    file."""
    readable = [script.resolve() for script in (*scripts, Path(bundled.code))]
    return [
        node.path,
        "--no-warnings",
        node.permission_flag,
        *(f"--allow-fs-read={path}" for path in readable),
        str(readable[0]),
        str(readable[-1]),
    ]


def python_command(file: ScenarioFile, script: Path) -> list[str]:
    """The command that runs a script with a Python scenario."""
    packages = str(Path(__file__).parent.parent.parent)
    # -B: nothing is written into the user's project.
    return [sys.executable, "-B", "-X", "utf8", str(script), str(file.path), packages]


def _run(
    file: ScenarioFile, command: list[str], *, environ: Mapping[str, str]
) -> tuple[dict[str, Any], str]:
    """Run a child, and give its answer and what the scenario printed."""
    try:
        done = subprocess.run(  # noqa: S603 - running the user's scenario is what this is for
            command,
            cwd=file.path.parent,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ScenarioError(
            file.doing,
            f"it did not end within {_DEADLINE_S:g} s",
            "a scenario only declares; look for an endless loop, or for something it waits for",
            place=file.shown_place(),
        ) from None
    except OSError as error:
        raise HostError(
            file.doing, f"{command[0]}: {error.strerror}", "check that the program may be run"
        ) from None
    try:
        answer: dict[str, Any] = json.loads(done.stdout.rstrip("\n").rpartition("\n")[2])
    except ValueError:
        said = done.stderr.strip()[-1500:]
        raise ScenarioError(
            file.doing,
            f"its process ended with exit code {done.returncode} before it declared anything"
            + (f"; it said:\n{said}" if said else ""),
            "a scenario must not end its process",
            place=file.shown_place(),
        ) from None
    return answer, done.stderr


def _default_export(file: ScenarioFile, answer: dict[str, Any]) -> Declared:
    exported = answer.get("exported")
    if isinstance(exported, dict) and exported.get("$eutaxy") == "scenario":
        return exported
    named = [name for name in answer["scenarios"] if name != "default"]
    if named:
        found = f"it has no default export; its scenario is exported as {' and '.join(named)}"
    elif exported is None or exported == {"$eutaxy": "odd", "what": "undefined"}:
        found = "it has no default export"
    else:
        found = "its default export is not what defineScenario returns"
    raise ScenarioError(
        file.doing,
        found,
        "write `export default defineScenario({ ... })`",
        place=file.shown_place(),
    )


def _only_scenario(file: ScenarioFile, declared: list[dict[str, Any]]) -> Declared:
    """The only scenario of a Python file, or the one of several that is called `scenario`."""
    chosen = [one for one in declared if "scenario" in one["names"]] or declared
    if len(chosen) == 1:
        scenario: Declared = chosen[0]["scenario"]
        return scenario
    if chosen:
        names = ", ".join(one["names"][0] for one in chosen)
        found = f"it defines {len(chosen)} scenarios: {names}"
        remedy = "call the one to check `scenario`, or move the others to files of their own"
    else:
        found = "no variable of it holds a scenario"
        remedy = "write `scenario = define_scenario(...)`"
    raise ScenarioError(file.doing, found, remedy, place=file.shown_place())


def threw_in_javascript(
    file: ScenarioFile, doing: str, threw: Mapping[str, str], bundled: Bundle
) -> ScenarioError:
    """The error about something that a TypeScript scenario threw."""
    provided = set(_PROVIDED.values())
    source_map = SourceMap(bundled.map)
    place = ""
    for frame in re.findall(r"\(?(\S+:\d+:\d+)\)?$", threw["stack"], re.MULTILINE):
        mapped = _mapped(frame, bundled, source_map)
        if mapped and mapped.rsplit(":", 2)[0] not in provided:
            place = mapped
            break
    name = f"{threw['name']}: " if threw["name"] else ""
    return ScenarioError(
        doing,
        f"it throws {name}{threw['message']}",
        "correct the scenario file",
        place=file.shown_place(place) if place else "",
    )


def threw_in_python(file: ScenarioFile, doing: str, threw: Mapping[str, str]) -> ScenarioError:
    """The error about something that a Python scenario raised."""
    hint = f" ({threw['hint']})" if threw["hint"] else ""
    return ScenarioError(
        doing,
        f"it raises {threw['name']}: {threw['message']}{hint}",
        "correct the scenario file",
        place=file.shown_place(threw["place"]) if threw["place"] else "",
    )


def _mapped(place: str, bundled: Bundle, source_map: SourceMap) -> str:
    """A place in the bundle as place in a source file; empty when it is not in the bundle."""
    position = re.fullmatch(r"\(?(?:file://)?(.*):(\d+):(\d+)", place)
    if position is None or not position[1].endswith(Path(bundled.code).name):
        return ""
    found = source_map.locate(int(position[2]), int(position[3]))
    return "" if found is None else f"{found.source}:{found.line}:{found.column}"


def _map_places(tree: object, mapped: Callable[[str], str]) -> None:
    """Replace every place in a declared tree."""
    if isinstance(tree, list):
        for item in tree:
            _map_places(item, mapped)
    elif isinstance(tree, dict):
        if "$eutaxy" in tree and isinstance(tree.get("place"), str):
            tree["place"] = mapped(tree["place"])
        for member in tree.values():
            _map_places(member, mapped)
