"""Tokens of a script with what can be told from them: brackets, values of texts, conditions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eutaxy._session.init.findings import HOLE
from eutaxy._session.init.js_tokens import Kind, Token

_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
_DEPTH_MAX = 12
_WRAPPERS = ("String", "URL", "Request", "encodeURI")

Range = tuple[int, int]
"""Indexes of the first token and of the one after the last."""


@dataclass(frozen=True, slots=True)
class Branch:
    """An `if`: the ranges of its condition and of what it guards."""

    condition: Range
    body: Range


class Code:
    """A script as tokens.

    Args:
        tokens: The tokens.
        variables: Bindings in `env` whose values are texts.
    """

    def __init__(self, tokens: Sequence[Token], variables: Mapping[str, str]) -> None:
        self.tokens = tokens
        self._variables = variables
        self.closing = self._closing()
        self._constants: dict[str, list[tuple[int, Range]]] = defaultdict(list)
        self._functions: dict[str, Range] = {}
        for index, token in enumerate(tokens):
            if token.kind is Kind.NAME:
                self._remember(index, token)
        self.branches = list(self._branches())

    def text(self, index: int) -> str:
        """The name or mark at an index; empty for anything else."""
        if not 0 <= index < len(self.tokens):
            return ""
        token = self.tokens[index]
        return token.text if token.kind in {Kind.NAME, Kind.MARK} else ""

    def string(self, index: int) -> str | None:
        """The text at an index; None when there is something else."""
        if not 0 <= index < len(self.tokens) or self.tokens[index].kind is not Kind.TEXT:
            return None
        return self.tokens[index].text

    def end(self, opening: int) -> int:
        """Index of the bracket that closes the one at `opening`."""
        return self.closing.get(opening, len(self.tokens))

    def arguments(self, opening: int) -> list[Range]:
        """The arguments (or members) between two brackets."""
        return [
            (start, end)
            for start, end in self.split((opening + 1, self.end(opening)), ",")
            if end > start
        ]

    def split(self, inside: Range, *marks: str) -> list[Range]:
        """Parts of a range between marks that stand outside of brackets."""
        parts: list[Range] = []
        start = index = inside[0]
        while index < inside[1]:
            if self.text(index) in marks:
                parts.append((start, index))
                start = index + 1
            index = self.end(index) + 1 if index in self.closing else index + 1
        return [*parts, (start, inside[1])]

    def around(self, index: int) -> Range:
        """The innermost braces around a token."""
        best = (0, len(self.tokens))
        for opening, end in self.closing.items():
            if opening < index < end and self.text(opening) == "{" and opening >= best[0]:
                best = (opening, end)
        return best

    def function(self, name: str) -> Range | None:
        """The body of a function of the script."""
        return self._functions.get(name)

    # -- values -------------------------------------------------------------------------------

    def value(self, inside: Range, depth: int = 0) -> str | None:
        """The text that an expression gives, with holes; None when nothing of it is known."""
        if depth > _DEPTH_MAX or inside[0] >= inside[1]:
            return None
        choices = self.split(inside, "??", "||")
        if len(choices) > 1:
            values = [self.value(choice, depth + 1) for choice in choices]
            return next((value for value in values if value), None)
        terms = self.split(inside, "+")
        if len(terms) > 1:
            return "".join(self.value(term, depth + 1) or HOLE for term in terms)
        return self._term(inside, depth)

    def _term(self, inside: Range, depth: int) -> str | None:
        start, end = inside
        token = self.tokens[start]
        if token.kind is Kind.TEXT:
            return token.text if end == start + 1 else None
        if token.kind is Kind.TEMPLATE:
            return self._template(token, start, depth) if end == start + 1 else None
        if self.text(start) in {"new", "await"}:
            return self._term((start + 1, end), depth + 1)
        if self.text(start) == "(" and self.end(start) == end - 1:
            return self.value((start + 1, end - 1), depth + 1)
        if self.text(start) in _WRAPPERS and self.text(start + 1) == "(":
            return self._wrapped(start + 1, depth)
        return self._named(inside, depth)

    def _wrapped(self, opening: int, depth: int) -> str | None:
        given = self.arguments(opening)
        if not given:
            return None
        first = self.value(given[0], depth + 1)
        if len(given) == 2 and self.text(opening - 1) == "URL":
            base = self.value(given[1], depth + 1)
            if base and not (first or HOLE).startswith("http"):
                origin = re.match(r"https?://[^/]+", base)
                return (origin[0] if origin else base) + (first or HOLE)
        return first

    def _named(self, inside: Range, depth: int) -> str | None:
        start, end = inside
        words = [self.text(index) for index in range(start, end)]
        if len(words) >= 2 and words[-1] in {"href", "toString", ")"} and "." in words:
            last = max(index for index, word in enumerate(words) if word == ".")
            if words[last + 1 :] in (["href"], ["toString", "(", ")"]):
                return self.value((start, start + last), depth + 1)
        if len(words) >= 3 and "env" in words[:-2] and words[-2] == ".":
            return self._variables.get(words[-1])
        if len(words) == 1 and words[0] in self._constants:
            known = self._constants[words[0]]
            before = bisect_right([index for index, _ in known], start) - 1
            return self.value(known[max(before, 0)][1], depth + 1)
        return None

    def _template(self, token: Token, start: int, depth: int) -> str:
        text = ""
        for part in token.parts:
            if isinstance(part, str):
                text += part
            else:
                inner = _Part(part, self, start)
                text += inner.value((0, len(part)), depth + 1) or HOLE
        return text

    def constant(self, name: str, index: int) -> Range | None:
        """What a variable is set to where it is declared, at `index` or before it."""
        known = self._constants.get(name)
        if not known:
            return None
        before = bisect_right([each for each, _ in known], index) - 1
        return known[max(before, 0)][1]

    # -- reading ------------------------------------------------------------------------------

    def _closing(self) -> dict[int, int]:
        closing: dict[int, int] = {}
        stack: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.kind is not Kind.MARK:
                continue
            if token.text in _OPENING:
                stack.append(index)
            elif token.text in _CLOSING and stack:
                closing[stack.pop()] = index
        return closing

    def _remember(self, index: int, token: Token) -> None:
        if self.text(index + 1) == "=" and self.text(index - 1) in {"var", "let", "const", ","}:
            end = self._end_of_expression(index + 2)
            self._constants[token.text].append((index, (index + 2, end)))
            arrow = next((i for i in range(index + 2, end) if self.text(i) == "=>"), None)
            if arrow is not None:
                self._functions[token.text] = (arrow + 1, end)
        elif self.text(index - 1) == "function" and self.text(index + 1) == "(":
            body = self.end(index + 1) + 1
            self._functions[token.text] = (body, self.end(body))

    def _end_of_expression(self, index: int) -> int:
        while index < len(self.tokens) and self.text(index) not in {";", ",", ")", "]", "}"}:
            index = self.end(index) + 1 if index in self.closing else index + 1
        return index

    def _branches(self) -> Iterator[Branch]:
        for index in range(len(self.tokens)):
            if self.text(index) == "if" and self.text(index + 1) == "(":
                end = self.end(index + 1)
                body = end + 1
                if self.text(body) == "{":
                    yield Branch((index + 2, end), (body, self.end(body) + 1))
                else:
                    stop = body
                    while stop < len(self.tokens) and self.text(stop) != ";":
                        stop = self.end(stop) + 1 if stop in self.closing else stop + 1
                    yield Branch((index + 2, end), (body, stop))


class _Part(Code):
    """What is filled in a template: a small script that knows the names of the one around it."""

    def __init__(self, tokens: Sequence[Token], around: Code, index: int) -> None:
        super().__init__(tokens, around._variables)  # noqa: SLF001 - of the same class
        self._around = around
        self._index = index

    def _named(self, inside: Range, depth: int) -> str | None:
        start, end = inside
        known = self._around.constant(self.text(start), self._index) if end - start == 1 else None
        if known is not None:
            return self._around.value(known, depth + 1)
        return super()._named(inside, depth)
