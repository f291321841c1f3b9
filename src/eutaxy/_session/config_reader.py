"""A wrangler config as text: parsing it, checking types, and naming the line of an error."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import json5

from eutaxy.errors import ScenarioError

Kind = TypeVar("Kind")
Tree = Mapping[str, Any]
_SHOWN_MAX = 80


def read_text(file: Path, shown: str) -> str:
    """The text of a config, or why there is none."""
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


def parse(text: str, file: Path, shown: str) -> object:
    """The content of a config: TOML, or JSON with comments and trailing commas."""
    position: re.Match[str] | None = None
    try:
        return tomllib.loads(text) if file.suffix == ".toml" else json5.loads(text)
    except tomllib.TOMLDecodeError as error:
        position = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = str(error).split(" (at ")[0]
    except ValueError as error:
        position = re.search(r":(\d+) .* (?:at )?column (\d+)", str(error))
        message = re.sub(r"^<string>:\d+ | at column \d+$", "", str(error))
        if message.startswith("Empty strings"):
            message = "it is empty, but must be an object"
    except RecursionError:
        message = "its lists or objects are nested too deeply"
    place = f"{shown}:{position[1]}:{position[2]}" if position else shown
    raise ScenarioError(
        f"reading the wrangler config {shown}", message, "correct the syntax", place=place
    )


class ConfigReader:
    """Checks types, and says where in the config something is wrong.

    Args:
        shown: How messages call the file.
        text: The whole file.
        environment: Name of the environment that is read; empty for the top level.
    """

    def __init__(self, shown: str, text: str, environment: str = "") -> None:
        self._shown = shown
        self._text = text
        self._environment = environment

    def wrong(self, word: str, found: str, remedy: str) -> ScenarioError:
        """The error about the line that has `word`."""
        doing = f"reading the wrangler config {self._shown}"
        place = place_of(self._shown, self._text, word, self._environment)
        return ScenarioError(doing, found, remedy, place=place)

    def expect(self, value: object, kind: type[Kind], name: str, wanted: str) -> Kind:
        """Refuse `value` unless it is of type `kind`."""
        if not isinstance(value, kind):
            found = f"{name} is {_shown(value)}, but must be {wanted}"
            raise self.wrong(name, found, f"make it {wanted}")
        return value

    def optional(self, tree: Tree, name: str, kind: type[Kind], wanted: str) -> Kind | None:
        """The member `name`, checked; None when it is absent."""
        value = tree.get(name)
        return None if value is None else self.expect(value, kind, name, wanted)


def _shown(value: object) -> str:
    """A value as the config would spell it, cut where it is long."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."


def place_of(shown: str, text: str, word: str, environment: str = "") -> str:
    """The line that has `word`, in the environment if it is there; else only the file."""
    quoted = rf"""["']{re.escape(word)}["']"""
    bare = rf"^[ \t\[]*(?:[\w.]+\.)?{re.escape(word)}[ \t]*[=:\]]"
    start = _start_of(environment, text) if environment else 0
    for first in dict.fromkeys((start, 0)):
        for pattern in (quoted, bare):
            found = re.compile(pattern, re.MULTILINE).search(text, first)
            if found is not None:
                return f"{shown}:{text.count(chr(10), 0, found.start()) + 1}"
    return shown


def _start_of(environment: str, text: str) -> int:
    name = re.escape(environment)
    found = re.search(rf"""["']?{name}["']?\s*:\s*\{{|\[env\.["']?{name}\b""", text)
    return 0 if found is None else found.start()
