"""An error as the text for standard error: what was being done, what was found, what to do."""

from __future__ import annotations

from eutaxy._base.display import visible
from eutaxy.errors import (
    EutaxyError,
    HostError,
    ProtocolError,
    ReplayError,
    UnfaithfulError,
    UnmodelledError,
)

REPORT_REQUEST = (
    "This is a bug in eutaxy, not in your code. Please report it with the text above, the scenario "
    "and the version (eutaxy --version)."
)


def failure_text(error: EutaxyError) -> str:
    """Write an error for a reader who has not seen our code.

    Returns:
        Lines, the last one ended too.
    """
    lines = [f"{_heading(error)} while {visible(error.doing)}"]
    if error.place:
        lines.append(f"  at    {visible(error.place)}")
    lines += _labelled("found", error.found)
    lines += _labelled("help", error.remedy)
    return "\n".join(lines) + "\n"


def _heading(error: EutaxyError) -> str:
    if isinstance(error, UnmodelledError):
        return "NOT MODELLED"
    if isinstance(error, UnfaithfulError):
        return "UNFAITHFUL"
    if isinstance(error, ReplayError):
        return "CANNOT REPLAY"
    if isinstance(error, HostError) and not isinstance(error, ProtocolError):
        return "USER CODE FAILED"
    return "ERROR"


def _labelled(label: str, text: str) -> list[str]:
    lines = [visible(line) for line in text.splitlines()]
    return [f"  {label if index == 0 else '':<5} {line}" for index, line in enumerate(lines)]
