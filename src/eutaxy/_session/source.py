"""The scenario file as text: which language it is in, and which line a message means.

Calls of the scenario API know where they are; object literals do not. The words in them are looked
for in the text of the call that they are part of.
"""

from __future__ import annotations

import re
from pathlib import Path

from eutaxy._session.evaluate import ScenarioFile
from eutaxy.errors import ScenarioError

_FUNCTIONS = {"scenario": "defineScenario"}
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "\"'`"


class Source:
    """The scenario file as far as messages need it.

    Args:
        file: The scenario file.
        is_python: Whether it is written in Python.
    """

    def __init__(self, file: ScenarioFile, *, is_python: bool) -> None:
        self.file = file
        self.is_python = is_python
        self._texts: dict[str, str] = {}

    def spell(self, name: str) -> str:
        """A name of the TypeScript API as it is in the language of the scenario."""
        if not self.is_python:
            return name
        return re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), name)

    def function(self, kind: str) -> str:
        """How the user calls the function that makes a declaration."""
        return self.spell(_FUNCTIONS.get(kind, kind))

    def wrong(self, found: str, remedy: str, *, place: str = "", word: str = "") -> ScenarioError:
        """The error about a place, or about `word` in what begins there."""
        return ScenarioError(self.file.doing, found, remedy, place=self.shown_place(place, word))

    def shown_place(self, place: str, word: str = "") -> str:
        """A place as shown; moved to `word` in the call or object that begins there."""
        if not place or not word:
            return self.file.shown_place(place)
        file, text, start = self._locate(place)
        wanted = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])")
        found = wanted.search(text, start, _end_of_brackets(text, start))
        return self.file.shown_place(place if found is None else _place(file, text, found.start()))

    def places_of_items(self, targets: list[str | None], place: str) -> list[str]:
        """Where each object of a list was probably written.

        Args:
            targets: A text that each object holds; None when it holds none.
            place: The call that holds the list.

        Returns:
            For each object the place of its opening bracket; `place` when it is not found.
        """
        if not place:
            return [place for _ in targets]
        file, text, start = self._locate(place)
        end = _end_of_brackets(text, start)
        places: list[str] = []
        for target in targets:
            quoted = rf"([\"'`]){re.escape(target or '')}\1"
            found = re.compile(quoted).search(text, start, end) if target else None
            opening = -1 if found is None else text.rfind("{", start, found.start())
            places.append(place if opening < 0 else _place(file, text, opening))
            if found is not None:
                start = found.end()
        return places

    def _locate(self, place: str) -> tuple[str, str, int]:
        """The file of a place, its text, and the offset of the place in it."""
        file, line, column = place.rsplit(":", 2)
        text = self._text_of(file)
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        start = starts[int(line) - 1] if int(line) <= len(starts) else len(text)
        return file, text, min(start + int(column) - 1, len(text))

    def _text_of(self, file: str) -> str:
        if file not in self._texts:
            try:
                text = Path(file).read_text(encoding="utf-8", errors="replace")
            except OSError:
                text = ""
            self._texts[file] = text
        return self._texts[file]


def _place(file: str, text: str, offset: int) -> str:
    line_start = text.rfind("\n", 0, offset) + 1
    return f"{file}:{text.count(chr(10), 0, offset) + 1}:{offset - line_start + 1}"


def _end_of_brackets(text: str, start: int) -> int:
    """Where the first bracket from `start` on is closed; the end of the text when it is not."""
    depth = 0
    quote = ""
    for offset in range(start, len(text)):
        character = text[offset]
        if quote:
            # A quote that nothing closes in its line was an apostrophe in a comment.
            is_escaped = text[offset - 1] == "\\"
            if (character == quote and not is_escaped) or (character == "\n" and quote != "`"):
                quote = ""
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            if depth <= 0:
                return offset + 1
    return len(text)
