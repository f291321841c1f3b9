"""Each invariant tells a planted program from its twin."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.scenario import (
    FunctionRef,
    Implies,
    Invariant,
    Keyed,
    Never,
    NotBoth,
    OncePerKey,
    Ordered,
    RowsHold,
    SumEquals,
    TraceHolds,
    Unique,
    WorkflowRows,
    WorkflowSetup,
)
from eutaxy._base.value import encode
from eutaxy._base.verdict import VerdictKind
from eutaxy._platform.workflows.binding import made_id
from eutaxy._report.text import verdict_text
from eutaxy.errors import ScenarioError
from eutaxy.testing import Failed, call, step
from tests.features.feature import (
    FLOW,
    ONCE,
    TARGET,
    Feature,
    Functions,
    Programs,
    answer,
    assert_told_apart,
    bank,
    check,
    checker_of,
    http,
    orders,
    post,
    responses,
    scenario,
    with_faults,
    worker,
)
from tests.oracles.unmerged import grow_tree
from tests.unit.platform.lab import retries

ROWS = WorkflowRows(binding=FLOW)
OK = Keyed(selector=responses(where=(("status", encode(200)),)), key_path="body")
CLIENT = http("req-1", is_repeated=True)


def paying(*, key: str = "") -> Programs:
    """Pays again when the call failed."""

    def handle(_: Any) -> Any:
        try:
            yield post(key=key)
        except Failed:
            yield post(key=key)

    return worker(handle)


def swallowing(*, is_fixed: bool) -> Programs:
    """Answers 200 although paying has failed; its twin answers 500, and the client comes again."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            if is_fixed:
                return answer(500)
        return answer(200, "o-1")

    return worker(handle)


def reacting(path: str, *, is_fixed: bool) -> Programs:
    """Does something else when paying has failed; its twin pays again with the same key."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            yield post(key="k") if is_fixed else post(path, key="other")

    return worker(handle)


def shipping(*, is_fixed: bool) -> Programs:
    """Ships although paying has failed."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            if is_fixed:
                return answer(500)
        yield post("/ship", key="s")

    return worker(handle)


def creating(*, is_fixed: bool) -> Programs:
    """Creates again when creating has failed; its twin names the instance."""
    options: dict[str, Any] = {"params": {"order": "o-1"}}
    if is_fixed:
        options["id"] = "o-1"

    def handle(_: Any) -> Any:
        for _attempt in range(2):
            try:
                yield call(TARGET, "create", options=options)
            except Failed:
                continue
            return

    def flow(_: Any) -> Any:
        yield step("work", lambda _: None)
        return {"cents": 5}

    return worker(handle, flow=flow)


def giving_up(*, is_fixed: bool) -> Programs:
    """A step that is not tried again, so the instance fails."""

    def handle(_: Any) -> Any:
        yield call(TARGET, "create", options={"id": "a"})

    def pay(_: Any) -> Any:
        yield post(key="k")

    def flow(_: Any) -> Any:
        yield step("pay", pay, retries(5 if is_fixed else 0, 0))

    return worker(handle, flow=flow)


def asking_then_paying(key: str) -> Any:
    """Asks for a refund, then pays, again when that call failed."""
    with suppress(Failed):
        yield post("/refund", key="r")
    try:
        yield post(key=key)
    except Failed:
        yield post(key=key)


def is_paid_at_most_once(trace: Any) -> bool:
    """A predicate over traces: a payment is an effect that was neither lost nor deduplicated."""
    payments = sum(each["kind"] == "effect" and each["text"] == "Fetch:bank POST" for each in trace)
    lost = sum(each["kind"] == "fault" and each["text"] == "request_lost" for each in trace)
    return bool(payments - lost <= 1)


def rows(text: str) -> str:
    """Rows as claims show them."""
    text = f"[{text}]"
    return text if len(text) <= 200 else text[:200] + "..."


def row(name: str, status: str, params: str = '{"order":"o-1"}', error: str = "null") -> str:
    """A row without output."""
    return f'{{"id":"{name}","status":"{status}","params":{params},"output":null,"error":{error}}}'


LOST = "answer_lost at req-1 effect #1 (Fetch:bank POST)"
REQUEST_LOST = "request_lost at req-1 effect #1 (Fetch:bank POST)"
LATE = "answer_late at req-1 effect #1 (Fetch:bank POST)"
TWICE = 'Fetch:bank POST happened twice for key "o-1" (seq 2 and 4)'
MISSING = 'bank POST did not happen for key "o-1"'
CREATE_LOST = "answer_lost at req-1 effect #1 (Workflow:FLOW create)"
MADE = sorted(made_id(FLOW, number) for number in (1, 2))
TWINS = '"o-1": ' + " and ".join(repr(name) for name in MADE)

