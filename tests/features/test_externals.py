"""Each thing that a declared service may do tells a planted program from its twin."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.scenario import Dedupe, Never, Scenario, Stateful
from eutaxy._base.scenario import FunctionRef as Ref
from eutaxy._base.value import Plain, encode
from eutaxy._base.verdict import VerdictKind
from eutaxy.errors import ScenarioError
from eutaxy.testing import Failed, race, step, timer
from tests.features.feature import (
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
    create,
    http,
    post,
    posts,
    scenario,
    worker,
)
from tests.unit.platform.lab import retries

NONE = (Never(name="none", selector=posts("/refund")),)
REFUNDED = "Fetch:bank POST happened (seq {})"
TWICE = 'Fetch:bank POST happened twice for key "o-1" (seq {} and {})'
ONLY_LOST = (("crash", 0), ("answer_late", 0), ("request_lost", 0))
LOST = "answer_lost at req-1 effect #1 (Fetch:bank POST)"


def refunding_unless(what: Any, *, asked: Any = None, **body: Any) -> Programs:
    """Pays, and refunds unless the answer is as expected."""

    def handle(_: Any) -> Any:
        answered = yield asked or post(key="k", **body)
        if answered != what and answered["body"] != what and answered["status"] != what:
            yield post("/refund", key="r")

    return worker(handle)


def asking_later(*, is_fixed: bool) -> Programs:
    """After a lost payment, pays again unless the bank says that it is paid."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="a")
        except Failed:
            if (yield ask())["status"] == 404 or not is_fixed:
                yield post(key="b")

    return worker(handle)


def again(headers: Any = None, pause_ms: int = 0, **body: Any) -> Programs:
    """Pays again, perhaps after a time, when the call failed; `body` and `headers` of both."""

    def handle(_: Any) -> Any:
        for attempt in (1, 2):
            try:
                key = headers(attempt) if headers else ""
                given = {name: value(attempt) for name, value in body.items()}
                yield post(key=key, **given)
            except Failed:
                yield timer(pause_ms or 1)
                continue
            return

    return worker(handle)


def in_a_step(timeout: str, *, key: str = "") -> Programs:
    """A step that pays, tried again when it takes too long."""

    def pay(_: Any) -> Any:
        yield post(key=key)

    def flow(_: Any) -> Any:
        yield step("pay", pay, {**retries(1, 0), "timeout": timeout})

    return worker(answer, flow=flow)


def withdrawing(*, is_fixed: bool) -> Programs:
    """Refunds when there is no money left, which a second withdrawal sees."""

    def handle(_: Any) -> Any:
        for key in ("a", "a" if is_fixed else "b"):
            try:
                answered = yield post(key=key)
            except Failed:
                continue
            if answered["status"] == 409:
                yield post("/refund", key="r")
            return

    return worker(handle)


def vault(given: Any) -> Any:
    """A service with an amount; payments take it."""
    request, cents = given["request"], given["state"]
    if request["path"] == "/refund":
        return {"state": cents, "response": {"status": 200}}
    if cents < 10:
        return {"state": cents, "response": {"status": 409}, "applied": False}
    return {"state": cents - 10, "response": {"status": 201}}


def on_status(*, is_fixed: bool) -> Programs:
    """Refunds when the bank answers with a failure."""

    def handle(_: Any) -> Any:
        answered = yield post(key="k")
        if answered["status"] == 503 and not is_fixed:
            yield post("/refund", key="r")

    return worker(handle)


def asking_twice(*, is_fixed: bool) -> Programs:
    """Refunds when two questions within a minute fail; the twin asks again after an hour."""

    def handle(_: Any) -> Any:
        for pause in (1_000, 3_600_000 if is_fixed else 60_000):
            try:
                yield ask()
            except Failed:
                yield timer(pause)
                continue
            return
        try:
            yield ask()
        except Failed:
            yield timer(3_600_000)
            yield post("/refund", key="r")

    return worker(handle)


def paying_twice(*, is_fixed: bool) -> Programs:
    """Pays with one key until it is answered, twice at most, and refunds when it is not."""

    def handle(_: Any) -> Any:
        for _attempt in range(2):
            try:
                yield post(key="k")
            except Failed:
                yield timer(3_600_000 if is_fixed else 1_000)
                continue
            return
        yield post("/refund", key="r")

    return worker(handle)


GIVEN: Any = {"n": 7, "quoted": 'o-"1"', "of": {"a": [1]}}
ECHO: dict[str, Plain] = {
    "id": "{{args.body.n}}",
    "text": "{{args.body.quoted}}, {{args.body.n}}",
    "of": "{{ args.body.of }}",
}
CARD = (("args.body.kind", encode("card")),)
OUT = (("crash", 0), ("answer_late", 0), ("request_lost", 0), ("answer_lost", 0))


def echoed(number: int) -> str:
    """The answer that echoes GIVEN, with a number."""
    text = json.dumps({"id": number, "text": f'o-"1", {number}', "of": "*"})
    return text.replace('"*"', '{"a":[1]}')


