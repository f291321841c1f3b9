"""Instances that have ended are forgotten when their retention is over (R-RUN-5)."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._base.fault import Fault
from tests.rules.conftest import Start
from tests.rules.play import Play, Rejected, request_for
from tests.rules.programs import Program

pytestmark = pytest.mark.host

HOUR = 3_600_000
DAY = 24 * HOUR
SHORT = {"successRetention": "1 hour", "errorRetention": 2 * HOUR}

Ends = Program(
    "Ends",
    ts="""
    if (event.payload === "bad") throw new Error("bad");
    if (event.payload === "slow") await step.sleep("nap", "3 hours");
    return event.payload;
    """,
    py="""
    if event["payload"] == "bad":
        raise ValueError("bad")
    if event["payload"] == "slow":
        await step.sleep("nap", "3 hours")
    return event["payload"]
    """,
)
Batched = Program(
    "Batched",
    ts="return 1;",
    py="return 1",
    ts_fetch="""
    const retention = { successRetention: "1 hour" };
    await env.Batched.createBatch([{ id: "listed", retention }, { id: "i" }]);
    await env.Batched.createBatch({ instances: [{ id: "entered", retention }] });
    const { created } = await env.Batched.createBatch({ count: 1, retention });
    return Response.json(created[0].id);
    """,
    py_fetch="""
    retention = {"successRetention": "1 hour"}
    await env.Batched.createBatch([{"id": "listed", "retention": retention}, {"id": "i"}])
    await env.Batched.createBatch({"instances": [{"id": "entered", "retention": retention}]})
    made = await env.Batched.createBatch({"count": 1, "retention": retention})
    return Response.json(made.created[0].id)
    """,
)


def ended(play: Start, params: str, retention: Any = SHORT, **more: Any) -> Play:
    run = play(Ends, creates=False, **more)
    return run.create(params, retention=retention).finish()


def is_there(run: Play, instance_id: str = "i") -> bool:
    try:
        run.call("get", None, instance_id)
    except Rejected as error:
        if error.message != "instance.not_found":
            raise
        return False
    return True


def test_r_run_5_an_instance_is_forgotten(play: Start) -> None:
    """R-RUN-5: an hour after it has completed; its id may be used again."""
    run = ended(play, "good").until(HOUR - 1)
    assert is_there(run)
    run.until(HOUR)
    assert not is_there(run)
    for operation in ("status", "restart", "delete", "subscribe"):
        with pytest.raises(Rejected, match="not_found"):
            run.call(operation)
    run.create("again").finish()
    assert (run.output, run.lifetimes) == ("again", 2)


def test_r_run_5_no_time_passes_for_that_alone(play: Start) -> None:
    run = ended(play, "good")
    assert run.now_ms == 0
    assert run.status == "complete"


@pytest.mark.parametrize("how", ["errored", "terminated"])
def test_r_run_5_other_ends_have_a_retention_of_their_own(play: Start, how: str) -> None:
    """R-RUN-5: what was terminated counts as failed."""
    run = play(Ends, creates=False).create(
        "slow" if how == "terminated" else "bad", retention=SHORT
    )
    run.until(0)
    if how == "terminated":
        run.call("terminate")
    assert run.status == how
    assert is_there(run.until(2 * HOUR - 1))
    assert not is_there(run.until(2 * HOUR))


def test_r_run_5_it_counts_from_the_end_and_anew_after_a_restart(play: Start) -> None:
    """R-RUN-5, R-LC-8."""
    run = ended(play, "slow")
    assert run.now_ms == 3 * HOUR
    run.until(3 * HOUR + HOUR // 2).call("restart")
    run.finish()
    assert run.now_ms == 6 * HOUR + HOUR // 2
    assert is_there(run.until(7 * HOUR))
    assert not is_there(run.until(7 * HOUR + HOUR // 2))


@pytest.mark.parametrize("retention", [None, {}, {"errorRetention": "1 hour"}])
def test_r_run_5_without_one_it_stays(play: Start, retention: Any) -> None:
    """R-RUN-5: the retention of the account is not counted down."""
    assert is_there(ended(play, "good", retention).until(60 * DAY))


@pytest.mark.parametrize(
    "retention", [{"successRetention": 0}, {"successRetention": "soon"}, {"days": 1}, "1 hour"]
)
def test_r_run_5_what_is_no_retention(play: Start, retention: Any) -> None:
    """R-RUN-5: nothing is created."""
    run = play(Ends, creates=False)
    with pytest.raises(Rejected, match="retention"):
        run.create(retention=retention)
    assert not is_there(run)


def test_r_run_5_in_batches(play: Start) -> None:
    """R-RUN-5, R-CR-8, R-CR-9: each form hands it on."""
    run = play(Batched, creates=False, requests=(request_for(Batched),)).finish()
    named = [run.answer, "listed", "entered"]
    assert all(is_there(run, each) for each in named)
    run.until(HOUR)
    assert not any(is_there(run, each) for each in named)
    assert is_there(run)


def test_r_run_5_but_not_locally(play: Start) -> None:
    """R-RUN-5: local engines ignore it."""
    assert is_there(ended(play, "good", profile="local-2026-11").until(60 * DAY))


def test_f_cr_8_the_fault_forgets_what_has_ended(play: Start) -> None:
    """F-CR-8: the id is free at once."""
    run = play(Ends, params="good", asked=(Fault.RETENTION_OVER,)).finish()
    run.choose("Forget", fate="retention_over")
    assert not is_there(run)
    run.create("again").finish()
    assert run.output == "again"
