"""Ending a search early: what is said then is what was covered, at whatever moment."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from eutaxy._base.verdict import Level, Verdict, VerdictKind
from eutaxy._session.watch import Progress, Watch
from eutaxy.testing import Failed
from tests.planted.checking import Programs, check, replay
from tests.unit.platform.lab import request, scenario_of, write


def again(_: Any) -> Any:
    """Writes twice when the answer to the first of some writes is lost."""
    try:
        yield write("x")
    except Failed:
        yield write("x")
    for number in range(40):
        yield write(f"w{number}", once=True)
    return {"status": 200, "headers": {}, "body": ""}


AGAIN: Programs = {"fetch": again}
SCENARIO = scenario_of(request(), faults=1)


def stopped_at(look: int) -> tuple[Verdict, int]:
    """Check, stopping at the look of that number; with how many looks there were."""
    seen: list[Progress] = []

    def show(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == look:
            watch.stop()

    watch = Watch(show)
    return check(AGAIN, SCENARIO, watch=watch), len(seen)


def test_progress_rises_from_level_to_level() -> None:
    seen: list[Progress] = []
    check(AGAIN, SCENARIO, watch=Watch(seen.append))
    levels = [each.level for each in seen]
    assert [level for level, _ in groupby(levels)] == [
        Level(faults=0, redeliveries=0),
        Level(faults=1, redeliveries=0),
    ]
    worlds = [each.worlds for each in seen]
    assert worlds == sorted(worlds)
    assert worlds[0] == 1
    assert all(each.left_ms > 0 for each in seen)


def test_stopped_at_any_moment_no_more_is_said_than_was_covered() -> None:
    whole, looks = stopped_at(0)
    assert whole.kind is VerdictKind.VIOLATED
    kinds: list[VerdictKind] = []
    for look in range(1, looks + 1):
        verdict, _ = stopped_at(look)
        kinds.append(verdict.kind)
        complete = verdict.coverage.complete
        assert not verdict.coverage.is_whole
        assert verdict.coverage.worlds <= whole.coverage.worlds
        match verdict.kind:
            case VerdictKind.INCONCLUSIVE:
                assert complete is None
                reason = (
                    "the check was interrupted before the schedules without faults were covered"
                )
                assert verdict.reasons == (reason,)
            case VerdictKind.BOUNDED:
                assert complete == Level(faults=0, redeliveries=0)
                assert verdict.coverage.schedules == whole.coverage.schedules[:1]
                reason = "the check was interrupted, so its budget was not used up"
                assert verdict.reasons == (reason,)
            case VerdictKind.VIOLATED:
                (violation,) = verdict.violations
                assert replay(AGAIN, SCENARIO, violation.token).claims == (violation.claim,)
            case VerdictKind.UNFAITHFUL:
                raise AssertionError
    assert [kind for kind, _ in groupby(kinds)] == [
        VerdictKind.INCONCLUSIVE,
        VerdictKind.BOUNDED,
        VerdictKind.VIOLATED,
    ]