def one(faults: int = 0, **external: Any) -> Any:
    """One request, and such a bank."""
    given = external.pop("responses", ())
    return scenario(
        http("req-1"), invariants=NONE, faults=faults, external=bank(*given, **external)
    )


def deduped(dedupe: Dedupe | None) -> Any:
    """One request, and a bank that deduplicates so."""
    return scenario(
        http("req-1"),
        invariants=(ONCE,),
        faults_max=ONLY_LOST,
        without=("unkeyed-repeat",),
        external=bank(dedupe=dedupe),
    )


FEATURES = {
    "when": Feature(
        planted=refunding_unless(201, kind="cash"),
        fixed=refunding_unless(201, kind="card"),
        scenario=one(responses=(canned(status=201, when=CARD),)),
        invariant="none",
        witnesses=(((), REFUNDED.format(3)),),
        fixed_faults=0,
    ),
    "once": Feature(
        planted=asking_later(is_fixed=False),
        fixed=asking_later(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=(ONCE,),
            external=bank(canned("GET", status=200, once="POST /pay"), canned("GET", status=404)),
            faults_max=(("crash", 0),),
        ),
        invariant="once",
        witnesses=(((LOST,), TWICE.format(2, 5)),),
        fixed_faults=1,
    ),
    "path pattern": Feature(
        planted=refunding_unless(201, asked=post("/pays/1/more", key="k")),
        fixed=refunding_unless(201, asked=post("/pays/1", key="k")),
        scenario=one(responses=(canned(path="/pays/:id", status=201), canned(path="/pays/*"))),
        invariant="none",
        witnesses=(((), REFUNDED.format(3)),),
        fixed_faults=0,
    ),
    "echo": Feature(
        planted=refunding_unless(echoed(8), **GIVEN),
        fixed=refunding_unless(echoed(7), **GIVEN),
        scenario=one(responses=(canned(body=ECHO, is_echoing=True),)),
        invariant="none",
        witnesses=(((), REFUNDED.format(3)),),
        fixed_faults=0,
    ),
    "latency": Feature(
        planted=in_a_step("5 seconds"),
        fixed=in_a_step("20 seconds"),
        scenario=scenario(
            create(),
            invariants=(ONCE,),
            external=bank(canned(latency_ms=10_000), dedupe=None),
            faults=0,
            may_fail=True,
        ),
        invariant="once",
        witnesses=(((), TWICE.format(6, 10)),),
        fixed_faults=0,
    ),
    "a step that times out, and a retry that is deduplicated": Feature(
        planted=in_a_step("5 seconds"),
        fixed=in_a_step("5 seconds", key="k"),
        scenario=scenario(
            create(),
            invariants=(ONCE,),
            without=("unkeyed-repeat",),
            external=bank(canned(latency_ms=10_000)),
            faults=0,
            may_fail=True,
        ),
        invariant="once",
        witnesses=(((), TWICE.format(6, 10)),),
    ),
    "state": Feature(
        planted=withdrawing(is_fixed=False),
        fixed=withdrawing(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=NONE,
            external=bank(stateful=Stateful(initial=encode(15), function=Ref(0))),
        ),
        functions=Functions(vault),
        invariant="none",
        witnesses=(((LOST,), REFUNDED.format(5)),),
    ),
    "dedupe by header": Feature(
        planted=again(lambda attempt: f"k-{attempt}"),
        fixed=again(lambda _: "k"),
        scenario=deduped(Dedupe(header="idempotency-key")),
        invariant="once",
        witnesses=(((LOST,), TWICE.format(2, 5)),),
    ),
    "dedupe by key path": Feature(
        planted=again(id=lambda attempt: attempt),
        fixed=again(id=lambda _: 1),
        scenario=deduped(Dedupe(key_path="args.body.id")),
        invariant="once",
        witnesses=(((LOST,), TWICE.format(2, 5)),),
    ),
    "dedupe by function": Feature(
        planted=again(id=lambda attempt: f"{attempt}-x"),
        fixed=again(id=lambda attempt: f"1-{attempt}"),
        scenario=deduped(Dedupe(function=Ref(0))),
        functions=Functions(lambda request: request["body"]["id"].split("-")[0]),
        invariant="once",
        witnesses=(((LOST,), TWICE.format(2, 5)),),
    ),
    "dedupe window": Feature(
        planted=again(lambda _: "k", 60_000),
        fixed=again(lambda _: "k", 59_999),
        scenario=deduped(Dedupe(header="idempotency-key", window_ms=60_000)),
        invariant="once",
        witnesses=(((LOST,), TWICE.format(2, 5)),),
    ),
    "failure statuses": Feature(
        planted=on_status(is_fixed=False),
        fixed=on_status(is_fixed=True),
        scenario=one(1, failure_statuses=(429, 503)),
        invariant="none",
        witnesses=((("failed_status at req-1 effect #1 (Fetch:bank POST)",), REFUNDED.format(4)),),
    ),
    "outage": Feature(
        planted=asking_twice(is_fixed=False),
        fixed=asking_twice(is_fixed=True),
        scenario=scenario(
            http("req-1"), invariants=NONE, external=bank(outage_ms=600_000), faults_max=OUT
        ),
        invariant="none",
        witnesses=tuple(
            ((f"{fault} at req-1 effect #1 (Fetch:bank GET)",), REFUNDED.format(10))
            for fault in ("answers_outage", "outage")
        ),
        fixed_faults=1,
    ),
    "outage of answers, also of repetitions": Feature(
        planted=paying_twice(is_fixed=False),
        fixed=paying_twice(is_fixed=True),
        scenario=scenario(
            http("req-1"),
            invariants=NONE,
            external=bank(outage_ms=600_000),
            faults_max=(*OUT, ("outage", 0)),
        ),
        invariant="none",
        witnesses=((("answers_outage at req-1 effect #1 (Fetch:bank POST)",), REFUNDED.format(7)),),
        fixed_faults=1,
    ),
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=list(FEATURES))
def test_it_tells_them_apart(feature: Feature) -> None:
    assert_told_apart(feature)


