"""Secrets of a Worker as they are known on this machine: `.dev.vars`, or else the `.env` files.

The environment of this process is not a source of values, so that a check gives the same result
wherever the files are the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from eutaxy.errors import ScenarioError

_LOAD_DOT_ENV = "CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV"
_INCLUDE_PROCESS = "CLOUDFLARE_INCLUDE_PROCESS_ENV"

_ENTRY = re.compile(
    r"""
    ^ [^\S\n]* (?: export [^\S\n]+ )?
    (?P<name> [\w.-]+ ) (?: [^\S\n]* = | : [^\S\n]+ ) [^\S\n]*
    (?:
        (?P<quote> ['"`] ) (?P<quoted> (?: \\(?P=quote) | (?!(?P=quote)) [\s\S] )* ) (?P=quote)
        | (?P<bare> [^#\n]* )
    )
    [^\S\n]* (?: \#.* )? $
    """,
    re.MULTILINE | re.VERBOSE,
)
_REFERENCE = re.compile(r"(?<!\\)\$(?:\{([^{}]+)\}|([A-Za-z_]\w*))")
_OPERATOR = re.compile(r":\+|\+|:-|-")
_EXPANSIONS_MAX = 100


def read_secrets(folder: Path, environment: str) -> dict[str, str]:
    """The secrets that files beside the wrangler config give.

    Args:
        folder: The folder of the config.
        environment: Name of the environment; empty for the top level.

    Raises:
        ScenarioError: A file cannot be read, or its values would depend on this process.
    """
    names = [f".dev.vars.{environment}"] if environment else []
    for name in (*names, ".dev.vars"):
        text = _text(folder / name)
        if text is not None:
            return parse_dotenv(text)
    files = [".env", ".env.local"]
    if environment:
        files += [f".env.{environment}", f".env.{environment}.local"]
    parsed: dict[str, str] = {}
    for name in files:
        parsed |= parse_dotenv(_text(folder / name) or "")
    values = expand(parsed)
    if _is_on(_LOAD_DOT_ENV, values, default="true"):
        if _is_on(_INCLUDE_PROCESS, values, default="false"):
            raise ScenarioError(
                "reading the secrets of the Worker",
                f"{_INCLUDE_PROCESS} asks for the environment of this process as secrets, "
                "so a check would depend on where it runs",
                "unset it, and write what the Worker needs into .dev.vars or .env",
            )
        return values
    return {}


def _is_on(name: str, values: Mapping[str, str], *, default: str) -> bool:
    return (os.environ.get(name) or values.get(name) or default).lower() == "true"


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ScenarioError(
            f"reading the secrets in {file.name}", reason, "make it a readable text file"
        ) from None


def parse_dotenv(text: str) -> dict[str, str]:
    """Names and values of a file in the dotenv format."""
    values: dict[str, str] = {}
    for entry in _ENTRY.finditer(re.sub(r"\r\n?", "\n", text)):
        value = entry["quoted"]
        if value is None:
            value = entry["bare"].strip()
        elif entry["quote"] == '"':
            value = value.replace("\\n", "\n").replace("\\r", "\r")
        values[entry["name"]] = value
    return values


def expand(parsed: Mapping[str, str]) -> dict[str, str]:
    """Replace references to earlier values, as in `.env` files: $NAME, ${NAME:-default}."""
    done: dict[str, str] = {}
    for name, value in parsed.items():
        done[name] = _expanded(value, done).replace("\\$", "$")
    return done


def _expanded(value: str, known: Mapping[str, str]) -> str:
    for _ in range(_EXPANSIONS_MAX):
        found = _REFERENCE.search(value)
        if found is None:
            break
        value = value[: found.start()] + _replacement(found, known) + value[found.end() :]
    return value


def _replacement(found: re.Match[str], known: Mapping[str, str]) -> str:
    expression = found[1] or found[2]
    operator = _OPERATOR.search(expression)
    if operator is None:
        return known.get(expression, "")
    name, other = expression[: operator.start()], expression[operator.end() :]
    has_value = bool(known.get(name))
    if operator[0] in {":+", "+"}:
        return other if has_value else ""
    return known[name] if has_value else other


def chosen_secrets(
    loaded: Mapping[str, str], required: Iterable[str] | None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The secrets that the Worker gets, and the required ones that no file has.

    Args:
        loaded: What the files say.
        required: `secrets.required` of the config; None when it has no `secrets`.
    """
    if required is None:
        return dict(loaded), ()
    names = tuple(required)
    given = {name: loaded[name] for name in names if name in loaded}
    return given, tuple(name for name in names if name not in loaded)
