"""Writing reports: bytes that do not depend on the machine, and colour only for a person."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

import click

from eutaxy._base.verdict import VerdictKind
from eutaxy.errors import ScenarioError

_COLOURS = {
    VerdictKind.VIOLATED.value: "red",
    VerdictKind.BOUNDED.value: "green",
    VerdictKind.INCONCLUSIVE.value: "yellow",
    VerdictKind.UNFAITHFUL.value: "magenta",
}
_COLOURED = re.compile(
    rf"^({'|'.join(_COLOURS)})\b|^(Invariant .+? is (?:violated|vacuous):)", re.MULTILINE
)


def open_closed_streams() -> None:
    """Give standard input, output and error to the null device where they are closed.

    A cron job or a daemon may close them. The next pipe to a child process would get their number,
    and the child's own streams would then be laid over it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free, which is this one.
            opened = os.open(os.devnull, os.O_RDWR)
            assert opened == number
            os.set_inheritable(number, True)  # noqa: FBT003 - not our function
    # Python has None for a stream that was closed when it began.
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - a descriptor, kept
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - likewise
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115 - likewise


def discard(stream: TextIO) -> None:
    """Send what is still in the buffer of `stream` nowhere, so that the end is without noise."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def echo_report(text: str) -> None:
    """Write a report to standard output; on a terminal its headings are coloured.

    The environment variable NO_COLOR switches colour off (https://no-color.org). A reader that has
    seen enough (`eutaxy replay ... | head`) changes nothing: the exit code still tells the verdict.

    Raises:
        ScenarioError: The report cannot be written.
    """
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        text = _COLOURED.sub(_coloured, text)
    try:
        click.echo(text, nl=False)
    except BrokenPipeError:
        discard(sys.stdout)
    except OSError as error:
        discard(sys.stdout)
        raise ScenarioError(
            "writing the report to standard output",
            error.strerror or f"{error}",
            "make room there, or send the output elsewhere",
        ) from None


def _coloured(found: re.Match[str]) -> str:
    return click.style(found.group(), fg=_COLOURS.get(found.group()), bold=True)
