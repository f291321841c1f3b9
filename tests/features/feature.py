"""A feature of the scenario language: a planted and a fixed program that it tells apart.

The Workers are scripted. Their service is `bank` (`POST /pay`, `POST /refund`, `POST /ship`, and
`GET` of the same), which takes idempotency keys; their Workflow is FLOW.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from eutaxy._base.bounds import Bounds
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    CannedResponse,
    Dedupe,
    DirectCall,
    DriverEvent,
    External,
    FunctionRef,
    HttpRequest,
    Invariant,
    Keyed,
    PassTime,
    Scenario,
    Seen,
    Selector,
    Timing,
    WorkflowSetup,
)
from eutaxy._base.value import NULL, Plain, Value, decode, encode
from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._explore.token import read_token, replay_schedule
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import Checker
from eutaxy._session.model import Model
from eutaxy._session.options import CheckOptions
from eutaxy.testing import Ask, fetch, scripted

FLOW = "FLOW"
TARGET = "Workflow:FLOW"
Programs = Mapping[str, Callable[[Any], Any]]
Witness = tuple[tuple[str, ...], str]
"""The faults and redeliveries of a smallest schedule, and what it is said to show."""


class Functions:
    """Functions of a scenario, in this process."""

    def __init__(self, *functions: Callable[[Any], Any]) -> None:
        self._functions = functions

    def call(self, function: FunctionRef, argument: Value) -> Value:
        return encode(self._functions[function](decode(argument)))


@dataclass(frozen=True, kw_only=True)
class Feature:
    """A planted program and its twin.

    Args:
        planted: The buggy programs.
        fixed: The same without the bug; by default the same programs (the scenario differs).
        scenario: How they are checked.
        fixed_scenario: The same for the twin, where the declarations differ.
        invariant: What the planted one breaks.
        witnesses: All of its smallest schedules.
        fixed_faults: As many faults does the twin stand.
        functions: Functions of the scenario.
    """

    planted: Programs
    fixed: Programs | None = None
    scenario: Scenario
    fixed_scenario: Scenario | None = None
    invariant: str
    witnesses: tuple[Witness, ...]
    fixed_faults: int = 2
    functions: Functions = field(default_factory=Functions)


# -- scenarios --------------------------------------------------------------------------------


def timing(
    after: int | None = None, *, event: str = "", group: int = 0, default: int = 1_000
) -> Timing:
    """When an event comes: after so many ms, after an event, in a group."""
    after_ms = default if after is None else after
    return Timing(after_ms=after_ms, has_time=after is not None, after_event=event, group=group)


def http(
    name: str,
    path: str = "/",
    body: Plain = None,
    *,
    at: Timing | None = None,
    is_repeated: bool = False,
    status: int | None = None,
) -> HttpRequest:
    """A request of the driver."""
    return HttpRequest(
        name=name,
        method="POST",
        url=f"https://worker.example{path}",
        headers=(),
        body=NULL if body is None else encode(json.dumps(body)),
        timing=at or Timing(),
        is_repeated=is_repeated,
        expected_status=status,
        place=f"lab.sim.ts:{name}",
    )


def direct(name: str, operation: str, *, at: Timing | None = None, **args: Plain) -> DirectCall:
    """A call of the driver, not through the Worker."""
    given = encode(args)
    return DirectCall(
        name=name,
        binding=FLOW,
        operation=operation,
        args=given,
        timing=at or Timing(),
        place=f"lab.sim.ts:{name}",
    )


def create(name: str = "call-1", *, at: Timing | None = None) -> DirectCall:
    """Create instance a."""
    return direct(name, "create", options={"id": "a"}, at=at)


def pause(ms: int, name: str = "clock-1") -> PassTime:
    """Let time pass."""
    return PassTime(name=name, timing=Timing(after_ms=ms, has_time=True))


def canned(
    method: str = "POST", path: str = "/pay", status: int = 200, body: Plain = None, **rest: Any
) -> CannedResponse:
    """A response; its body is JSON."""
    return CannedResponse(
        method=method,
        path=path,
        status=status,
        headers=(("content-type", "application/json"),),
        body=json.dumps({} if body is None else body),
        place="lab.sim.ts:9",
        **rest,
    )


RESPONSES = tuple(
    canned(method, path) for method in ("POST", "GET") for path in ("/pay", "/refund", "/ship")
)


def bank(*responses: CannedResponse, **rest: Any) -> External:
    """The service."""
    given: dict[str, Any] = {"dedupe": Dedupe(header="idempotency-key"), **rest}
    if "stateful" not in given:
        given["responses"] = (*responses, *RESPONSES)
    return External(name="bank", host="bank.example", place="lab.sim.ts:7", **given)


def scenario(
    *drive: DriverEvent,
    invariants: tuple[Invariant, ...] = (),
    external: External | None = None,
    faults: int = 1,
    redeliveries: int = 0,
    concurrent: int = 1,
    faults_max: tuple[tuple[str, int], ...] = (),
    without: tuple[str, ...] = (),
    may_fail: bool = False,
) -> Scenario:
    """A scenario over FLOW and the bank."""
    return Scenario(
        name="lab",
        path="lab.sim.ts",
        entry="",
        config="",
        setup=(WorkflowSetup(binding=FLOW, class_name=FLOW, may_fail=may_fail),),
        drive=drive,
        externals=(external or bank(),),
        invariants=invariants,
        without=without,
        bounds=Bounds(
            max_faults=faults,
            max_redeliveries=redeliveries,
            max_concurrent=concurrent,
            faults_max=faults_max,
            budget_ms=60_000,
        ),
    )


def posts(path: str = "/pay", **rest: Any) -> Selector:
    """Requests that the bank has applied."""
    return Selector(seen=Seen.FETCH, target="bank", operation="POST", path=path, **rest)


def orders(path: str = "/pay", **rest: Any) -> Keyed:
    """The same, by order."""
    return Keyed(selector=posts(path, **rest), key_path="args.body.order")


def steps(step: str | None = None, **rest: Any) -> Selector:
    """Outcomes of steps."""
    return Selector(seen=Seen.STEP, target=FLOW, operation=step, **rest)


def responses(request: str | None = None, **rest: Any) -> Selector:
    """Answers of the Worker."""
    return Selector(seen=Seen.RESPONSE, operation=request, **rest)


ONCE = AtMostOncePerKey(name="once", what=orders(), place="lab.sim.ts:12")


# -- Workers ----------------------------------------------------------------------------------


def post(path: str = "/pay", order: Plain = "o-1", *, key: str = "", **body: Plain) -> Ask:
    """A request to the bank, perhaps with an idempotency key."""
    headers = {"idempotency-key": key} if key else {}
    return fetch("POST", f"https://bank.example{path}", {"order": order, **body}, headers)


def ask(path: str = "/pay") -> Ask:
    """A question to the bank."""
    return fetch("GET", f"https://bank.example{path}")


def answer(status: int = 200, body: Plain = None) -> dict[str, Plain]:
    """An answer of the Worker."""
    headers: dict[str, Plain] = {"content-type": "application/json"}
    return {"status": status, "headers": headers, "body": json.dumps(body)}


def worker(
    *routes: Callable[[Any], Any], flow: Callable[[Any], Any] | None = None, **by_name: Any
) -> Programs:
    """A Worker: one handler for all paths, or one for each path by name; and a Workflow."""

    def handle(given: Any) -> Any:
        name = urlsplit(given["url"]).path.strip("/")
        made = (by_name[name] if by_name else routes[0])(given)
        if isinstance(made, Generator):
            made = yield from made
        return answer() if made is None else made

    programs: dict[str, Callable[[Any], Any]] = {"fetch": handle}
    if flow is not None:
        programs[FLOW] = flow
    return programs


# -- checking ---------------------------------------------------------------------------------


def checker_of(
    programs: Programs, given: Scenario, functions: Functions | None = None, **options: Any
) -> Checker:
    """The checker of a scripted Worker."""
    return Checker(given, scripted(**programs), Engine(), CheckOptions(**options), functions)


def check(
    programs: Programs, given: Scenario, functions: Functions | None = None, **options: Any
) -> Verdict:
    """Check a scripted Worker."""
    return checker_of(programs, given, functions, **options).verdict()


def found_in(verdict: Verdict) -> dict[str, list[Witness]]:
    """Witnesses by broken invariant."""
    found: dict[str, list[Witness]] = {}
    for each in verdict.violations:
        faults = tuple(mark.text for mark in each.faults)
        again = tuple(f"redelivery of {name}" for name in each.redelivered)
        found.setdefault(each.invariant, []).append(((*faults, *again), each.claim))
    return {name: sorted(witnesses) for name, witnesses in found.items()}


def assert_told_apart(feature: Feature) -> None:
    """The planted program breaks the invariant exactly so, and its twin breaks nothing."""
    assert feature.fixed is not None or feature.fixed_scenario is not None
    verdict = check(feature.planted, feature.scenario, feature.functions, is_all=True)
    assert found_in(verdict) == {feature.invariant: sorted(feature.witnesses)}
    assert verdict.kind is VerdictKind.VIOLATED
    for violation in verdict.violations:
        assert replayed(feature, violation.token) == (violation.claim,)
    twin = with_faults(feature.fixed_scenario or feature.scenario, feature.fixed_faults)
    verdict = check(feature.fixed or feature.planted, twin, feature.functions)
    assert found_in(verdict) == {}
    assert (verdict.kind, verdict.vacuous) == (VerdictKind.BOUNDED, ())
    assert verdict.coverage.is_whole


def with_faults(given: Scenario, faults: int) -> Scenario:
    """The scenario with so many faults."""
    return replace(given, bounds=replace(given.bounds, max_faults=faults))


def replayed(feature: Feature, token: str) -> tuple[str, ...]:
    """What the replay of a token breaks, in a fresh model."""
    schedule = read_token(token)
    bounds = replace(
        feature.scenario.bounds,
        max_redeliveries=schedule.redeliveries_max,
        max_concurrent=schedule.concurrent_max,
    )
    whole = replace(feature.scenario, bounds=bounds)
    pairs = zip(whole.drive, schedule.kept, strict=True)
    kept = tuple(event for event, is_kept in pairs if is_kept)
    checker = checker_of(feature.planted, whole, feature.functions)

    def work() -> tuple[str, ...]:
        checker.run_without_faults(checker.model())
        model: Model = checker.model(replace(whole, drive=kept))
        trace = replay_schedule(model, schedule)
        return tuple(broken.claim for broken in model.claims(trace))

    return checker.with_reads(work)
