"""Each thing that the outside may do tells a planted program from its twin."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from eutaxy._base.record import RecordKind
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    FunctionRef,
    Keyed,
    Never,
    OncePerKey,
    Ordered,
    RowsHold,
    WorkflowRows,
)
from eutaxy._base.value import encode
from eutaxy._base.verdict import VerdictKind
from eutaxy._explore.path import first_path
from eutaxy._explore.search import Limits, Search
from eutaxy._explore.trace import Trace, trace_of
from eutaxy.errors import ScenarioError
from eutaxy.testing import Failed, leave, sleep, step, timer, wait
from tests.features.feature import (
    FLOW,
    ONCE,
    Feature,
    Functions,
    Programs,
    answer,
    ask,
    assert_told_apart,
    bank,
    canned,
    check,
    checker_of,
    create,
    direct,
    http,
    orders,
    pause,
    post,
    posts,
    replayed,
    responses,
    scenario,
    timing,
    worker,
)

DAY = 86_400_000


def pays(path: str = "/pay") -> Any:
    """A handler that makes one call."""

    def handle(_: Any) -> Any:
        yield post(path, key=path)

    return handle


def slow(ms: int) -> Any:
    """A handler that ships after a time."""

    def handle(_: Any) -> Any:
        yield timer(ms)
        yield post("/ship", key="s")

    return handle


def sleeping(duration: str) -> Programs:
    """Ships, and pays after a time; the handler takes back what is shipped and not paid."""

    def ship(_: Any) -> Any:
        yield post("/ship", key="s")

    def pay(_: Any) -> Any:
        yield post(key="k")

    def flow(_: Any) -> Any:
        yield step("ship", ship)
        yield sleep("a while", duration)
        yield step("pay", pay)

    def look(_: Any) -> Any:
        if (yield ask("/ship"))["status"] == 200 and (yield ask())["status"] == 404:
            yield post("/refund", key="r")

    return worker(look, flow=flow)


def hearing() -> Programs:
    """Ships when the event has come, and refunds when it has not."""

    def ship(_: Any) -> Any:
        yield post("/ship", key="s")

    def flow(_: Any) -> Any:
        try:
            yield wait("paid", type="paid", timeout="1 hour")
        except Failed:
            return (yield step("late", late))
        yield step("ship", ship)

    def late(_: Any) -> Any:
        yield post("/refund", key="r")

    return worker(answer, flow=flow)


def trace_without_faults(programs: Programs, given: Any) -> Trace:
    """The run without faults."""
    model = checker_of(programs, given).model()
    return trace_of(model, first_path(model))


def starts(trace: Trace) -> list[tuple[int, str]]:
    """When which event of the driver began."""
    return [
        (each.at_ms, each.activation)
        for each in trace.records
        if each.kind is RecordKind.START and not each.activation.startswith("workflow:")
    ]


NONE = (Never(name="none", selector=posts("/refund")),)
PAID = (
    canned("GET", "/ship", 200, once="POST /ship"),
    canned("GET", "/ship", 404),
    canned("GET", "/pay", 200, once="POST /pay"),
    canned("GET", "/pay", 404),
)
FIRST = (Ordered(name="first", first=orders(), then=orders("/ship")),)
EARLY = 'Fetch:bank POST happened for key "o-1" (seq 2) without bank POST before it'
BOTH = worker(pay=pays(), ship=pays("/ship"))

FEATURES = {
    "after a time": Feature(
        planted=sleeping("5 minutes"),
        fixed=sleeping("3 minutes"),
        scenario=scenario(
            create(),
            http("req-1", at=timing(240_000)),
            invariants=NONE,
            external=bank(*PAID),
            faults=0,
        ),
        invariant="none",
        witnesses=(((), "Fetch:bank POST happened (seq 14)"),),
        fixed_faults=0,
    ),
    "after an event": Feature(
        planted=worker(pay=slow(600_000), ship=pays()),
        scenario=scenario(
            http("req-1", "/pay"),
            http("req-2", "/ship"),
            invariants=(Ordered(name="first", first=orders("/ship"), then=orders()),),
            faults=0,
        ),
        fixed_scenario=scenario(
            http("req-1", "/pay"),
            http("req-2", "/ship", at=timing(event="req-1")),
            invariants=(Ordered(name="first", first=orders("/ship"), then=orders()),),
            faults_max=(("crash", 0), ("request_lost", 0)),
        ),
        invariant="first",
        witnesses=(((), EARLY),),
    ),
    "a group": Feature(
        planted=BOTH,
        scenario=scenario(
            http("req-1", "/pay", at=timing(group=1)),
            http("req-2", "/ship", at=timing(group=1)),
            invariants=FIRST,
            faults=0,
        ),
        fixed_scenario=scenario(
            http("req-1", "/pay"), http("req-2", "/ship"), invariants=FIRST, faults=0
        ),
        invariant="first",
        witnesses=(((), EARLY),),
        fixed_faults=0,
    ),
    "an event sent directly": Feature(
        planted=hearing(),
        scenario=scenario(
            create(),
            invariants=NONE,
            faults=0,
        ),
        fixed_scenario=scenario(
            create(),
            direct("call-2", "sendEvent", id="a", options={"type": "paid"}, at=timing(1_800_000)),
            invariants=NONE,
        ),
        invariant="none",
        witnesses=(((), "Fetch:bank POST happened (seq 11)"),),
    ),
    "terminate": Feature(
        planted=sleeping("5 minutes"),
        scenario=scenario(create(), invariants=(Never(name="none", selector=posts()),), faults=0),
        fixed_scenario=scenario(
            create(),
            direct("call-2", "terminate", id="a", at=timing(240_000)),
            invariants=(Never(name="none", selector=posts()),),
        ),
        invariant="none",
        witnesses=(((), "Fetch:bank POST happened (seq 15)"),),
    ),
    "pause and resume": Feature(
        planted=sleeping("5 minutes"),
        scenario=scenario(
            create(),
            direct("call-2", "pause", id="a", at=timing(60_000)),
            direct("call-3", "resume", id="a", at=timing(600_000)),
            pause(DAY),
            invariants=(Never(name="none", selector=posts()),),
            faults=0,
        ),
        fixed_scenario=scenario(
            create(),
            direct("call-2", "pause", id="a", at=timing(60_000)),
            pause(DAY),
            invariants=(Never(name="none", selector=posts()),),
            faults=0,
        ),
        invariant="none",
        witnesses=(((), "Fetch:bank POST happened (seq 15)"),),
        fixed_faults=0,
    ),
    "30 days": Feature(
        planted=sleeping("31 days"),
        fixed=sleeping("29 days"),
        scenario=scenario(
            create(),
            pause(30 * DAY),
            http("req-1"),
            invariants=NONE,
            external=bank(*PAID),
            faults=0,
        ),
        invariant="none",
        witnesses=(((), "Fetch:bank POST happened (seq 14)"),),
        fixed_faults=0,
    ),
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=list(FEATURES))
def test_it_tells_them_apart(feature: Feature) -> None:
    assert_told_apart(feature)


# -- when events come -------------------------------------------------------------------------


def test_a_time_with_an_event_counts_from_the_previous_one_and_waits_for_the_named() -> None:
    """Five minutes after req-2, and not before req-1 has ended."""
    for lasts, comes in ((600_000, 600_000), (60_000, 301_000)):
        given = scenario(
            http("req-1", "/slow"),
            http("req-2", "/ship"),
            http("req-3", "/ship", at=timing(300_000, event="req-1")),
        )
        programs = worker(slow=slow(lasts), ship=pays("/ship"))
        assert starts(trace_without_faults(programs, given)) == [
            (0, "req-1"),
            (1_000, "req-2"),
            (comes, "req-3"),
        ]


def test_time_passes_also_at_the_end() -> None:
    given = scenario(http("req-1", "/pay"), pause(30 * DAY))
    trace = trace_without_faults(BOTH, given)
    assert trace.records[-1].kind is RecordKind.CLOCK
    clocks = [int(each.text) for each in trace.records if each.kind is RecordKind.CLOCK]
    assert sum(clocks) == 30 * DAY


def test_every_order_of_a_group_of_three_is_explored() -> None:
    names = ("pay", "ship", "refund")
    programs = worker(**{name: pays(f"/{name}") for name in names})
    group = [http(f"req-{name}", f"/{name}", at=timing(group=1)) for name in names]
    model = checker_of(programs, scenario(*group, faults=0)).model()
    found = Search(model, Limits(0, 0, is_merging=False)).run()
    runs = {
        tuple(name for _, name in starts(trace_of(model, found.graph.path_to(world))))
        for world in range(len(found.graph.worlds))
    }
    orders_of_all = {run for run in runs if len(run) == 3}
    assert orders_of_all == set(permutations(f"req-{name}" for name in names))


def test_a_group_comes_together_also_when_it_overlaps_what_is_under_way() -> None:
    """Once one of a group has come, no time passes before the others."""
    given = scenario(
        http("req-1", "/pay"),
        http("req-2", "/ship", at=timing(group=1)),
        http("req-3", "/ship", at=timing(group=1)),
        concurrent=2,
        faults=0,
    )
    model = checker_of(BOTH, given).model()
    found = Search(model, Limits(0, 0, is_merging=False)).run()
    assert found.is_whole
    for world in range(len(found.graph.worlds)):
        trace = trace_of(model, found.graph.path_to(world))
        began = {name: at_ms for at_ms, name in starts(trace)}
        if len(began) == 3:
            assert began["req-2"] == began["req-3"]


# -- clients that repeat, and redelivery ------------------------------------------------------


def failing(*, is_fixed: bool) -> Programs:
    """Pays, and answers 500 when that has failed."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="k" if is_fixed else "")
        except Failed:
            return answer(500)
        return answer()

    return worker(handle)