GIVING_UP = (
    (
        "answer_late",
        "#2 (Fetch:bank POST)",
        "WorkflowTimeoutError",
        "Execution timed out after 600000ms",
    ),
    ("answer_lost", "#2 (Fetch:bank POST)", "Error", "Network connection lost."),
    ("request_lost", "#2 (Fetch:bank POST)", "Error", "Network connection lost."),
    (
        "store_failed",
        "#3 (Workflow:FLOW step_result)",
        "WorkflowInternalError",
        "Storing the result of the step failed",
    ),
)

FEATURES = {
    "at most once": Feature(
        planted=paying(),
        fixed=paying(key="k"),
        scenario=scenario(http("req-1"), invariants=(ONCE,), without=("unkeyed-repeat",)),
        invariant="once",
        witnesses=(((LOST,), TWICE),),
    ),
    "at least once": Feature(
        planted=swallowing(is_fixed=False),
        fixed=swallowing(is_fixed=True),
        scenario=scenario(
            CLIENT, invariants=(OncePerKey(name="paid", what=orders(), keys=(encode("o-1"),)),)
        ),
        invariant="paid",
        witnesses=(((REQUEST_LOST,), MISSING),),
    ),
    "exactly once, too often": Feature(
        planted=paying(),
        fixed=paying(key="k"),
        scenario=scenario(
            CLIENT,
            invariants=(
                OncePerKey(name="paid", what=orders(), keys=(encode("o-1"),), is_exact=True),
            ),
            faults_max=(("crash", 0),),
        ),
        invariant="paid",
        witnesses=(((LOST,), TWICE),),
    ),
    "exactly once, too seldom": Feature(
        planted=swallowing(is_fixed=False),
        fixed=swallowing(is_fixed=True),
        scenario=scenario(
            CLIENT,
            invariants=(
                OncePerKey(name="paid", what=orders(), keys=(encode("o-1"),), is_exact=True),
            ),
        ),
        invariant="paid",
        witnesses=(((REQUEST_LOST,), MISSING),),
    ),
    "at least once of": Feature(
        planted=swallowing(is_fixed=False),
        fixed=swallowing(is_fixed=True),
        scenario=scenario(CLIENT, invariants=(OncePerKey(name="paid", what=orders(), of=OK),)),
        invariant="paid",
        witnesses=(((REQUEST_LOST,), MISSING),),
    ),
    "exactly once of, too often": Feature(
        planted=worker(lambda _: (yield from asking_then_paying(""))),
        fixed=worker(lambda _: (yield from asking_then_paying("k"))),
        scenario=scenario(
            http("req-1"),
            invariants=(
                OncePerKey(name="paid", what=orders(), of=orders("/refund"), is_exact=True),
            ),
            faults_max=(("crash", 0), ("request_lost", 0)),
        ),
        invariant="paid",
        witnesses=(
            (
                ("answer_lost at req-1 effect #2 (Fetch:bank POST)",),
                'Fetch:bank POST happened twice for key "o-1" (seq 3 and 5)',
            ),
        ),
        fixed_faults=1,
    ),
    "never": Feature(
        planted=reacting("/refund", is_fixed=False),
        fixed=reacting("/refund", is_fixed=True),
        scenario=scenario(
            http("req-1"), invariants=(Never(name="none", selector=orders("/refund").selector),)
        ),
        invariant="none",
        witnesses=(
            ((LOST,), "Fetch:bank POST happened (seq 4)"),
            ((REQUEST_LOST,), "Fetch:bank POST happened (seq 4)"),
        ),
    ),
    "not both": Feature(
        planted=reacting("/ship", is_fixed=False),
        fixed=reacting("/ship", is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=(NotBoth(name="either", first=orders("/ship"), second=orders()),),
            external=bank(dedupe=None),
        ),
        invariant="either",
        witnesses=(
            (
                (LOST,),
                'both Fetch:bank POST and Fetch:bank POST happened for key "o-1" (seq 2 and 4)',
            ),
        ),
    ),
    "ordered": Feature(
        planted=shipping(is_fixed=False),
        fixed=shipping(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=(Ordered(name="first", first=orders(), then=orders("/ship")),),
        ),
        invariant="first",
        witnesses=(
            (
                (REQUEST_LOST,),
                'Fetch:bank POST happened for key "o-1" (seq 4) without bank POST before it',
            ),
        ),
    ),
    "implies": Feature(
        planted=swallowing(is_fixed=False),
        fixed=swallowing(is_fixed=True),
        scenario=scenario(
            http("req-1"), invariants=(Implies(name="paid", cause=OK, effects=(orders(),)),)
        ),
        invariant="paid",
        witnesses=(
            (
                (REQUEST_LOST,),
                'the response happened for key "o-1", but bank POST did not',
            ),
        ),
    ),
    "unique": Feature(
        planted=creating(is_fixed=False),
        fixed=creating(is_fixed=True),
        scenario=scenario(
            http("req-1"), invariants=(Unique(name="one", rows=ROWS, key_path="params.order"),)
        ),
        invariant="one",
        witnesses=(
            (
                (CREATE_LOST,),
                f"Workflow:FLOW has two instances with params.order = {TWINS}",
            ),
        ),
        fixed_faults=1,
    ),
    "sum": Feature(
        planted=creating(is_fixed=False),
        fixed=creating(is_fixed=True),
        scenario=scenario(
            http("req-1", is_repeated=True),
            invariants=(SumEquals(name="sum", rows=ROWS, key_path="output.cents", total=5),),
            faults_max=(("crash", 0),),
        ),
        invariant="sum",
        witnesses=(((CREATE_LOST,), "output.cents of the rows adds up to 10, not to 5"),),
        fixed_faults=1,
    ),
    "always": Feature(
        planted=creating(is_fixed=False),
        fixed=creating(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=(RowsHold(name="one", rows=ROWS, function=FunctionRef(0), is_always=True),),
        ),
        functions=Functions(lambda rows: len(rows) <= 1),
        invariant="one",
        witnesses=(
            (
                (CREATE_LOST,),
                "the predicate does not hold at some moment for the rows of FLOW: "
                + rows(",".join(row(name, "queued") for name in MADE)),
            ),
        ),
    ),
    "eventually": Feature(
        planted=giving_up(is_fixed=False),
        fixed=giving_up(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=(
                RowsHold(name="done", rows=ROWS, function=FunctionRef(0), is_always=False),
            ),
        ),
        functions=Functions(lambda rows: all(row["status"] == "complete" for row in rows)),
        invariant="done",
        witnesses=tuple(
            (
                (f"{fault} at workflow:FLOW:a#0 effect {effect}",),
                "the predicate does not hold at rest for the rows of FLOW: "
                + rows(row("a", "errored", "{}", f'{{"name":"{name}","message":"{message}"}}')),
            )
            for fault, effect, name, message in GIVING_UP
        ),
    ),
    "trace": Feature(
        planted=paying(),
        fixed=paying(key="k"),
        scenario=scenario(
            http("req-1"),
            invariants=(TraceHolds(name="few", function=FunctionRef(0)),),
            without=("unkeyed-repeat",),
        ),
        functions=Functions(is_paid_at_most_once),
        invariant="few",
        witnesses=(((LOST,), "the predicate does not hold for this trace"),),
    ),
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=list(FEATURES))
def test_it_tells_them_apart(feature: Feature) -> None:
    assert_told_apart(feature)


