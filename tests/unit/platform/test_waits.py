"""Sleeps, events and suspension (spec sections 2.7, 2.8, 2.12; K-31 ... K-45)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.fault import Fault
from eutaxy._base.record import RecordKind
from eutaxy._platform.workflows.profile import LOCAL_2026_11, PROD, Engine
from eutaxy._session.epoch import EPOCH_MS
from eutaxy.testing import Failed, race, sleep, sleep_until, step, together, wait
from tests.unit.platform.lab import (
    Outage,
    Strike,
    create,
    event,
    gives,
    request,
    run,
    scenario_of,
    status,
    write,
)

S = 1_000
HOUR = 3_600 * S


def payloads(*names: str, kind: str = "t", timeout: Any = None) -> Any:
    """A Workflow that waits for events one after the other; what came, or the name of the error."""

    def flow(_: Any) -> Any:
        seen: list[Any] = []
        for name in names:
            try:
                seen += [(yield wait(name, type=kind, timeout=timeout))["payload"]]
            except Failed as failed:
                seen += [failed.name]
        return seen

    return flow


# -- sleeps -----------------------------------------------------------------------------------


def _k_31(_: Any) -> Any:
    yield write("outside")
    yield step("a", gives(1))
    yield sleep("long", "1 hour")
    yield step("b", gives(2))
    return "ok"


def test_k_31_a_long_sleep_ends_the_lifetime() -> None:
    """R-HIB-1, R-RUN-3, R-SL-1, F-RUN-1: two lifetimes, and `waiting` meanwhile (DIFF-17)."""
    ran = run(_k_31, scenario_of(request(create()), request(status(), at=1800 * S)))
    assert (ran.output, ran.end_ms) == ("ok", HOUR)
    assert ran.lifetimes == [0, HOUR]
    assert ran.writes == [(0, "outside"), (HOUR, "outside")]
    assert (ran.calls("a"), ran.calls("b")) == ([0], [HOUR])
    assert ran.answers("req-2")[0]["status"] == "waiting"


def test_k_31_the_local_engine_does_not_hibernate() -> None:
    """DIFF-06: one lifetime, `running` meanwhile, and the code outside runs once."""
    scenario = scenario_of(request(create()), request(status(), at=1800 * S))
    ran = run(_k_31, scenario, engine=Engine(profile=LOCAL_2026_11))
    assert ran.end_ms == HOUR
    assert ran.lifetimes == [0]
    assert ran.writes == [(0, "outside")]
    assert ran.answers("req-2")[0]["status"] == "running"


@pytest.mark.parametrize(
    ("duration", "lifetimes"), [("300 seconds", 2), (300_000, 2), (299_999, 1), ("4 minutes", 1)]
)
def test_r_hib_1_waits_of_five_minutes_end_the_lifetime(duration: Any, lifetimes: int) -> None:
    """R-HIB-4."""

    def flow(_: Any) -> Any:
        yield sleep("some time", duration)

    assert len(run(flow).lifetimes) == lifetimes


def test_r_hib_1_a_short_wait_beside_a_long_one_keeps_the_lifetime_until_it_is_over() -> None:
    def flow(_: Any) -> Any:
        yield together(sleep("long", "1 hour"), sleep("short", "10 seconds"))

    ran = run(flow)
    assert ran.lifetimes == [0, HOUR]
    suspended = [each.at_ms for each in ran.records if each.kind is RecordKind.SUSPENDED]
    assert suspended == [10 * S]


@pytest.mark.parametrize("duration", [0, -5, "-1 second", ""])
def test_a_sleep_of_nothing_returns_at_once(duration: Any) -> None:
    """Section 1.5."""

    def flow(_: Any) -> Any:
        yield sleep("none", duration)
        return "ok"

    ran = run(flow)
    assert (ran.output, ran.now_ms) == ("ok", 0)


@pytest.mark.parametrize("duration", ["soon", "5minutes", True, {"$": "number", "of": "NaN"}])
def test_an_invalid_duration_is_an_error_that_can_be_caught(duration: Any) -> None:
    def flow(_: Any) -> Any:
        try:
            yield sleep("bad", duration)
        except Failed as failed:
            return failed.name

    assert run(flow).output == "Error"


def test_a_sleep_without_duration_is_a_type_error() -> None:
    def flow(_: Any) -> Any:
        try:
            yield sleep("bad", {"$": "undefined"})
        except Failed as failed:
            return failed.name

    assert run(flow).output == "TypeError"


def test_a_sleep_longer_than_a_year_is_refused() -> None:
    """R-SL-3."""

    def flow(_: Any) -> Any:
        try:
            yield sleep("bad", "366 days")
        except Failed:
            yield sleep("good", "365 days")
            return "ok"

    assert run(flow).end_ms == 365 * 24 * HOUR


def test_k_32_sleeping_until_the_past_is_an_error() -> None:
    """R-SL-4."""

    def flow(_: Any) -> Any:
        try:
            yield sleep_until("past", EPOCH_MS - 1 * S)
        except Failed as failed:
            return failed.name

    ran = run(flow)
    assert (ran.output, ran.end_ms) == ("Error", 0)


@pytest.mark.parametrize("until", [EPOCH_MS, {"$": "date", "of": EPOCH_MS}])
def test_r_sl_4_sleeping_until_now_returns_at_once(until: Any) -> None:
    def flow(_: Any) -> Any:
        yield sleep_until("now", until)
        return "ok"

    assert run(flow).end_ms == 0


@pytest.mark.parametrize("until", ["2026-01-01", {"$": "date", "of": None}, None])
def test_sleeping_until_no_time_is_an_error(until: Any) -> None:
    def flow(_: Any) -> Any:
        try:
            yield sleep_until("bad", until)
        except Failed as failed:
            return failed.name

    assert run(flow).output == "Error"


def test_k_33_sleep_until_survives_replay() -> None:
    """R-SL-5 (prod): the absolute time is kept, a replay returns."""

    def flow(_: Any) -> Any:
        yield sleep_until("first", EPOCH_MS + 400 * S)
        yield sleep("second", "400 seconds")
        return "ok"

    ran = run(flow)
    assert (ran.output, ran.end_ms) == ("ok", 800 * S)
    assert ran.lifetimes == [0, 400 * S, 800 * S]


def test_k_33_in_the_local_engine_it_throws_after_a_crash() -> None:
    def flow(_: Any) -> Any:
        yield sleep_until("first", EPOCH_MS + 400 * S)
        yield sleep("second", "400 seconds")

    engine = Engine(profile=replace(LOCAL_2026_11, engine_wakes=True))
    ran = run(flow, None, Outage(at_ms=500 * S, until_ms=501 * S), engine=engine)
    assert "past" in ran.error["message"]


@pytest.mark.parametrize(("until_ms", "woken"), [(60 * S, 100 * S), (130 * S, 130 * S)])
def test_k_34_k_35_a_sleep_is_an_absolute_deadline(until_ms: int, woken: int) -> None:
    """R-SL-2, F-SL-2, F-SL-3."""

    def flow(_: Any) -> Any:
        yield sleep("some time", "100 seconds")
        yield write("woken")

    ran = run(flow, None, Outage(at_ms=40 * S, until_ms=until_ms))
    assert ran.writes == [(woken, "woken")]
    assert ran.lifetimes == [0, until_ms]


def test_f_sl_4_a_sleep_that_is_over_stays_over() -> None:
    def flow(_: Any) -> Any:
        yield sleep("some time", "100 seconds")
        yield step("s", gives(1))

    ran = run(flow, None, Strike(fault=Fault.CRASH_BEFORE, effect="step_start"))
    assert ran.calls("s") == [101 * S]
    assert "sleep some time replayed" in ran.texts()


def test_r_id_2_sleeps_of_one_name_are_told_apart_by_their_count() -> None:
    def flow(_: Any) -> Any:
        for _unused in range(3):
            yield sleep("nap", "400 seconds")

    ran = run(flow)
    assert ran.end_ms == 1200 * S
    assert len(ran.lifetimes) == 4


def test_r_id_4_kinds_have_keys_of_their_own() -> None:
    def flow(_: Any) -> Any:
        done = yield step("x", gives("step"))
        yield sleep("x", "10 minutes")
        came = yield wait("x", type="t")
        return [done, came["payload"]]

    ran = run(flow, scenario_of(request(create()), request(event("A"), at=900 * S)))
    assert ran.output == ["step", "A"]


# -- events -----------------------------------------------------------------------------------


def test_k_37_an_event_waits_for_its_wait() -> None:
    """R-EV-2."""

    def flow(_: Any) -> Any:
        yield sleep("a while", "10 seconds")
        return (yield wait("w", type="t"))["payload"]

    ran = run(flow, scenario_of(request(create()), request(event("A"), at=1 * S)))
    assert (ran.output, ran.end_ms) == ("A", 10 * S)


def test_an_event_is_what_was_sent_and_when_it_was_received() -> None:
    """R-EV-1, R-EV-4."""

    def flow(_: Any) -> Any:
        return (yield wait("w", type="t"))

    sent = request(event({"deep": [1, None]}), at=90 * S)
    ran = run(flow, scenario_of(request(create()), sent))
    assert ran.output["payload"] == {"deep": [1, None]}
    assert ran.output["type"] == "t"
    assert ran.output["timestamp"]["$"] == "date"


def test_k_38_events_are_taken_in_order_of_arrival_until_none_is_left() -> None:
    """R-EV-2, R-EV-5."""
    flow = payloads("one", "two", "three", timeout=1000)
    ran = run(flow, scenario_of(request(create(), event("A"), event("B"))))
    assert ran.output == ["A", "B", "WorkflowTimeoutError"]
    assert ran.end_ms == 1 * S


def test_k_39_parallel_waits_take_events_in_the_order_of_their_calls() -> None:
    """R-EV-3."""

    def flow(_: Any) -> Any:
        both = yield together(wait("first", type="t"), wait("second", type="t"))
        return [each["payload"] for each in both]

    ran = run(flow, scenario_of(request(create()), request(event("A")), request(event("B"))))
    assert ran.output == ["A", "B"]


def test_events_of_other_types_are_left_alone() -> None:
    """R-EV-2."""
    scenario = scenario_of(request(create(), event("other", kind="u"), event("mine")))
    ran = run(payloads("w"), scenario)
    assert ran.output == ["mine"]


def test_k_40_the_default_timeout_is_a_day() -> None:
    """R-EV-5."""

    def flow(_: Any) -> Any:
        yield wait("w", type="t")

    ran = run(flow)
    assert ran.error == {
        "name": "WorkflowTimeoutError",
        "message": "Execution timed out after 86400000ms",
    }
    assert ran.end_ms == 86_400 * S


@pytest.mark.parametrize(("timeout", "ends"), [(0, 86_400 * S), ("0 seconds", 0), (-1, 0)])
def test_odd_timeouts(timeout: Any, ends: int) -> None:
    """Section 1.5: 0 is falsy, so it is the default; a negative one is over at once."""
    ran = run(payloads("w", timeout=timeout))
    assert ran.output == ["WorkflowTimeoutError"]
    assert ran.end_ms == ends


def test_k_41_a_late_event_goes_to_the_next_wait() -> None:
    """R-EV-5, F-EV-8."""

    def flow(_: Any) -> Any:
        seen: list[Any] = []
        for name, timeout in (("one", "1 second"), ("two", "5 seconds")):
            try:
                seen += [(yield wait(name, type="t", timeout=timeout))["payload"]]
            except Failed as failed:
                seen += [failed.name]
        return seen

    ran = run(flow, scenario_of(request(create()), request(event("A"), at=1500)))
    assert ran.output == ["WorkflowTimeoutError", "A"]
    assert ran.end_ms == 1500


def test_r_ev_5_a_timeout_is_cached() -> None:
    """The event that nobody waits for starts the engine, too (4.1)."""

    def flow(_: Any) -> Any:
        caught = ""
        try:
            yield wait("w", type="t", timeout=1000)
        except Failed as failed:
            caught = failed.name
        yield sleep("long", "1 hour")
        return caught

    ran = run(flow, scenario_of(request(create()), request(event("late"), at=60 * S)))
    assert ran.output == "WorkflowTimeoutError"
    assert ran.lifetimes == [0, 60 * S, 3_601 * S]
    assert "timeout w replayed" in ran.texts()


def test_k_42_a_retried_event_is_a_second_event() -> None:
    """F-EV-3."""
    ran = run(
        payloads("one", "two"),
        scenario_of(request(create()), request(event("A"), event("A"))),
        Strike(fault=Fault.ANSWER_LOST, effect="sendEvent"),
    )
    assert ran.output == ["A", "A"]
    assert ran.answers("req-2")[0] == {"failed": "Error: Network connection lost."}


def _k_43(_: Any) -> Any:
    first = yield wait("one", type="t")
    yield step("between", gives(None))
    try:
        second = yield wait("two", type="t", timeout="5 seconds")
    except Failed as failed:
        return [first["payload"], failed.name]
    return [first["payload"], second["payload"]]


def test_k_43_a_consumed_event_is_gone() -> None:
    """R-EV-10 (prod)."""
    scenario = scenario_of(request(create()), request(event("A")))
    ran = run(_k_43, scenario, Strike(fault=Fault.CRASH_AFTER, effect="step_start"))
    assert ran.output == ["A", "WorkflowTimeoutError"]


@pytest.mark.parametrize(
    ("sent_at", "output"), [(5 * S, ["A"]), (15 * S, ["WorkflowTimeoutError"])]
)
def test_k_44_while_the_engine_is_down_the_deadline_decides(
    sent_at: int, output: list[str]
) -> None:
    """R-EV-6, F-EV-4, F-EV-7: an event wins if it was stored before the deadline."""
    scenario = scenario_of(request(create()), request(event("A"), at=sent_at))
    ran = run(
        payloads("w", timeout="10 seconds"),
        scenario,
        Outage(at_ms=4 * S, until_ms=20 * S),
    )
    assert ran.output == output
    # The event ends the downtime at once (4.1).
    assert ran.lifetimes == [0, sent_at]


def test_r_ev_6_at_the_very_deadline_both_orders_are_possible() -> None:
    """F-EV-7, 4.4: and never both; a losing event stays for the next wait."""

    def flow(_: Any) -> Any:
        seen: list[Any] = []
        for name in ("one", "two"):
            try:
                seen += [(yield wait(name, type="t", timeout="10 seconds"))["payload"]]
            except Failed as failed:
                seen += [failed.name]
        return seen

    scenario = scenario_of(request(create()), request(event("A"), at=10 * S))
    wins = run(flow, scenario, prefer="Deliver")
    loses = run(flow, scenario, prefer="WakeWait")
    assert wins.output == ["A", "WorkflowTimeoutError"]
    assert loses.output == ["WorkflowTimeoutError", "A"]


def test_r_ev_6_at_the_very_deadline_of_a_suspended_wait_too() -> None:
    scenario = scenario_of(request(create()), request(event("A"), at=600 * S))
    flow = payloads("w", timeout="10 minutes")
    assert run(flow, scenario, prefer="Deliver").output == ["A"]
    assert run(flow, scenario, prefer="Start()").output == ["WorkflowTimeoutError"]


def test_f_ev_5_an_event_handed_over_is_delivered_again_to_the_same_wait() -> None:
    def flow(_: Any) -> Any:
        came = yield wait("w", type="t")
        yield step("s", gives(None))
        return came["payload"]

    scenario = scenario_of(request(create()), request(event("A")))
    ran = run(flow, scenario, Strike(fault=Fault.CRASH_BEFORE, effect="step_start"))
    assert ran.output == "A"
    assert "event w replayed" in ran.texts()


def test_k_45_an_event_to_an_ended_instance_is_refused() -> None:
    """R-EV-8, DIFF-08, F-EV-11."""
    scenario = scenario_of(request(create()), request(event("A")))

    def flow(_: Any) -> Any:
        yield from ()
        return "over"

    refused = run(flow, scenario).answers("req-2")[0]
    assert refused["failed"].startswith("WorkflowError: (instance.")
    local = run(flow, scenario, engine=Engine(profile=LOCAL_2026_11))
    assert local.answers("req-2") == [{"$": "undefined"}]


def test_f_ev_1_an_event_to_an_instance_that_does_not_exist_is_lost() -> None:
    ran = run(payloads("w", timeout=1000), scenario_of(request(event("A"), create())))
    assert ran.answers()[0] == {"failed": "Error: instance.not_found"}
    assert ran.output == ["WorkflowTimeoutError"]


def test_f_ev_2_a_lost_event_stores_nothing() -> None:
    ran = run(
        payloads("w", timeout=1000),
        scenario_of(request(create(), event("A"))),
        Strike(fault=Fault.REQUEST_LOST, effect="sendEvent"),
    )
    assert ran.answers()[1] == {"failed": "Error: Network connection lost."}
    assert ran.output == ["WorkflowTimeoutError"]


@pytest.mark.parametrize("kind", ["", "-a", "a b", "x" * 101])
def test_event_types_are_checked_on_both_sides(kind: str) -> None:
    """DIFF-12."""

    def flow(_: Any) -> Any:
        try:
            yield wait("w", type=kind)
        except Failed as failed:
            return failed.name

    ran = run(flow, scenario_of(request(create(), event("A", kind=kind))))
    assert ran.output == "WorkflowFatalError"
    assert ran.answers()[1]["failed"] == "Error: Invalid event type"


def test_an_event_swallowed_by_the_loser_of_a_race_is_gone() -> None:
    """R-EV-1: the wait that lost is still the oldest waiter."""

    def flow(_: Any) -> Any:
        yield race(wait("loser", type="t"), sleep("winner", "1 second"))
        try:
            return (yield wait("next", type="t", timeout="10 seconds"))["payload"]
        except Failed as failed:
            return failed.name

    ran = run(flow, scenario_of(request(create()), request(event("A"), at=5 * S)))
    assert ran.output == "WorkflowTimeoutError"


def test_r_id_3_waits_of_one_name_are_told_apart_by_their_count() -> None:
    ran = run(
        payloads("same", "same"),
        scenario_of(request(create()), request(event("A")), request(event("B"))),
    )
    assert ran.output == ["A", "B"]
    assert PROD.hibernate_after_ms == 300 * S