REPEATED = "req-1 effect #1 (Fetch:bank POST)"
CLIENTS = {
    "a client that repeats": Feature(
        planted=failing(is_fixed=False),
        fixed=failing(is_fixed=True),
        scenario=scenario(
            http("req-1", is_repeated=True), invariants=(ONCE,), without=("unkeyed-repeat",)
        ),
        invariant="once",
        witnesses=tuple(
            ((f"{fault} at {REPEATED}",), f'Fetch:bank POST happened twice for key "o-1" {seqs}')
            for fault, seqs in (
                ("answer_lost", "(seq 2 and 7)"),
                ("crash_after", "(seq 2 and 6)"),
                ("crash_in_flight", "(seq 3 and 6)"),
            )
        ),
    ),
    "redelivery": Feature(
        planted=failing(is_fixed=False),
        fixed=failing(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=(ONCE,),
            without=("unkeyed-repeat",),
            faults=0,
            redeliveries=1,
        ),
        invariant="once",
        witnesses=(
            (
                ("redelivery of req-1",),
                'Fetch:bank POST happened twice for key "o-1" (seq 2 and 5)',
            ),
        ),
    ),
}


@pytest.mark.parametrize("feature", CLIENTS.values(), ids=list(CLIENTS))
def test_it_tells_clients_apart(feature: Feature) -> None:
    assert_told_apart(feature)


