"""Reading a wrangler config: name, flags, Workflows, variables, and all other bindings.

Only the top level is read, as `wrangler dev` does without `--env`. Whatever gives the Worker a
binding that the model lacks is kept by name, so that its use is reported instead of guessed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import json5

from eutaxy.errors import ScenarioError

Kind = TypeVar("Kind")
Tree = Mapping[str, Any]

# Tables whose entries do not call the name of their binding "binding".
_NAMED_BY_NAME = ("durable_objects", "logfwdr", "unsafe", "ratelimits", "send_email")
_NAMED_BY_KEY = ("data_blobs", "text_blobs", "wasm_modules")
STEPS_LIMIT = 25_000
"""The highest `limits.steps` that the platform accepts."""

# Tables that give the running Worker no binding of their own at this level.
_NO_BINDINGS = ("env", "previews", "vars", "workflows")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowConfig:
    """One entry of `workflows`.

    Args:
        name: Name of the Workflow.
        binding: Name of the binding in `env`.
        class_name: The class that its instances run.
        script_name: The Worker that has the class; None means this one.
        steps_max: `limits.steps`; None means the platform's limit.
    """

    name: str
    binding: str
    class_name: str
    script_name: str | None = None
    steps_max: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WranglerConfig:
    """What a wrangler config says, as far as eutaxy needs it.

    Args:
        path: The file, as messages name it.
        text: The whole file, for finding lines in it.
        folder: Absolute path of the folder that relative paths start from.
        name: Name of the Worker; empty when it has none.
        compatibility_date: "2026-10-01"; empty when not given.
        compatibility_flags: In the order given.
        workflows: In the order given.
        variables: `vars`, name to any JSON value.
        unmodelled: Name of each other binding to the table that declares it.
        environments: Names under `env`.
        bundling: What the bundler needs: options of `worker_options`, by name; absolute paths.
    """

    path: str
    text: str
    folder: Path
    name: str
    compatibility_date: str
    compatibility_flags: tuple[str, ...]
    workflows: tuple[WorkflowConfig, ...]
    variables: Mapping[str, Any]
    unmodelled: Mapping[str, str]
    environments: tuple[str, ...] = ()
    bundling: Mapping[str, Any] = field(default_factory=dict)

    def place_of(self, word: str) -> str:
        """The line that has `word`, as "wrangler.jsonc:7"; only the file when none has."""
        return _place_of(self.path, self.text, word)


def read_wrangler(file: Path, shown: str) -> WranglerConfig:
    """Read wrangler.jsonc, wrangler.json or wrangler.toml.

    Args:
        file: Absolute path.
        shown: How messages call the file.

    Raises:
        ScenarioError: It is missing, cannot be parsed, or says something of the wrong type.
    """
    text = _text(file, shown)
    reader = _Reader(shown, text)
    tree: Tree = reader.expect(_parse(text, file, shown), dict, "the config", "an object")
    flags = reader.optional(tree, "compatibility_flags", list, "a list of texts") or []
    for flag in flags:
        reader.expect(flag, str, "compatibility_flags", "a list of texts")
    variables = reader.optional(tree, "vars", dict, "an object") or {}
    workflows = tuple(_workflows(reader, tree))
    unmodelled = dict(_other_bindings(tree))
    _check_names(reader, workflows, variables, unmodelled)
    return WranglerConfig(
        path=shown,
        text=text,
        folder=file.parent,
        name=reader.optional(tree, "name", str, "a text") or "",
        compatibility_date=_date(reader, tree),
        compatibility_flags=tuple(flags),
        workflows=workflows,
        variables=variables,
        unmodelled=unmodelled,
        environments=tuple(reader.optional(tree, "env", dict, "an object") or {}),
        bundling=_bundling(reader, tree, file.parent),
    )


def _text(file: Path, shown: str) -> str:
    doing = f"reading the wrangler config {shown}"
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        nearby = sorted(path.name for path in file.parent.glob("wrangler.*"))
        found = (
            f"there is no such file; the folder has {' and '.join(nearby)}"
            if nearby
            else ("there is no such file")
        )
        raise ScenarioError(
            doing, found, "correct `config` of the scenario's worker, or create the file"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ScenarioError(doing, reason, "make it a readable text file", place=shown) from None


def _parse(text: str, file: Path, shown: str) -> object:
    try:
        return tomllib.loads(text) if file.suffix == ".toml" else json5.loads(text)
    except tomllib.TOMLDecodeError as error:
        position = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = str(error).split(" (at ")[0]
    except ValueError as error:
        position = re.search(r":(\d+) .* (?:at )?column (\d+)", str(error))
        message = re.sub(r"^<string>:\d+ | at column \d+$", "", str(error))
    place = f"{shown}:{position[1]}:{position[2]}" if position else shown
    raise ScenarioError(
        f"reading the wrangler config {shown}", message, "correct the syntax", place=place
    )


class _Reader:
    """Checks types, and says where in the config something is wrong."""

    def __init__(self, shown: str, text: str) -> None:
        self._shown = shown
        self._text = text

    def wrong(self, word: str, found: str, remedy: str) -> ScenarioError:
        """The error about the line that has `word`."""
        doing = f"reading the wrangler config {self._shown}"
        place = _place_of(self._shown, self._text, word)
        return ScenarioError(doing, found, remedy, place=place)

    def expect(self, value: object, kind: type[Kind], name: str, wanted: str) -> Kind:
        """Refuse `value` unless it is of type `kind`."""
        if not isinstance(value, kind):
            found = f"{name} is {value!r}, but must be {wanted}"
            raise self.wrong(name, found, f"make it {wanted}")
        return value

    def optional(self, tree: Tree, name: str, kind: type[Kind], wanted: str) -> Kind | None:
        """The member `name`, checked; None when it is absent."""
        value = tree.get(name)
        return None if value is None else self.expect(value, kind, name, wanted)


def _place_of(shown: str, text: str, word: str) -> str:
    quoted = rf"""["']{re.escape(word)}["']"""
    bare = rf"^[ \t\[]*{re.escape(word)}[ \t]*[=:\]]"
    found = re.search(quoted, text) or re.search(bare, text, re.MULTILINE)
    return shown if found is None else f"{shown}:{text.count(chr(10), 0, found.start()) + 1}"


def _date(reader: _Reader, tree: Tree) -> str:
    # An unquoted date in TOML is a date of its own type; its text is the same.
    date = str(tree.get("compatibility_date", ""))
    if date and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise reader.wrong(
            "compatibility_date",
            f'compatibility_date is "{date}"',
            "write it as year, month and day: 2026-10-01",
        )
    return date


def _workflows(reader: _Reader, tree: Tree) -> Iterator[WorkflowConfig]:
    entries = reader.optional(tree, "workflows", list, "a list of objects") or []
    for entry in entries:
        reader.expect(entry, dict, "workflows", "a list of objects")
        for name in ("name", "binding", "class_name"):
            if not isinstance(entry.get(name), str) or not entry[name]:
                raise reader.wrong(
                    "workflows",
                    f"a workflow has no `{name}` (it says {entry!r})",
                    "give each workflow a `name`, a `binding` and a `class_name`",
                )
        yield WorkflowConfig(
            name=entry["name"],
            binding=entry["binding"],
            class_name=entry["class_name"],
            script_name=reader.optional(entry, "script_name", str, "a text"),
            steps_max=_steps_max(reader, entry),
        )


def _steps_max(reader: _Reader, entry: Tree) -> int | None:
    limits = reader.optional(entry, "limits", dict, "an object") or {}
    steps = limits.get("steps")
    if steps is None:
        return None
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= STEPS_LIMIT:
        raise reader.wrong(
            "limits",
            f"`limits.steps` is {steps!r}, but must be a whole number from 1 to {STEPS_LIMIT}",
            "correct it, or leave it out",
        )
    return steps


def _other_bindings(tree: Tree) -> Iterator[tuple[str, str]]:
    """Name and table of each binding that is neither a Workflow nor a variable."""
    for table, content in tree.items():
        if table in _NO_BINDINGS:
            continue
        if table in _NAMED_BY_KEY and isinstance(content, dict):
            yield from ((name, table) for name in content)
        elif table == "secrets" and isinstance(content, dict):
            yield from ((str(name), table) for name in content.get("required") or ())
        else:
            key = "name" if table in _NAMED_BY_NAME else "binding"
            yield from ((name, table) for name in _names(content, key))


def _names(content: object, key: str) -> Iterator[str]:
    """Values of `key` anywhere in `content`: new kinds of tables are found like old ones."""
    if isinstance(content, list):
        for item in content:
            yield from _names(item, key)
    elif isinstance(content, dict):
        name = content.get(key)
        if isinstance(name, str):
            yield name
        for item in content.values():
            yield from _names(item, key)


def _check_names(
    reader: _Reader,
    workflows: tuple[WorkflowConfig, ...],
    variables: Mapping[str, Any],
    unmodelled: Mapping[str, str],
) -> None:
    owner = {name: f"a binding of {table}" for name, table in unmodelled.items()}
    for name in variables:
        if name in owner:
            raise _twice(reader, name, owner[name], "a variable")
        owner[name] = "a variable"
    for workflow in workflows:
        if workflow.binding in owner:
            raise _twice(reader, workflow.binding, owner[workflow.binding], "a workflow")
        owner[workflow.binding] = "a workflow"


def _twice(reader: _Reader, name: str, first: str, second: str) -> ScenarioError:
    found = f"{name} is the name of {first} and of {second}"
    return reader.wrong(name, found, "give each binding a name of its own")


def _bundling(reader: _Reader, tree: Tree, folder: Path) -> dict[str, Any]:
    bundling: dict[str, Any] = {}
    for name in ("define", "alias"):
        table = reader.optional(tree, name, dict, "an object of texts") or {}
        for value in table.values():
            reader.expect(value, str, name, "an object of texts")
        bundling[name] = table
    bundling["alias"] = {
        name: str(folder / value) if value.startswith(".") else value
        for name, value in bundling["alias"].items()
    }
    for name in ("jsx_factory", "jsx_fragment", "tsconfig"):
        bundling[name] = reader.optional(tree, name, str, "a text")
    if bundling["tsconfig"] is not None:
        bundling["tsconfig"] = str(folder / bundling["tsconfig"])
    return bundling
