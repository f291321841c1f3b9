"""One scenario as a graph of worlds: the platform, the monitors, and what counts as bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eutaxy._base.bounds import ANY_FAULT, Bounds
from eutaxy._base.code import UserCode
from eutaxy._base.fault import Fault
from eutaxy._base.functions import NoFunctions, ScenarioFunctions
from eutaxy._base.scenario import (
    Invariant,
    RowsHold,
    Scenario,
    Seen,
    SumEquals,
    TraceHolds,
    Unique,
    WorkflowRows,
)
from eutaxy._base.value import Value
from eutaxy._check.monitors import (
    ALARM,
    Alarm,
    Marks,
    Monitor,
    OddityMonitor,
    RepeatMonitor,
    monitor_address,
    roles_of,
    was_tested,
)
from eutaxy._check.rest import RestFinding, judge_marks, judge_rows
from eutaxy._explore.trace import Trace
from eutaxy._platform.assembly import Parts, Platform, platform_order
from eutaxy._platform.stuck import stuck_claims
from eutaxy._platform.workflows.profile import Engine
from eutaxy._platform.workflows.retention import is_forgotten
from eutaxy._platform.workflows.state import Instance
from eutaxy._platform.workflows.status import row_value
from eutaxy._session.claims import Broken, broken_keys
from eutaxy._session.epoch import EPOCH_MS
from eutaxy._session.trace_view import judge_trace
from eutaxy._world.apart import Order
from eutaxy._world.component import Address, Component, Local
from eutaxy._world.divisible import DivisibleSystem, Remembered
from eutaxy._world.world import World

NO_FUNCTIONS = NoFunctions()

ODDITIES = ("compensated-then-done", "step-changed-its-mind")
"""Built-in invariants that the platform's pieces judge themselves."""

STUCK = "stuck"


