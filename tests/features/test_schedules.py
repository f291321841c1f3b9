"""Firings of schedules tell a planted program from its twin."""

from __future__ import annotations

from typing import Any

from eutaxy._base.record import RecordKind
from eutaxy._base.scenario import DriverEvent, FireSchedule
from eutaxy._base.value import encode
from eutaxy._base.verdict import VerdictKind
from eutaxy._explore.path import first_path
from eutaxy._explore.trace import Trace, trace_of
from eutaxy._session.epoch import EPOCH_MS
from eutaxy.testing import call, step
from tests.features.feature import (
    FLOW,
    ONCE,
    TARGET,
    Feature,
    answer,
    assert_told_apart,
    check,
    checker_of,
    http,
    post,
    scenario,
    timing,
    worker,
)

HOUR = 3_600_000
NIGHTLY = "0 3 * * *"
TWICE = "Fetch:bank POST happened twice for key 1767236400000 (seq 7 and 15)"


def firing(name: str = "cron-1", due_ms: int = 3 * HOUR) -> FireSchedule:
    """A firing of the nightly schedule."""
    return FireSchedule(
        name=name,
        binding=FLOW,
        cron=NIGHTLY,
        due_ms=due_ms,
        scheduled_ms=EPOCH_MS + due_ms,
        place=f"lab.sim.ts:{name}",
    )


def pays(*, has_key: bool) -> Any:
    """Pays for one night, and then deletes its own instance."""

    def flow(event: Any) -> Any:
        night, own = event["schedule"]["scheduledTime"], event["instanceId"]

        def pay(_: Any) -> Any:
            yield post(order=night, key=f"{night}" if has_key else "")

        def tidy(_: Any) -> Any:
            yield call(TARGET, "delete", id=own)

        yield step("pay", pay)
        yield step("tidy", tidy)

    return flow


def trace(*drive: DriverEvent) -> Trace:
    """The run without faults."""
    checker = checker_of(worker(answer, flow=pays(has_key=True)), scenario(*drive, faults=0))

    def work() -> Trace:
        model = checker.model()
        return trace_of(model, first_path(model, is_out_of_time=lambda: False))

    return checker.with_reads(work)


def test_f_cr_3_a_firing_comes_twice_after_its_instance_was_deleted() -> None:
    """R-CRON-1, F-CR-3: the id is free again, so the night is paid twice."""
    assert_told_apart(
        Feature(
            planted=worker(answer, flow=pays(has_key=False)),
            fixed=worker(answer, flow=pays(has_key=True)),
            scenario=scenario(firing(), invariants=(ONCE,), faults=0, redeliveries=1),
            invariant="once",
            witnesses=((("redelivery of cron-1",), TWICE),),
        )
    )


def test_f_cr_3_a_firing_that_comes_twice_creates_one_instance() -> None:
    """R-CRON-1, F-CR-3: as long as its instance is there, its id refuses the second."""

    def flow(event: Any) -> Any:
        def pay(_: Any) -> Any:
            yield post(order=event["instanceId"])

        yield step("pay", pay)

    given = scenario(firing(), invariants=(ONCE,), faults=0, redeliveries=2)
    verdict = check(worker(answer, flow=flow), given)
    assert (verdict.kind, verdict.violations) == (VerdictKind.BOUNDED, ())


def test_r_cron_1_a_firing_comes_at_its_time_and_events_after_it_count_from_there() -> None:
    drive = (http("req-1"), firing(), http("req-2"), firing("cron-2", 27 * HOUR))
    starts = [
        (each.activation, each.at_ms)
        for each in trace(*drive).records
        if each.kind is RecordKind.START and not each.activation.startswith("workflow:")
    ]
    assert starts == [
        ("req-1", 0),
        ("cron-1", 3 * HOUR),
        ("req-2", 3 * HOUR + 1_000),
        ("cron-2", 27 * HOUR),
    ]


def test_r_cron_1_a_firing_is_late_when_the_outside_is_not_that_far() -> None:
    drive = (
        http("req-1", at=timing(4 * HOUR)),
        firing(),
        firing("cron-2", 27 * HOUR),
    )
    starts = [
        (each.activation, each.at_ms)
        for each in trace(*drive).records
        if each.kind is RecordKind.START and each.activation.startswith("cron")
    ]
    assert starts == [("cron-1", 4 * HOUR), ("cron-2", 27 * HOUR)]


def test_r_cron_1_the_instance_is_named_after_the_firing() -> None:
    created = [each for each in trace(firing()).records if each.text.endswith(" scheduled")]
    (one,) = created
    assert (one.text, one.answer) == (
        "Workflow:FLOW scheduled",
        encode({"id": f"{NIGHTLY}-{EPOCH_MS + 3 * HOUR}"}),
    )
