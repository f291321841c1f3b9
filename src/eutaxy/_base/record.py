"""One entry of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eutaxy._base.fault import Fault
from eutaxy._base.value import Value


class RecordKind(Enum):
    """What an entry of the trace tells."""

    START = "start"
    END = "end"
    SUSPENDED = "suspended"
    EFFECT = "effect"
    NOTE = "note"
    """Something the engine did that is no effect: a wait begun, an event received or replayed."""
    LANDED = "landed"
    """A call of a dead activation happened at last."""
    FAULT = "fault"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One numbered line of a trace.

    Args:
        seq: Position in the trace, from 1.
        kind: What it tells.
        at_ms: Virtual time since the start of the run.
        activation: Name with number ("workflow:APPROVALS:exp-1#1"); empty for clock records.
        effect_number: Position among the effects of the activation, from 1; 0 when it is no effect.
        text: What happened ("Fetch:payouts POST", "step pay out replayed", "crash_after").
        args: Arguments of an effect; empty text when there are none.
        answer: What the effect was answered; empty when it was not (yet).
        fault: The fault, for FAULT records.
        place: Raw position in user code, to be mapped.
    """

    seq: int
    kind: RecordKind
    at_ms: int
    activation: str
    effect_number: int
    text: str
    args: Value | None = None
    answer: Value | None = None
    fault: Fault | None = None
    place: str = ""