class Model(DivisibleSystem):
    """The graph of worlds of one scenario.

    Args:
        scenario: The declarations (with the driver events that are kept).
        code: The user's code.
        engine: The Workflows engine.
        functions: Functions of the scenario.
        groups: Decides which of the open choices are offered; None offers all.
    """

    def __init__(
        self,
        scenario: Scenario,
        code: UserCode,
        engine: Engine,
        functions: ScenarioFunctions = NO_FUNCTIONS,
        *,
        groups: Order | None = None,
    ) -> None:
        self.scenario = scenario
        self.engine = engine
        # An order also hears what choices do, and says in the end whether it was right: here.
        self.is_divisible = groups is None
        self._functions = functions
        self._watching = [each for each in scenario.invariants if roles_of(each)]
        self._on_rows = [each for each in scenario.invariants if not roles_of(each)]
        self._always = [
            each for each in self._on_rows if isinstance(each, RowsHold) and each.is_always
        ]
        self._judges_stuck = STUCK not in scenario.without and engine.profile.engine_wakes
        monitors = self._monitors()
        platform = Platform(
            Parts(
                scenario=scenario,
                code=code,
                functions=functions,
                observers=self._observers,
                monitors=monitors.__getitem__,
                epoch_ms=EPOCH_MS,
                engine=engine,
            )
        )
        super().__init__(
            platform.component_at,
            (*platform.initial(), *monitors),
            slots_max=scenario.bounds.max_concurrent,
            order=platform_order,
            fault_limits=_limits(scenario.bounds),
            groups=groups,
        )
        self._alarm_slot = self.slot(ALARM)
        self._quiet = self.initial[self._alarm_slot]
        self._rows: dict[tuple[Address, Local], Value] = {}
        self._rows_seen: set[str] = set()
        self._judged: dict[tuple[str, tuple[Value, ...]], RestFinding | None] = {}

    # -- what the explorer asks -----------------------------------------------------------------

    def is_bad(self, world: World) -> bool:
        """Whether something that must never be is the case."""
        if world[self._alarm_slot] != self._quiet:
            return True
        return bool(self._always) and any(self._on_rows_of(world, i) for i in self._always)

    def is_bad_at_rest(self, world: World) -> bool:
        """Whether something that must hold at rest does not."""
        return bool(self.rest_findings(world))

    @property
    def needs_whole_traces(self) -> bool:
        """Whether an invariant reads the trace, so that equal worlds must not be merged."""
        return any(isinstance(each, TraceHolds) for each in self._on_rows)

    # -- findings -------------------------------------------------------------------------------

    def rest_findings(self, world: World) -> tuple[RestFinding, ...]:
        """What is wrong in a world at rest."""
        findings: list[RestFinding] = []
        for invariant in self._watching:
            marks = self.local(world, monitor_address(invariant.name))
            assert isinstance(marks, Marks)
            missing = judge_marks(invariant, marks)
            if missing is not None:
                findings.append(missing)
        for invariant in self._on_rows:
            found = self._on_rows_of(world, invariant)
            if found is not None:
                findings.append(found)
        if self._judges_stuck:
            claims = stuck_claims(self.locals_of(world))
            findings += [RestFinding(STUCK, claim) for claim in claims[:1]]
        return tuple(findings)

    def broken_in(self, world: World, *, is_resting: bool) -> tuple[str, ...]:
        """Names of the invariants that a bad world breaks; declared ones before built-in ones."""
        alarm = self.local(world, ALARM)
        assert isinstance(alarm, tuple)
        names = [entry[0] for entry in alarm]
        names += [each.name for each in self._always if self._on_rows_of(world, each)]
        if is_resting and not names:
            names += [finding.invariant for finding in self.rest_findings(world)]
        declared = [each.name for each in self.scenario.invariants]
        return tuple(sorted(set(names), key=lambda each: (each not in declared, each)))

    def claims(self, trace: Trace, *, is_resting: bool = True) -> tuple[Broken, ...]:
        """What a trace breaks, in words, with seqs."""
        alarm = self.local(trace.end, ALARM)
        assert isinstance(alarm, tuple)
        by_name: dict[str, Invariant] = {each.name: each for each in self._watching}
        broken = [broken_keys(by_name.get(name), name, key, trace) for name, key in alarm]
        for invariant in self._always:
            found = self._on_rows_of(trace.end, invariant)
            if found is not None:
                broken.append(self._broken_at_rest(found))
        if is_resting and not broken:
            broken += [self._broken_at_rest(each) for each in self.rest_findings(trace.end)]
            broken += self.trace_findings(trace)
        declared = [each.name for each in self.scenario.invariants]
        # A built-in invariant speaks only when no declared one does.
        spoken = [each for each in broken if each.invariant in declared] or broken
        return tuple(sorted(spoken, key=lambda each: each.invariant))

    def trace_findings(self, trace: Trace) -> list[Broken]:
        """Predicates over the trace that do not hold."""
        return [
            Broken(each.name, "the predicate does not hold for this trace", reason=None)
            for each in self._on_rows
            if isinstance(each, TraceHolds)
            and not judge_trace(self._functions, each.function, trace)
        ]

    def _broken_at_rest(self, finding: RestFinding) -> Broken:
        by_predicate = [each.name for each in self._on_rows if isinstance(each, RowsHold)]
        reason = None if finding.invariant in by_predicate else finding.claim
        return Broken(finding.invariant, finding.claim, reason)

    def vacuous(self) -> tuple[str, ...]:
        """Names of the declared invariants that matched nothing in anything seen so far."""
        idle: list[str] = []
        for invariant in self.scenario.invariants:
            if roles_of(invariant):
                seen = self.states_of(monitor_address(invariant.name))
                marks = (each for each in seen if isinstance(each, Marks))
                if not was_tested(invariant, marks):
                    idle.append(invariant.name)
            elif not isinstance(invariant, TraceHolds) and invariant.name not in self._rows_seen:
                idle.append(invariant.name)
        return tuple(idle)

    # -- what one process tells another ---------------------------------------------------------

    def remembered(self) -> Remembered:
        """What `vacuous` and the suspicions need to know."""
        monitors = [monitor_address(invariant.name) for invariant in self._watching]
        states = [(address, local) for address in monitors for local in self.states_of(address)]
        subjects = tuple(sorted(self._rows_seen))
        return replace(super().remembered(), states=tuple(states), subjects=subjects)

    def recall(self, remembered: Remembered) -> None:
        """Take over what another process remembers."""
        super().recall(remembered)
        self._rows_seen.update(remembered.subjects)

    # -- wiring ---------------------------------------------------------------------------------

    def _monitors(self) -> dict[Address, Component]:
        monitors: dict[Address, Component] = {ALARM: Alarm()}
        for invariant in self._watching:
            monitors[monitor_address(invariant.name)] = Monitor(invariant)
        if RepeatMonitor.name not in self.scenario.without:
            monitors[monitor_address(RepeatMonitor.name)] = RepeatMonitor()
        for name in ODDITIES:
            if name not in self.scenario.without:
                monitors[monitor_address(name)] = OddityMonitor(name)
        return monitors

    def _observers(self, seen: Seen, target: str, operation: str) -> tuple[Address, ...]:
        if seen is Seen.ODDITY:
            is_on = operation not in self.scenario.without
            return (monitor_address(operation),) if is_on else ()
        interested = [
            monitor_address(invariant.name)
            for invariant in self._watching
            if any(
                keyed.selector.seen is seen
                and keyed.selector.target == target
                and keyed.selector.operation in (None, operation)
                for keyed in roles_of(invariant)
            )
        ]
        if seen is Seen.FETCH and RepeatMonitor.name not in self.scenario.without:
            external = next(each for each in self.scenario.externals if each.name == target)
            if external.dedupe is not None:
                interested.append(monitor_address(RepeatMonitor.name))
        return tuple(interested)

    def _on_rows_of(self, world: World, invariant: Invariant) -> RestFinding | None:
        if not isinstance(invariant, Unique | SumEquals | RowsHold):
            return None
        rows = self._rows_of(world, invariant.rows)
        key = (invariant.name, tuple(rows))
        if key not in self._judged:
            finding, count = judge_rows(invariant, lambda _: rows, self._functions)
            if count:
                self._rows_seen.add(invariant.name)
            self._judged[key] = finding
        return self._judged[key]

    def _row(self, address: Address, local: Instance) -> Value:
        key = (address, local)
        if key not in self._rows:
            self._rows[key] = row_value(address[2], local)
        return self._rows[key]

    def _rows_of(self, world: World, rows: WorkflowRows) -> Sequence[Value]:
        return [
            self._row(address, local)
            for address, local in self.locals_of(world)
            if isinstance(local, Instance)
            and address[1] == rows.binding
            and not is_forgotten(local)
        ]


def _limits(bounds: Bounds) -> tuple[tuple[tuple[Fault, ...], str, int], ...]:
    """The limits of single kinds of faults and of single places, as the world wants them."""
    given = [("", name, most) for name, most in bounds.faults_max]
    return tuple((_kinds(name), place, most) for place, name, most in (*given, *bounds.faults_at))


def _kinds(name: str) -> tuple[Fault, ...]:
    if name == ANY_FAULT:
        return tuple(Fault)
    if name == "crash":
        return tuple(each for each in Fault if each.value.startswith("crash_"))
    return (Fault(name),)