# -- what a whole trace costs -----------------------------------------------------------------


@pytest.mark.parametrize("faults", [0, 1, 2])
def test_a_predicate_over_traces_merges_nothing_and_counts_every_schedule(faults: int) -> None:
    feature = FEATURES["trace"]
    assert feature.fixed is not None
    given = with_faults(feature.scenario, faults)
    verdict = check(feature.fixed, given, feature.functions)
    assert not verdict.coverage.is_merging
    checker = checker_of(feature.fixed, given, feature.functions)
    tree = grow_tree(checker.model(), faults, 0)
    assert verdict.coverage.schedules == tree.schedules(faults)
    assert verdict.coverage.worlds == tree.steps


def test_the_report_says_that_nothing_was_merged() -> None:
    feature = FEATURES["trace"]
    assert feature.fixed is not None
    text = verdict_text(check(feature.fixed, feature.scenario, feature.functions), replay_path="x")
    assert "Merging         off: an invariant reads the whole trace" in text


# -- what makes an invariant vacuous ----------------------------------------------------------

IDLE = {
    "at most once": ONCE,
    "exactly once of": OncePerKey(name="once", what=orders(), of=orders("/ship"), is_exact=True),
    "not both": NotBoth(name="once", first=orders(), second=orders("/ship")),
    "implies, without its cause": Implies(
        name="once", cause=orders("/ship"), effects=(orders("/refund"),)
    ),
    "ordered, without what comes later": Ordered(
        name="once", first=orders("/refund"), then=orders("/ship")
    ),
    "unique": Unique(name="once", rows=ROWS, key_path="id"),
}


