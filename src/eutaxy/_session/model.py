"""One scenario as a graph of worlds: the platform's pieces, the monitors, and what counts as
bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eutaxy._base.code import UserCode
from eutaxy._base.scenario import AtMostOncePerKey, Scenario, Unique, WorkflowRows
from eutaxy._base.value import Value
from eutaxy._check.monitors import ALARM, Alarm, AtMostOnceMonitor, monitor_address
from eutaxy._check.rest import RestFinding, check_unique
from eutaxy._explore.trace import Trace
from eutaxy._platform.assembly import Parts, Platform, platform_order
from eutaxy._platform.workflows.profile import Engine
from eutaxy._platform.workflows.state import Instance
from eutaxy._platform.workflows.status import row_value
from eutaxy._world.component import Address, Component, Local
from eutaxy._world.system import System, World

EPOCH_MS = 1_767_225_600_000
"""Virtual time zero: 2026-01-01T00:00:00Z."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken invariant with what happened."""

    invariant: str
    claim: str


class Model(System):
    """The graph of worlds of one scenario.

    Args:
        scenario: The declarations (with the driver events that are kept).
        code: The user's code.
        engine: The Workflows engine.
    """

    def __init__(self, scenario: Scenario, code: UserCode, engine: Engine) -> None:
        self._scenario = scenario
        self._watching = [i for i in scenario.invariants if isinstance(i, AtMostOncePerKey)]
        self._resting = [i for i in scenario.invariants if isinstance(i, Unique)]
        monitors: dict[Address, Component] = {ALARM: Alarm()}
        for invariant in self._watching:
            monitors[monitor_address(invariant.name)] = AtMostOnceMonitor(invariant)
        platform = Platform(
            Parts(
                scenario=scenario,
                code=code,
                observers=self._observers,
                monitors=monitors.__getitem__,
                engine=engine,
                epoch_ms=EPOCH_MS,
            )
        )
        super().__init__(
            platform.component_at,
            (*platform.initial(), *monitors),
            slots_max=scenario.bounds.max_concurrent,
            order=platform_order,
        )
        self._alarm_slot = self.slot(ALARM)
        self._quiet = self.initial[self._alarm_slot]
        self._rows: dict[tuple[Address, Local], Value] = {}
        self._rows_seen: set[str] = set()
        self._judged: dict[tuple[Value, ...], tuple[RestFinding, ...]] = {}

    def is_bad(self, world: World) -> bool:
        """Whether a watching invariant is broken."""
        return world[self._alarm_slot] != self._quiet

    def is_bad_at_rest(self, world: World) -> bool:
        """Whether a resting invariant is broken in a world at rest."""
        return bool(self._resting) and bool(self.rest_findings(world))

    def rest_findings(self, world: World) -> tuple[RestFinding, ...]:
        """What the resting invariants find in a world."""
        rows: list[Value] = []
        for address, local in self.locals_of(world):
            if isinstance(local, Instance):
                rows.append(self._row(address, local))
        key = tuple(rows)
        known = self._judged.get(key)
        if known is None:
            findings: list[RestFinding] = []
            for invariant in self._resting:
                finding, count = check_unique(invariant, lambda each: self._rows_of(world, each))
                if count:
                    self._rows_seen.add(invariant.name)
                if finding is not None:
                    findings.append(finding)
            known = tuple(findings)
            self._judged[key] = known
        return known

    def broken_in(self, world: World) -> tuple[str, ...]:
        """Names of the invariants that a bad world breaks, in the order of the scenario."""
        names: set[str] = set()
        alarm = self.local(world, ALARM)
        assert isinstance(alarm, tuple)
        names.update(entry[0] for entry in alarm)
        if not names:
            names.update(finding.invariant for finding in self.rest_findings(world))
        return tuple(i.name for i in self._scenario.invariants if i.name in names)

    def claims(self, trace: Trace) -> tuple[Broken, ...]:
        """What a trace breaks, in words, with seqs."""
        alarm = self.local(trace.end, ALARM)
        assert isinstance(alarm, tuple)
        broken: list[Broken] = []
        for name, key in alarm:
            seen = trace.matches[name, key]
            seqs = [str(seq) for seq, _ in seen]
            times = "twice" if len(seen) == 2 else f"{len(seen)} times"
            listed = f"{', '.join(seqs[:-1])} and {seqs[-1]}"
            broken.append(
                Broken(name, f"{seen[0][1]} happened {times} for key {key} (seq {listed})")
            )
        if not broken:
            broken += [Broken(f.invariant, f.claim) for f in self.rest_findings(trace.end)]
        order = [invariant.name for invariant in self._scenario.invariants]
        return tuple(sorted(broken, key=lambda each: order.index(each.invariant)))

    def vacuous(self) -> tuple[str, ...]:
        """Names of the invariants that matched nothing in anything seen so far."""
        idle: list[str] = []
        for invariant in self._scenario.invariants:
            if isinstance(invariant, AtMostOncePerKey):
                if self.states_of(monitor_address(invariant.name)) <= 1:
                    idle.append(invariant.name)
            elif invariant.name not in self._rows_seen:
                idle.append(invariant.name)
        return tuple(idle)

    def _observers(self, target: str, operation: str) -> tuple[Address, ...]:
        return tuple(
            monitor_address(invariant.name)
            for invariant in self._watching
            if target == f"Fetch:{invariant.selector.external}"
            and invariant.selector.method in (None, operation)
        )

    def _row(self, address: Address, local: Instance) -> Value:
        key = (address, local)
        if key not in self._rows:
            self._rows[key] = row_value(address[2], local)
        return self._rows[key]

    def _rows_of(self, world: World, rows: WorkflowRows) -> Sequence[Value]:
        return [
            self._row(address, local)
            for address, local in self.locals_of(world)
            if isinstance(local, Instance) and address[1] == rows.binding
        ]
