"""The folder of regressions beside a scenario: `.eutaxy/SCENARIO-FILE/NAME.json`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from eutaxy._session.regressions.file import Regression, Unreadable, read_regression

FOLDER = ".eutaxy"


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One file of the folder: what it says, or why it cannot be read.

    Args:
        shown: Its path, in terms of how the user named the scenario.
        content: The regression; or the reason, as text.
    """

    shown: str
    content: Regression | str


def folder_of(scenario: str) -> Path:
    """The folder of the regressions of a scenario file, in terms of how the user named that."""
    path = Path(scenario)
    return path.parent / FOLDER / path.name


def read_folder(folder: Path) -> tuple[SavedFile, ...]:
    """All regressions, by name. Hidden files are left alone; whatever else is there is told of."""
    try:
        names = sorted(each.name for each in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        return (SavedFile(str(folder), f"{error.strerror}"),)
    return tuple(
        SavedFile(str(folder / name), _content(folder / name))
        for name in names
        if not name.startswith(".")
    )


def _content(path: Path) -> Regression | str:
    if path.suffix != ".json":
        return "it does not end with .json"
    try:
        return read_regression(path.read_text(encoding="utf-8"))
    except Unreadable as error:
        return str(error)
    except UnicodeDecodeError:
        return "it is no UTF-8 text"
    except OSError as error:
        return f"{error.strerror}"


def write_file(path: Path, text: str) -> None:
    """Write a new file whole or not at all.

    Raises:
        OSError: The machine refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