# -- late answers -----------------------------------------------------------------------------


def hurrying(*, is_step: bool) -> Programs:
    """Refunds when the bank answers within five seconds."""

    def pay(_: Any) -> Any:
        try:
            answered = yield race(post(key="k"), timer(5_000))
        except Failed:
            return None
        if "status" in answered:
            yield post("/refund", key="r")
        return None

    def flow(_: Any) -> Any:
        yield step("pay", pay)

    return worker(answer, flow=flow) if is_step else worker(pay)


@pytest.mark.parametrize("is_step", [False, True])
def test_a_late_answer_comes_no_earlier_than_its_latency(*, is_step: bool) -> None:
    event = create() if is_step else http("req-1")
    for latency_ms, kind in ((10_000, VerdictKind.BOUNDED), (4_000, VerdictKind.VIOLATED)):
        external = bank(canned(latency_ms=latency_ms))
        # A repetition of the step would be answered at once, since the bank knows its key.
        limits = (("crash", 0), ("store_failed", 0))
        given = scenario(event, invariants=NONE, external=external, faults_max=limits)
        assert check(hurrying(is_step=is_step), given).kind is kind


# -- what is wrong at run time ----------------------------------------------------------------


def test_an_echo_of_nothing_names_what_is_there() -> None:
    given = one(responses=(canned(body={"id": "{{args.body.ordr}}"}, is_echoing=True),))
    with pytest.raises(ScenarioError) as error:
        check(on_status(is_fixed=True), given)
    assert "there is no 'ordr' in args.body; there is 'order'" in error.value.found
    assert error.value.place == "lab.sim.ts:9"


def test_a_request_that_nothing_answers_names_what_is_declared() -> None:
    def handle(_: Any) -> Any:
        yield post("/pya", key="k")

    with pytest.raises(ScenarioError) as error:
        check(worker(handle), one())
    assert "no declared response matches POST /pya; declared: POST /pay" in error.value.found


def test_a_service_that_returns_nonsense_is_named() -> None:
    given = one(stateful=Stateful(initial=encode(0), function=Ref(0)))
    with pytest.raises(ScenarioError) as error:
        check(on_status(is_fixed=True), given, Functions(lambda _: {"cents": 3}))
    assert "its handle function returned" in error.value.found
    assert error.value.place == "lab.sim.ts:7"


# -- what is never used -----------------------------------------------------------------------


def _told(programs: Programs, given: Scenario) -> list[tuple[str, str]]:
    return [(each.rule, each.text) for each in check(programs, given).suspicions]


def test_an_external_that_is_never_called_is_suspicious() -> None:
    given = scenario(http("req-1"), faults=1)
    (only,) = check(worker(lambda _: None), given).suspicions
    assert (only.rule, only.place) == ("unused-external", "lab.sim.ts:7")
    assert only.text == 'external "bank" (bank.example) is never called in the whole search'


def test_a_response_that_is_never_given_is_suspicious() -> None:
    external = replace(bank(), responses=(canned(), canned(path="/ship", status=202)))
    given = scenario(http("req-1"), external=external)
    (only,) = check(on_status(is_fixed=True), given).suspicions
    assert (only.rule, only.place) == ("unused-response", "lab.sim.ts:9")
    assert 'response 2 of external "bank" (POST /ship, status 202) is never given' in only.text
    assert _told(on_status(is_fixed=True), replace(given, silenced=("unused-response",))) == []


def test_a_response_that_is_given_only_behind_a_fault_is_used() -> None:
    external = bank()
    external = replace(external, responses=(canned(), canned("GET")))
    programs = asking_later(is_fixed=True)
    unused = (
        "unused-response",
        'response 2 of external "bank" (GET /pay, status 200) is never given in the whole search',
    )
    assert _told(programs, scenario(http("req-1"), external=external)) == []
    assert _told(programs, scenario(http("req-1"), external=external, faults=0)) == [unused]


def test_what_is_violated_says_nothing_of_what_is_unused() -> None:
    feature = FEATURES["when"]
    assert _told(feature.planted, feature.scenario) == []
    assert feature.fixed is not None
    assert _told(feature.fixed, feature.scenario) != []
