"""Instances that a schedule creates: what they are told, and what may be done with them."""

from __future__ import annotations

import pytest

from eutaxy._base.value import Plain
from tests.rules.conftest import Start
from tests.rules.play import Play, Rejected
from tests.rules.programs import Program

pytestmark = pytest.mark.host

FIRED: dict[str, Plain] = {"schedule": {"cron": "0 3 * * *", "scheduledTime": 1_767_236_400_000}}
ID = "0 3 * * *-1767236400000"

Nightly = Program(
    "Nightly",
    ts="""
    return [event.schedule ?? null, event.instanceId, event.payload];
    """,
    py="""
    told = event.get("schedule")
    schedule = told and {"cron": told["cron"], "scheduledTime": told["scheduledTime"]}
    return [schedule, event["instanceId"], event["payload"]]
    """,
)


def fired(play: Start) -> Play:
    run = play(Nightly, creates=False)
    assert run.call("scheduled", FIRED, ID) == {"id": ID}
    return run.finish()


def test_r_cron_1_the_event_tells_of_the_schedule(play: Start) -> None:
    """R-CRON-1: expression and time; the payload is empty."""
    run = fired(play)
    assert run.output_in(run.world, ID) == [FIRED["schedule"], ID, {}]


def test_r_cron_1_only_such_an_instance_has_a_schedule(play: Start) -> None:
    assert play(Nightly).finish().output == [None, "i", {}]


def test_r_cron_1_a_second_firing_finds_the_instance(play: Start) -> None:
    """R-CRON-1, F-CR-3: its id is the same, so nothing is created or begun again."""
    run = fired(play)
    with pytest.raises(Rejected, match=r"instance\.already_exists"):
        run.call("scheduled", FIRED, ID)
    assert run.finish().lifetimes == 1


def test_r_cron_1_the_instance_can_be_addressed(play: Start) -> None:
    """R-CRON-1, R-LC-8: its id is none that a caller may choose, but handles of it work; restarted,
    it is told the same."""
    run = fired(play)
    with pytest.raises(Rejected, match="invalid id"):
        run.call("create", {"id": ID})
    assert run.call("get", None, ID) == {"id": ID}
    run.call("restart", None, ID)
    run.finish()
    assert run.lifetimes == 2
    assert run.output_in(run.world, ID) == [FIRED["schedule"], ID, {}]
    run.call("delete", None, ID)
    with pytest.raises(Rejected, match="not_found"):
        run.call("get", None, ID)
