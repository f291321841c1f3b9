"""Pause, resume, terminate, restart, delete, and rollback (sections 2.14, 2.15; K-36, K-58 ... K-70)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.fault import Fault
from eutaxy._base.record import RecordKind
from eutaxy._platform.workflows.profile import LOCAL_2026_11, Engine
from eutaxy.testing import Failed, sleep, step, wait
from tests.unit.platform.lab import (
    Outage,
    Ran,
    Strike,
    after,
    create,
    event,
    fails,
    gives,
    request,
    retries,
    run,
    scenario_of,
    send,
    status,
    write,
)

S = 1_000


def method(operation: str, options: Any = None) -> list[Any]:
    """A call of a method of instance a."""
    return send(operation, id="a", options={"$": "undefined"} if options is None else options)


def _abc(_: Any) -> Any:
    yield step("a", gives("a"))
    yield step("b", after(600, "b"))
    yield step("c", gives("c"))
    return "done"


def _at(*moments: tuple[int, list[Any]]) -> Any:
    return scenario_of(request(create()), *(request(call, status(), at=at) for at, call in moments))


def _statuses(ran: Ran) -> list[str]:
    names = [f"req-{number}" for number in range(2, 9)]
    made = [name for name in names if any(each.activation == name for each in ran.records)]
    return [ran.answers(name)[-1]["status"] for name in made]


# -- pause and resume -------------------------------------------------------------------------


def test_k_36_a_pause_moves_a_sleep_by_its_length() -> None:
    """R-LC-2, R-LC-4, F-SL-8."""

    def flow(_: Any) -> Any:
        yield sleep("nap", "10 seconds")

    ran = run(flow, _at((4 * S, method("pause")), (104 * S, method("resume"))))
    assert ran.end_ms == 110 * S
    assert _statuses(ran)[0] == "paused"


def test_k_58_a_running_attempt_finishes_before_the_pause_takes_effect() -> None:
    """R-LC-2, R-LC-3, F-DO-20."""
    scenario = scenario_of(
        request(create()),
        request(method("pause"), status(), at=200),
        request(status(), at=700),
        request(method("resume"), status(), at=2_000),
    )
    ran = run(_abc, scenario)
    assert _statuses(ran)[:2] == ["waitingForPause", "paused"]
    assert (ran.calls("a"), ran.calls("b"), ran.calls("c")) == ([0], [0], [2_000])
    assert ran.output == "done"
    assert ran.lifetimes == [0, 2_000]


def test_k_59_a_pause_may_be_called_off() -> None:
    ran = run(_abc, _at((200, method("pause")), (300, method("resume"))))
    assert _statuses(ran) == ["waitingForPause", "running"]
    assert ran.lifetimes == [0]
    assert ran.end_ms == 600


def test_r_lc_1_pausing_what_does_not_run_does_nothing() -> None:
    def flow(_: Any) -> Any:
        yield from ()

    ran = run(flow, _at((1_000, method("pause")), (2_000, method("resume"))))
    assert _statuses(ran) == ["complete", "complete"]


def test_f_ev_10_an_event_to_a_paused_instance_is_buffered() -> None:
    """R-EV-7."""

    def flow(_: Any) -> Any:
        return (yield wait("w", type="t"))["payload"]

    scenario = _at((1_000, method("pause")), (2_000, event("A")), (3_000, method("resume")))
    ran = run(flow, scenario)
    assert (ran.output, ran.end_ms) == ("A", 3_000)


def test_r_lc_5_a_step_that_a_pause_interrupts_has_not_failed() -> None:
    """Where `run` sees the pause, and throws it on, a step that then succeeds has changed no mind."""

    def flow(_: Any) -> Any:
        return (yield step("a", gives("a")))

    scenario = _at((5 * S, method("pause")), (20 * S, method("resume")))
    waits = Strike(fault=Fault.STORE_FAILED, effect="step_result")
    ran = run(
        flow, scenario, waits, engine=Engine(profile=replace(LOCAL_2026_11, retry_delay_ms=9_000))
    )
    assert _statuses(ran)[0] == "paused"
    assert (ran.lifetimes, ran.output) == ([0, 20 * S], "a")
    assert ran.model.claims(ran.trace) == ()


def test_f_lc_5_a_crash_while_a_pause_is_pending_leaves_it_paused() -> None:
    scenario = _at((200, method("pause")), (5_000, method("resume")))
    ran = run(_abc, scenario, Outage(at_ms=400, until_ms=900))
    assert ran.numbers("b") == [(1, 1), (1, 2)]
    assert ran.calls("b") == [0, 5_000]
    assert ran.output == "done"


# -- terminate, restart, delete ---------------------------------------------------------------


def test_k_60_terminate_ends_it_and_only_once() -> None:
    """R-LC-6, F-LC-2."""
    ran = run(_abc, _at((200, method("terminate")), (300, method("terminate"))))
    assert _statuses(ran) == ["terminated", "terminated"]
    assert "instance.cannot_terminate" in ran.answers("req-3")[0]["failed"]
    assert ran.calls("c") == []
    assert "output" not in ran.status()


@pytest.mark.parametrize("operation", ["pause", "resume", "terminate", "restart", "delete"])
def test_methods_of_an_instance_that_has_not_begun(operation: str) -> None:
    """2.14: what it becomes, and that it can be told in a trace."""
    ran = run(_abc, scenario_of(request(create(), method(operation))))
    ends = [each.activation for each in ran.records if each.text == "terminated"]
    assert ends == (["workflow:FLOW:a"] if operation == "terminate" else [])
    begun = operation not in {"terminate", "delete"}
    assert ran.calls("a") == ([0] if begun else [])


def test_k_61_restart_runs_everything_again() -> None:
    """R-LC-8."""

    def flow(given: Any) -> Any:
        first = yield step("s", after(0, "s", given["payload"]))
        return first

    scenario = scenario_of(request(create(params=7)), request(method("restart"), at=5_000))
    ran = run(flow, scenario)
    assert [at for at, _ in ran.writes] == [0, 5_000]
    assert ran.output == 7


def test_k_62_restart_from_a_step_keeps_what_was_before_it() -> None:
    """R-LC-9."""
    origin = {"from": {"name": "b"}}
    ran = run(_abc, _at((5_000, method("restart", origin))))
    assert ran.calls("a") == [0]
    assert ran.calls("b") == [0, 5_000]
    assert ran.calls("c") == [600, 5_600]


def test_k_62_restart_from_an_unknown_step_is_refused() -> None:
    ran = run(_abc, _at((5_000, method("restart", {"from": {"name": "x"}}))))
    assert "instance.cannot_restart" in ran.answers("req-2")[0]["failed"]
    assert _statuses(ran) == ["complete"]
    assert ran.calls("b") == [0]


def test_k_63_a_restart_forgets_buffered_events() -> None:
    """F-EV-12."""

    def flow(_: Any) -> Any:
        yield sleep("nap", "2 seconds")
        try:
            return (yield wait("w", type="t", timeout="1 second"))["payload"]
        except Failed as failed:
            return failed.name

    ran = run(flow, _at((500, event("A")), (1_000, method("restart"))))
    assert ran.output == "WorkflowTimeoutError"
    assert ran.end_ms == 4_000


def test_r_lc_11_delete_frees_the_id() -> None:
    scenario = scenario_of(
        request(create(params=1)),
        request(method("delete"), status(), create(params=2), at=5_000),
    )

    def flow(given: Any) -> Any:
        yield from ()
        return given["payload"]

    ran = run(flow, scenario)
    assert ran.answers("req-2")[1:] == [{"failed": "Error: instance.not_found"}, {"id": "a"}]
    assert ran.output == 2


@pytest.mark.parametrize("operation", ["pause", "resume", "terminate", "restart", "delete"])
def test_methods_of_an_unknown_instance_are_refused(operation: str) -> None:
    def flow(_: Any) -> Any:
        yield from ()

    ran = run(flow, scenario_of(request(method(operation))))
    assert ran.answers() == [{"failed": "Error: instance.not_found"}]


# -- rollback ---------------------------------------------------------------------------------


def undoing(name: str) -> Any:
    """A rollback handler that leaves a mark, with the output that it was given."""

    def handler(given: Any) -> Any:
        output = given["output"]
        shown = "nothing" if output == {"$": "undefined"} else output
        yield write(f"undo {name} {shown} {given['error']['message']}")

    return handler


def saga(third: Any, *, handlers: dict[str, Any] | None = None) -> Any:
    """Steps s1 and s2 succeed; what s3 does is given. All can be undone."""
    undo = {name: undoing(name) for name in ("s1", "s2", "s3")} | (handlers or {})

    def flow(_: Any) -> Any:
        for name in ("s1", "s2"):
            yield step(name, gives(name), rollback=undo[name], rollback_config=retries(0, 0))
        yield from third(undo["s3"])
        return "forward"

    return flow


def _s3_fails(undo: Any) -> Any:
    yield step("s3", fails("three"), retries(0, 0), rollback=undo)


def marks(ran: Ran) -> list[str]:
    return [mark for _, mark in ran.writes]


ALL_UNDONE = ["undo s3 nothing three", "undo s2 s2 three", "undo s1 s1 three"]


def test_k_64_steps_are_undone_in_reverse_order_of_their_starts() -> None:
    """R-RB-1 ... R-RB-4."""
    ran = run(saga(_s3_fails))
    assert marks(ran) == ALL_UNDONE
    assert ran.error["message"] == "three"
    assert ran.status()["rollback"] == {"outcome": "complete", "error": None}


def test_k_65_a_handler_that_fails_stops_the_chain() -> None:
    """R-RB-6, F-RB-4."""
    ran = run(saga(_s3_fails, handlers={"s2": fails("stuck")}))
    assert marks(ran) == ["undo s3 nothing three"]
    assert ran.error["message"] == "three"
    assert ran.status()["rollback"]["outcome"] == "failed"


def test_k_66_a_caught_error_is_undone_too_when_run_throws_later() -> None:
    def third(undo: Any) -> Any:
        try:
            yield step("s3", fails("three"), retries(0, 0), rollback=undo)
        except Failed:
            raise Failed("Error", "top") from None

    ran = run(saga(third))
    assert marks(ran) == ["undo s3 nothing top", "undo s2 s2 top", "undo s1 s1 top"]


def test_k_67_a_caught_error_alone_undoes_nothing() -> None:
    """R-RB-2."""

    def third(undo: Any) -> Any:
        try:
            yield step("s3", fails("three"), retries(0, 0), rollback=undo)
        except Failed:
            return

    ran = run(saga(third))
    assert (ran.output, marks(ran)) == ("forward", [])


def test_k_68_an_interrupted_handler_runs_again_and_finished_ones_do_not() -> None:
    """R-RB-7, F-RB-2."""
    strike = Strike(fault=Fault.CRASH_AFTER, effect="Fetch:log POST", nth=3)
    ran = run(saga(_s3_fails), None, strike)
    assert marks(ran) == [*ALL_UNDONE, ALL_UNDONE[-1]]
    assert ran.status()["status"] == "errored"


def test_k_69_after_a_partial_rollback_a_replay_may_go_forward() -> None:
    """R-RB-9, F-RB-5: a hazard, kept on purpose."""

    def third(undo: Any) -> Any:
        def callback(context: Any) -> Any:
            if context["attempt"] == 1:
                raise Failed("NonRetryableError", "three")
            return "at last"

        yield step("s3", callback, rollback=undo)

    strike = Strike(fault=Fault.CRASH_AFTER, effect="Fetch:log POST", nth=3)
    ran = run(saga(third), None, strike)
    assert ran.output == "forward"
    assert "undo s2 s2 three" in marks(ran)


def test_k_70_terminating_with_rollback_undoes_what_was_done() -> None:
    """R-LC-7."""

    def third(undo: Any) -> Any:
        yield sleep("nap", "1 hour")

    ran = run(saga(third), _at((5_000, method("terminate", {"rollback": True}))))
    assert [mark.split(" ")[1] for mark in marks(ran)] == ["s2", "s1"]
    assert ran.status()["status"] == "terminated"
    ends = [each.text for each in ran.records if each.kind is RecordKind.END]
    assert ends.count("terminated") == 1
