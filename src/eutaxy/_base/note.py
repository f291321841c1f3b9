"""What a transition has to tell: unnumbered lines of a trace, numbered only when a path is
printed."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.fault import Fault
from eutaxy._base.record import RecordKind
from eutaxy._base.value import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One unnumbered line of a trace.

    Args:
        kind: What it tells.
        activation: Name of the activation without its number ("workflow:APPROVALS:exp-1", "req-1").
        source: Key that tells activations with one name apart while both live ("req-1" delivered
            twice); the tracer numbers activations by it.
        text: As in `Record`.
        args: As in `Record`.
        answer: As in `Record`.
        fault: For FAULT notes; the effect it struck is `struck`.
        struck: Effect that a fault struck, by text; empty for other notes.
        is_before: The fault struck before its effect got a line of its own.
        place: Raw position in user code.
    """

    kind: RecordKind
    activation: str
    source: str
    text: str
    args: Value | None = None
    answer: Value | None = None
    fault: Fault | None = None
    struck: str = ""
    is_before: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A monitor matched the happening of this transition.

    Args:
        invariant: Whose monitor.
        key: The key, as value text.
        effect: How the trace names the happening.
        role: Which of the invariant's selectors it was, from 0.
        is_effect: Whether the line of it is the transition's last effect (else its last line).
    """

    invariant: str
    key: Value
    effect: str
    role: int = 0
    is_effect: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something suspicious that is no verdict.

    Args:
        rule: Id of the rule that it is about ("R-RUN-3").
        text: A sentence.
        place: Raw position in user code.
        subject: What it is about, where one finding about it is enough; empty where each counts.
    """

    rule: str
    text: str
    place: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Reached:
    """Something that the scenario declares came into play.

    Args:
        kind: "external" (it was called) or "response" (it was given).
        name: Name of the external.
        index: Which of its responses, from 0.
    """

    kind: str
    name: str
    index: int = 0


Told = Note | Match | Diagnostic | Reached
"""Whatever a transition may tell."""
