"""A fiber in the model: its node, and what it waits for.

Shared by every piece that runs user code (requests, workflow instances). A fiber with one call
outstanding is answered in the transition that applies the call: nothing else can tell the two
moments apart, except a crash between them, which is `crash_after`. With two or more outstanding,
applying and hearing are separate choices, since the code may see the answers in another order than
the effects happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from eutaxy._base.code import Effect, EffectKind, NodeId, Outcome
from eutaxy._base.value import decode
from eutaxy._platform.call import Act, Answered, Fate, Hear, Route, Router
from eutaxy._world.component import Choice, Gate


class Phase(Enum):
    """Where a pending effect stands."""

    NEW = "new"
    """Issued, not yet applied."""
    SENT = "sent"
    """Taken up by its target, which answers it in a later transition."""
    LANDED = "landed"
    """Applied and answered; the code has not heard it yet."""
    LATE = "late"
    """Applied; its answer travels until time has passed."""
    TRAVEL = "travel"
    """Applied; its answer takes as long as its service says."""
    TIMER = "timer"
    """A timer of user code."""


@dataclass(frozen=True, slots=True)
class Pending:
    """One unanswered effect of a fiber.

    Args:
        effect: What was asked.
        phase: Where it stands.
        outcome: The answer, once it is known.
        left_ms: For timers and for answers that travel or are late, what is left.
    """

    effect: Effect
    phase: Phase
    outcome: Outcome | None = None
    left_ms: int = 0


@dataclass(frozen=True, slots=True)
class Fiber:
    """A fiber: its node, what is pending (by ordinal), and how it ended."""

    node: NodeId
    pending: tuple[Pending, ...] = ()
    outcome: Outcome | None = None
    is_held: bool = False

    def find(self, ordinal: int) -> Pending:
        """The pending effect with that ordinal."""
        for pending in self.pending:
            if pending.effect.ordinal == ordinal:
                return pending
        raise AssertionError(f"no pending effect {ordinal} in {self}")

    def has(self, ordinal: int) -> bool:
        """Whether the effect is (still) pending."""
        return any(pending.effect.ordinal == ordinal for pending in self.pending)

    def expects(self, answered: Answered, route: Router) -> bool:
        """Whether the fiber waits for that answer.

        A deferred one may come too late, or be for what stood at the same place of the code in an
        earlier activation, which has died.
        """
        ordinal = answered.back.ordinal
        if not self.has(ordinal):
            return False
        pending = self.find(ordinal)
        if answered.deferred_by is None:
            return pending.phase is not Phase.SENT
        asked = route(pending.effect)
        is_same = (asked.target, asked.shown) == (answered.deferred_by, answered.shown)
        return pending.phase is Phase.SENT and is_same

    def without(self, ordinal: int) -> Fiber:
        """The fiber with one pending effect answered."""
        left = tuple(each for each in self.pending if each.effect.ordinal != ordinal)
        return replace(self, pending=left)

    def without_all(self, ordinals: tuple[int, ...]) -> Fiber:
        """The fiber without effects that it has taken back."""
        if not ordinals:
            return self
        left = tuple(each for each in self.pending if each.effect.ordinal not in ordinals)
        return replace(self, pending=left)

    def with_pending(self, changed: Pending) -> Fiber:
        """The fiber with one pending effect replaced."""
        pending = tuple(
            changed if each.effect.ordinal == changed.effect.ordinal else each
            for each in self.pending
        )
        return replace(self, pending=pending)

    @property
    def calls_outstanding(self) -> int:
        """Calls that the code waits for and that will end without time passing."""
        return sum(1 for each in self.pending if each.phase in (Phase.NEW, Phase.LANDED))

    @property
    def is_busy(self) -> bool:
        """Whether something can go on here without time passing."""
        return self.calls_outstanding > 0


def pending_of(effect: Effect) -> Pending:
    """How a new CALL or TIMER effect starts to wait."""
    if effect.kind is EffectKind.TIMER:
        args = decode(effect.args)
        assert isinstance(args, dict)
        ms = args["ms"]
        assert isinstance(ms, int | float)
        return Pending(effect, Phase.TIMER, left_ms=max(0, int(ms)))
    assert effect.kind is EffectKind.CALL
    return Pending(effect, Phase.NEW)


CALL_FATES = (
    Fate.CRASH_BEFORE,
    Fate.CRASH_AFTER,
    Fate.CRASH_IN_FLIGHT,
    Fate.REQUEST_LOST,
    Fate.ANSWER_LOST,
    Fate.ANSWER_LATE,
)
"""Misfortunes of a call."""


LATE_MS = 86_400_000
"""A late answer arrives at the latest after so much virtual time, and at the earliest after any."""

TIMED = (Phase.TIMER, Phase.TRAVEL, Phase.LATE)
"""Phases that end by themselves after a time."""


def service_fates(name: str, ordinal: int, route: Route) -> list[Act]:
    """Misfortunes that the declaration of a service, or the bounds, allow."""
    acts = [Act(name, ordinal, Fate.FAILED_STATUS, status) for status in route.failure_statuses]
    if route.has_outages:
        acts += [Act(name, ordinal, fate) for fate in (Fate.OUTAGE, Fate.ANSWERS_OUTAGE)]
    return acts + [Act(name, ordinal, fate) for fate in route.fates]


READING = ("get", "status", "subscribe", "next")
"""Operations of bindings that change nothing."""


def is_reading(effect: Effect) -> bool:
    """Whether a call changes nothing: a reading operation of a binding, or a safe HTTP method."""
    if effect.name == "Fetch":
        return effect.operation in ("GET", "HEAD", "OPTIONS")
    return effect.operation in READING


def call_fates(effect: Effect) -> tuple[Fate, ...]:
    """Misfortunes that make a difference for a call.

    A call that only reads cannot land later, and losing its answer is the same as losing it. A
    batch may be cut short.
    """
    if effect.name != "Fetch" and effect.operation == "createBatch":
        return (*CALL_FATES, Fate.CUT_SHORT)
    if effect.name != "Fetch" and effect.operation in READING:
        same = (Fate.CRASH_IN_FLIGHT, Fate.ANSWER_LOST)
        return tuple(fate for fate in CALL_FATES if fate not in same)
    return CALL_FATES


def fiber_choices(
    name: str, fiber: Fiber, route: Router, *, can_crash: bool, can_crash_before: bool
) -> list[Choice]:
    """What may happen to a fiber's pending effects.

    Args:
        name: The fiber's name in its owner.
        fiber: The fiber.
        route: Tells what may become of a call.
        can_crash: Whether the activation can (still) die.
        can_crash_before: Whether dying before the first pending call differs from dying after what
            happened last.
    """
    choices: list[Choice] = []
    is_first = True
    for pending in fiber.pending:
        ordinal = pending.effect.ordinal
        match pending.phase:
            case Phase.NEW:
                at = route(pending.effect)
                target = at.target[1]
                choices.append(Choice(Act(name, ordinal)))
                for fate in call_fates(pending.effect):
                    if fate is Fate.CRASH_BEFORE and not (can_crash_before and is_first):
                        continue
                    if fate in (Fate.CRASH_AFTER, Fate.CRASH_IN_FLIGHT) and not can_crash:
                        continue
                    choices.append(Choice(Act(name, ordinal, fate), fate.fault, target=target))
                acts = service_fates(name, ordinal, at)
                choices += [Choice(act, act.fate.fault, target=target) for act in acts]
                is_first = False
            case Phase.LANDED:
                choices.append(Choice(Hear(name, ordinal)))
            case Phase.LATE:
                if pending.left_ms < LATE_MS:
                    choices.append(Choice(Hear(name, ordinal), gate=Gate.START))
            case Phase.SENT:
                pass
            case Phase.TIMER | Phase.TRAVEL:
                if pending.left_ms == 0:
                    choices.append(Choice(Hear(name, ordinal), gate=Gate.START))
    return choices


def fiber_timer(fiber: Fiber) -> int | None:
    """When the fiber next wants something by itself; a late answer has arrived after `LATE_MS`."""
    left = [each.left_ms for each in fiber.pending if each.phase in TIMED]
    return min(left) if left else None


def fiber_tick(fiber: Fiber, ms: int) -> Fiber:
    """The fiber `ms` later."""
    if not any(each.left_ms for each in fiber.pending):
        return fiber
    pending = tuple(
        replace(each, left_ms=max(0, each.left_ms - ms)) if each.left_ms else each
        for each in fiber.pending
    )
    return replace(fiber, pending=pending)