def test_a_client_that_has_its_answer_does_not_repeat() -> None:
    """The handler answers and dies in what it left to do."""

    def handle(_: Any) -> Any:
        yield leave(post("/ship"))
        return answer()

    given = scenario(http("req-1", is_repeated=True), without=("unkeyed-repeat",))
    once = AtMostOncePerKey(name="once", what=orders("/ship"))
    verdict = check(worker(handle), replace(given, invariants=(once,)))
    assert verdict.kind is VerdictKind.BOUNDED


def test_who_waits_for_a_client_that_repeats_waits_until_it_has_its_answer() -> None:
    """Nothing is shipped before it is paid, however often paying is tried."""
    given = scenario(
        http("req-1", "/pay", is_repeated=True),
        http("req-2", "/ship", at=timing(event="req-1")),
        invariants=FIRST,
    )
    assert check(BOTH, given).kind is VerdictKind.BOUNDED


def test_a_late_answer_keeps_those_waiting_who_follow_it() -> None:
    """What is heard and what comes after the end of a request are not turned round."""
    answered = Keyed(selector=responses("req-1"), key_path="body")
    given = scenario(
        http("req-1", "/pay"),
        http("req-2", "/ship"),
        invariants=(Ordered(name="first", first=answered, then=orders("/ship")),),
        faults_max=(("crash", 0), ("request_lost", 0), ("answer_lost", 0)),
    )

    def handle(_: Any) -> Any:
        yield post(key="k")
        return answer(200, "o-1")

    programs = worker(pay=handle, ship=pays("/ship"))
    (violation,) = check(programs, given, is_all=True).violations
    assert [each.text for each in violation.faults] == [
        "answer_late at req-1 effect #1 (Fetch:bank POST)"
    ]
    waiting = http("req-2", "/ship", at=timing(event="req-1"))
    assert check(programs, replace(given, drive=(given.drive[0], waiting))).violations == ()


# -- direct calls -----------------------------------------------------------------------------


