"""What a check says in the end, always together with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eutaxy._base.bounds import Bounds
from eutaxy._base.fault import Fault
from eutaxy._base.record import Record


class VerdictKind(Enum):
    """The four answers."""

    VIOLATED = "VIOLATED"
    BOUNDED = "BOUNDED"
    INCONCLUSIVE = "INCONCLUSIVE"
    UNFAITHFUL = "UNFAITHFUL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All schedules with at most so many faults and redeliveries."""

    faults: int
    redeliveries: int


@dataclass(frozen=True, slots=True)
class Compared:
    """How far it was seen that steps share no variables: runs compared, of those planned."""

    done: int = 0
    planned: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all were."""
        return self.done == self.planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What was drawn at random; it covers nothing.

    Args:
        runs: Schedules drawn.
        distinct: Different ones among them.
        faults: Most faults in one.
        redeliveries: Most redeliveries in one.
    """

    runs: int
    distinct: int
    faults: int
    redeliveries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the search covered.

    Args:
        complete: The highest level that is complete; None when not even the fault-free one is.
        schedules: Schedules covered, by number of faults (index), of the complete part.
        worlds: Distinct worlds visited.
        transitions: Transitions taken.
        is_whole: Whether everything inside the bounds was covered.
        is_merging: Whether equal worlds were merged.
        compared: What the search took for granted, and how far that was seen to be true.
        apart: Names of the driver events of each group, when groups that share nothing were not
            interleaved; `schedules` then counts one order for all that differ only in that.
        orders: In how many other orders the ends of steps that run beside each other were heard,
            when such steps were taken one by one; `schedules` then counts those alone.
        sampled: What was drawn at random beyond it, which covers nothing; None when nothing was.
    """

    complete: Level | None
    schedules: tuple[int, ...]
    worlds: int
    transitions: int
    is_whole: bool
    is_merging: bool = True
    compared: Compared = Compared()
    apart: tuple[tuple[str, ...], ...] = ()
    orders: int = 0
    sampled: Sampled | None = None

    @property
    def is_reduced(self) -> bool:
        """Whether one order stood for others (docs/soundness.md)."""
        return bool(self.apart or self.orders)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultMark:
    """One fault of a witness: where it struck, in the trace's own words.

    `text` reads `crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS
    step_result)`.
    """

    fault: Fault
    activation: str
    effect_number: int
    effect: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """A schedule beside a violation that was run and breaks nothing.

    Args:
        faults: Its faults, in order.
        redelivered: Names of redelivered driver events, in order.
        was: The fault of the violation that was moved.
        now: Where it strikes instead.
        effects: How many effects later; negative for earlier, 0 for the other side of the effect.
        token: The schedule as text, for `eutaxy replay`.
    """

    faults: tuple[FaultMark, ...]
    redelivered: tuple[str, ...]
    was: FaultMark
    now: FaultMark
    effects: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A switch of the platform that a schedule looks at.

    Args:
        name: Its name.
        value: Its value, in words.
        is_decisive: Whether the schedule goes otherwise with another value.
    """

    name: str
    value: str
    is_decisive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What else is known of a violation.

    Args:
        passing: The nearest schedule that passes, with one fault moved within its activation; None
            when none of those that were run does.
        moved: How many schedules with a moved fault were run.
        switches: What it looks at in the profile of the platform.
        rules: Ids of the rules and fault points that came into play, in order.
    """

    passing: Passing | None = None
    moved: int = 0
    switches: tuple[Switch, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A broken invariant with its smallest schedule.

    Args:
        invariant: Its name.
        claim: What happened, with seqs ('Fetch:payouts POST happened twice for key "exp-1"
            (seq 15 and 22)').
        faults: The faults of the schedule, in order; redelivered events are in `redelivered`.
        redelivered: Names of redelivered driver events, in order.
        kept: Driver events of the schedule.
        token: The schedule as text, for `eutaxy replay`.
        certificate: Why this is the smallest ("no schedule with fewer faults fails").
        depends_on: Unknown platform behaviours without which it does not happen
            ("restart_is_atomic =
            true").
        others: Number of other minimal violations of this invariant; negative when not all were
            counted (then at least that many).
        trace: All records.
        cause: What struck what, without which instance, request and lifetime; in a fixed order.
            Violations of one invariant with one cause are mended in one place.
        explanation: What else is known of it; None when that was not asked for, or is told of
            another violation with this cause.
    """

    invariant: str
    claim: str
    faults: tuple[FaultMark, ...]
    redelivered: tuple[str, ...]
    kept: tuple[str, ...]
    token: str
    certificate: str
    others: int
    trace: tuple[Record, ...]
    depends_on: tuple[str, ...] = ()
    cause: tuple[str, ...] = ()
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """Something suspicious beside the verdict; never a verdict itself.

    Args:
        rule: Id of the rule that it is about; naming it in the scenario's `silenced` silences it.
        text: A sentence.
        place: The user's file and line; empty when unknown.
    """

    rule: str
    text: str
    place: str = ""


class RegressionState(Enum):
    """What came of a schedule that was found earlier."""

    FAILS = "still fails"
    PASSES = "passes now"
    MISFIT = "no longer fits"
    NOT_TRIED = "was not tried"
    UNREADABLE = "cannot be read"


@dataclass(frozen=True, slots=True)
class Tried:
    """A schedule found earlier, tried again.

    Args:
        file: Where it is kept.
        state: What came of it.
        text: What it broke, or why it did not, and what to do.
        token: For one that still fails, the schedule as text.
    """

    file: str
    state: RegressionState
    text: str
    token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer to one check.

    Args:
        kind: VIOLATED, BOUNDED, INCONCLUSIVE or UNFAITHFUL.
        scenario: Name of the scenario.
        seed: What ordered equal candidates.
        bounds: The limits.
        coverage: What was covered.
        violations: For VIOLATED, one for each broken invariant (all of them with --all).
        vacuous: Names of invariants that never matched anything.
        reasons: For INCONCLUSIVE and UNFAITHFUL, sentences that say why.
        suspicions: Suspicious things that were seen on the way.
        regressions: What came of schedules found earlier.
    """

    kind: VerdictKind
    scenario: str
    seed: str
    bounds: Bounds
    coverage: Coverage
    violations: tuple[Violation, ...] = ()
    vacuous: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    regressions: tuple[Tried, ...] = ()
