"""Tokens of JavaScript, as far as looking for URLs and routes needs them.

What is read was written by the bundler: no types, no JSX, and code that is known to be correct.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """What a token is."""

    NAME = "name"
    TEXT = "text"
    TEMPLATE = "template"
    REGEX = "regex"
    NUMBER = "number"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Args:
        kind: What it is.
        text: A name or mark as written; the value of a text; the pattern of a regular expression.
        offset: Where it begins.
        parts: Of a template: texts, and the tokens of what is filled in.
    """

    kind: Kind
    text: str
    offset: int
    parts: tuple[str | tuple[Token, ...], ...] = field(default=())


_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*[\s\S]*?\*/)+")
_NAME = re.compile(r"#?[A-Za-z_$][\w$]*|[^\W\d][\w$]*")
_NUMBER = re.compile(r"\.?\d[\w.]*")
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'")
_REGEX = re.compile(r"/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/[a-z]*")
_MARK = re.compile(
    r"\?\?=?|=>|\.\.\.|\?\.(?!\d)|[!=]==?|&&=?|\|\|=?|[<>]=|[-+*/%&|^]=|\+\+|--|[\s\S]"
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
# After these a slash begins a regular expression, not a division.
_BEFORE_REGEX = {"return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "await"}


def tokens_of(code: str) -> list[Token]:
    """The tokens of a whole script."""
    return _read(code, 0, until="")[0]


def _read(code: str, offset: int, *, until: str) -> tuple[list[Token], int]:
    """Tokens from `offset` to the closing bracket `until`, and where that is."""
    found: list[Token] = []
    depth = 0
    while offset < len(code):
        blank = _BLANK.match(code, offset)
        if blank is not None:
            offset = blank.end()
            continue
        if until and depth == 0 and code[offset] == until:
            break
        if code[offset] == "`":
            parts, end = _template(code, offset + 1)
            found.append(Token(Kind.TEMPLATE, "", offset, parts))
            offset = end
            continue
        token, end = _simple(code, offset, found[-1] if found else None)
        depth += (token.text == "{") - (token.text == "}") if token.kind is Kind.MARK else 0
        found.append(token)
        offset = end
    return found, offset


def _simple(code: str, offset: int, before: Token | None) -> tuple[Token, int]:
    name = _NAME.match(code, offset)
    if name is not None:
        return Token(Kind.NAME, name[0], offset), name.end()
    number = _NUMBER.match(code, offset)
    if number is not None:
        return Token(Kind.NUMBER, number[0], offset), number.end()
    text = _TEXT.match(code, offset)
    if text is not None:
        return Token(Kind.TEXT, _unescaped(text[0][1:-1]), offset), text.end()
    if code[offset] == "/" and _may_be_regex(before):
        regex = _REGEX.match(code, offset)
        if regex is not None:
            return Token(Kind.REGEX, regex[1], offset), regex.end()
    mark = _MARK.match(code, offset)
    assert mark is not None
    return Token(Kind.MARK, mark[0], offset), mark.end()


def _may_be_regex(before: Token | None) -> bool:
    if before is None:
        return True
    if before.kind is Kind.NAME:
        return before.text in _BEFORE_REGEX
    return before.kind is Kind.MARK and before.text not in {")", "]", "}", "++", "--"}


def _template(code: str, offset: int) -> tuple[tuple[str | tuple[Token, ...], ...], int]:
    parts: list[str | tuple[Token, ...]] = []
    start = offset
    while offset < len(code) and code[offset] != "`":
        if code[offset] == "\\":
            offset += 2
        elif code.startswith("${", offset):
            parts.append(_unescaped(code[start:offset]))
            inside, end = _read(code, offset + 2, until="}")
            parts.append(tuple(inside))
            start = offset = end + 1
        else:
            offset += 1
    parts.append(_unescaped(code[start:offset]))
    return tuple(parts), offset + 1


def _unescaped(text: str) -> str:
    def value(found: re.Match[str]) -> str:
        number = found[1] or found[2] or found[3]
        return chr(int(number, 16)) if number else _ESCAPES.get(found[4], found[4])

    return _ESCAPE.sub(value, text)