def test_a_call_whose_answer_is_deferred_is_answered() -> None:
    """Terminating with rollback is answered once everything is undone."""

    def undo(_: Any) -> Any:
        yield post("/refund", key="r")

    def pay(_: Any) -> Any:
        yield post(key="k")

    def flow(_: Any) -> Any:
        yield step("pay", pay, rollback=undo)
        yield sleep("a while", "1 hour")

    given = scenario(
        create(), direct("call-2", "terminate", id="a", options={"rollback": True}), faults=0
    )
    trace = trace_without_faults(worker(answer, flow=flow), given)
    ends = [each.text for each in trace.records if each.activation == "call-2"]
    assert ends[-1] == "answered"
    assert any(each.text == "Workflow:FLOW rollback_result" for each in trace.records)


def test_a_call_that_fails_even_without_faults_is_suspicious() -> None:
    given = scenario(direct("call-1", "sendEvent", id="b", options={"type": "x"}), faults=0)
    told = [each for each in check(worker(answer), given).suspicions if each.rule == "refused-call"]
    assert [each.place for each in told] == ["lab.sim.ts:call-1"]
    assert "call-1 (sendEvent of FLOW) fails even without faults" in told[0].text


# -- expected statuses ------------------------------------------------------------------------


def test_another_status_than_expected_is_an_error_with_the_line() -> None:
    given = scenario(http("req-1", "/x", status=202))
    with pytest.raises(ScenarioError) as error:
        check(worker(lambda _: answer(404, "gone")), given)
    assert error.value.found == (
        "req-1 (POST https://worker.example/x) is answered with status 404, but it expects 202: "
        '"gone"'
    )
    assert error.value.place == "lab.sim.ts:req-1"


def test_the_expected_status_is_fine_and_faults_may_change_it() -> None:
    given = scenario(http("req-1", status=200), invariants=(ONCE,))
    assert check(failing(is_fixed=True), given).kind is VerdictKind.BOUNDED


# -- fewer events -----------------------------------------------------------------------------


def test_no_event_is_left_out_that_only_its_absence_breaks() -> None:
    """Both orders are expected; that the second is missing is not what is reported."""
    expected = OncePerKey(
        name="paid", what=orders(), keys=(encode("o-1"), encode("o-2")), is_exact=True
    )

    def twice(given: Any) -> Any:
        order = given["url"].rsplit("/", 1)[1]
        yield post(order=order)
        if order == "o-1":
            yield post(order=order)

    given = scenario(
        http("req-1", "/o-2"),
        http("req-2", "/o-1"),
        invariants=(expected,),
        faults=0,
        without=("unkeyed-repeat",),
    )
    (violation,) = check(worker(twice), given).violations
    assert violation.claim == 'Fetch:bank POST happened twice for key "o-1" (seq 2 and 3)'
    assert violation.kept == ("req-2",)


def test_an_order_is_not_explained_by_an_event_that_is_missing() -> None:
    feature = FEATURES["a group"]
    (violation,) = check(feature.planted, feature.scenario).violations
    assert violation.kept == ("req-1", "req-2")


def test_of_a_predicate_that_does_not_hold_without_faults_no_event_is_left_out() -> None:
    two = RowsHold(
        name="two", rows=WorkflowRows(binding=FLOW), function=FunctionRef(0), is_always=False
    )
    given = scenario(create(), create("call-2"), http("req-1"), invariants=(two,), faults=0)
    programs = worker(answer, flow=lambda _: None)
    functions = Functions(lambda rows: len(rows) == 2)
    (violation,) = check(programs, given, functions).violations
    assert violation.kept == ("call-1", "call-2", "req-1")


def test_an_event_that_another_waits_for_may_be_left_out_and_the_token_replays() -> None:
    """req-2 waited for req-1, which has nothing to do with what is broken."""

    def pay(_: Any) -> Any:
        try:
            yield post()
        except Failed:
            yield post()

    given = scenario(
        http("req-1", "/ship"),
        http("req-2", "/pay", at=timing(event="req-1")),
        invariants=(ONCE,),
        without=("unkeyed-repeat",),
    )
    programs = worker(pay=pay, ship=pays("/ship"))
    feature = Feature(
        planted=programs,
        scenario=given,
        invariant="once",
        witnesses=(),
    )
    (violation,) = check(programs, given).violations
    assert violation.kept == ("req-2",)
    assert replayed(feature, violation.token) == (violation.claim,)
