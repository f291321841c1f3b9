"""Python exceptions as JavaScript sees them: `PythonError`, whose message is the formatted
traceback.

That text ends up in effects and outcomes, so it has to be the same on every machine: paths are
relative, and only frames of the project and of its packages are shown. Those of the standard
library and of the stand-ins differ between Python versions and say nothing about the user's code.
"""

from __future__ import annotations

import traceback
from typing import Any

from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.sources import Whose

PYTHON_ERROR = "PythonError"


def python_error(error: BaseException) -> JsException:
    """The JavaScript error for an exception that leaves Python code."""
    return JsException(PYTHON_ERROR, format_exception(error))


def format_exception(error: BaseException) -> str:
    """The traceback, causes and notes included, without anything of this machine."""
    return "".join(traceback.format_exception(error))


def tidy_tracebacks() -> None:
    """Make every traceback that is formatted from now on a tidy one, user code's own too."""
    real = traceback.TracebackException.__init__

    def init(self: traceback.TracebackException, *args: Any, **options: Any) -> None:
        real(self, *args, **{**options, "lookup_lines": False})
        self.stack = traceback.StackSummary.from_list(
            [shown for shown in map(_tidy, self.stack) if shown is not None]
        )

    traceback.TracebackException.__init__ = init  # type: ignore[method-assign]


def _tidy(frame: traceback.FrameSummary) -> traceback.FrameSummary | None:
    source = moment.sources.of(frame.filename)
    if source.whose not in {Whose.USER, Whose.PACKAGE}:
        return None
    return traceback.FrameSummary(
        source.shown, frame.lineno, frame.name, lookup_line=False, line=frame.line
    )


def last_line_message(text: str) -> str:
    """What follows the first `": "` of the last line that is not blank."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return ""
    return lines[-1].partition(": ")[2]


def error_place(error: BaseException) -> str:
    """`file:line` of the innermost user frame of a traceback, or of a syntax error."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return moment.sources.place(error.filename, error.lineno)
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        source = moment.sources.of(frame.f_code.co_filename)
        if source.whose is Whose.USER:
            place = f"{source.shown}:{line}"
    return place
