"""Writing reports: bytes that do not depend on the machine, and colour only for a person."""

from __future__ import annotations

import os
import re
import sys

import click

from eutaxy._base.verdict import VerdictKind

_COLOURS = {
    VerdictKind.VIOLATED.value: "red",
    VerdictKind.BOUNDED.value: "green",
    VerdictKind.INCONCLUSIVE.value: "yellow",
    VerdictKind.UNFAITHFUL.value: "magenta",
}
_COLOURED = re.compile(
    rf"^({'|'.join(_COLOURS)})\b|^(Invariant .+? is (?:violated|vacuous):)", re.MULTILINE
)


def echo_report(text: str) -> None:
    """Write a report to standard output; on a terminal its headings are coloured.

    The environment variable NO_COLOR switches colour off (https://no-color.org). A reader that has
    seen enough (`eutaxy replay ... | head`) changes nothing: the exit code still tells the verdict.
    """
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        text = _COLOURED.sub(_coloured, text)
    try:
        click.echo(text, nl=False)
    except BrokenPipeError:
        # What is still in the buffer must go somewhere when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _coloured(found: re.Match[str]) -> str:
    return click.style(found.group(), fg=_COLOURS.get(found.group()), bold=True)