def refunding() -> Programs:
    """Does nothing but refund."""

    def handle(_: Any) -> Any:
        yield post("/refund", key="r")

    return worker(handle)


@pytest.mark.parametrize("invariant", IDLE.values(), ids=list(IDLE))
def test_what_could_not_have_been_broken_is_vacuous(invariant: Any) -> None:
    verdict = check(refunding(), scenario(http("req-1"), invariants=(invariant,)))
    assert (verdict.kind, verdict.vacuous) == (VerdictKind.INCONCLUSIVE, ("once",))


def test_never_is_not_vacuous_when_nothing_happens() -> None:
    never = Never(name="none", selector=orders().selector)
    verdict = check(refunding(), scenario(http("req-1"), invariants=(never,)))
    assert (verdict.kind, verdict.vacuous) == (VerdictKind.BOUNDED, ())


def test_rows_of_two_workflows_are_not_mixed_up() -> None:
    """Equal rows of another Workflow, in another situation, say nothing about this one."""

    def handle(_: Any) -> Any:
        try:
            yield call(TARGET, "create", options={"id": "a"})
        except Failed:
            yield call("Workflow:OTHER", "create", options={"id": "a"})

    def flow(_: Any) -> Any:
        yield step("work", lambda _: None)

    none = RowsHold(
        name="none",
        rows=WorkflowRows(binding="OTHER"),
        function=FunctionRef(0),
        is_always=False,
    )
    limits = (("answer_lost", 0), ("answer_late", 0), ("crash", 0))
    given = scenario(http("req-1"), invariants=(none,), faults_max=limits)
    other = WorkflowSetup(binding="OTHER", class_name=FLOW)
    given = replace(given, setup=(*given.setup, other))
    verdict = check(worker(handle, flow=flow), given, Functions(lambda rows: not rows))
    (violation,) = verdict.violations
    assert [each.text for each in violation.faults] == [
        "request_lost at req-1 effect #1 (Workflow:FLOW create)"
    ]


# -- what is wrong at run time ----------------------------------------------------------------

WRONG: dict[str, tuple[Invariant, str]] = {
    "key path": (
        replace(ONCE, what=Keyed(selector=orders().selector, key_path="args.body.ordr")),
        "there is no 'ordr' in args.body; there is 'order'",
    ),
    "key path of rows": (
        Unique(name="x", rows=ROWS, key_path="params.id", place="lab.sim.ts:12"),
        "there is no 'id' in params; there is 'order'",
    ),
    "key path of a sum": (
        SumEquals(name="x", rows=ROWS, key_path="output.cent", total=0, place="lab.sim.ts:12"),
        "there is no 'cent' in output; there is 'cents'",
    ),
    "a sum of texts": (
        SumEquals(name="x", rows=ROWS, key_path="id", total=0, place="lab.sim.ts:12"),
        'a row of FLOW has "o-1" there, which is no number',
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_there_is_named_with_the_line(case: str) -> None:
    invariant, says = WRONG[case]
    programs = paying(key="k") if case == "key path" else creating(is_fixed=True)
    with pytest.raises(ScenarioError) as error:
        check(programs, scenario(http("req-1"), invariants=(invariant,), faults=0))
    assert says in error.value.found
    assert error.value.place == "lab.sim.ts:12"


def test_rows_without_output_have_no_key() -> None:
    """Instances that failed have no output: nothing to add, and no two of them are equal."""
    invariants = (
        SumEquals(name="sum", rows=ROWS, key_path="output.cents", total=0),
        Unique(name="unique", rows=ROWS, key_path="output.cents"),
    )
    drive = (http("req-1", "/a"), http("req-2", "/b"))
    given = scenario(*drive, invariants=invariants, faults=0, may_fail=True)

    def make(given: Any) -> Any:
        yield call(TARGET, "create", options={"id": given["url"][-1]})

    def fail(_: Any) -> Any:
        yield step("work", lambda _: None)
        raise Failed("Error", "no")

    assert check(worker(make, flow=fail), given).kind is VerdictKind.BOUNDED
