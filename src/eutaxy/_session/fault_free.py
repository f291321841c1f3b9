"""The run without faults, and what the scenario expects of it."""

from __future__ import annotations

from collections.abc import Callable

from eutaxy._base.code import UserCode
from eutaxy._base.display import display
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.scenario import DirectCall, HttpRequest, Scenario
from eutaxy._base.value import UNDEFINED, Value, decode
from eutaxy._base.verdict import Suspicion
from eutaxy._explore.path import EndlessRun, first_path
from eutaxy._explore.trace import Trace, trace_of
from eutaxy._platform.requests.driver import REFUSED
from eutaxy._session.model import Model
from eutaxy.errors import ScenarioError

REFUSED_CALL = "refused-call"
"""Rule of suspicions about calls of the driver that fail even without faults."""

_SHOWN_MAX = 200


def run_without_faults(
    scenario: Scenario, model: Model, code: UserCode, *, is_out_of_time: Callable[[], bool]
) -> Trace:
    """Run once without faults and see that the Worker works at all.

    Args:
        scenario: The declarations.
        model: The scenario as a graph.
        code: Knows where values were thrown.
        is_out_of_time: Asked before each step; ends the run.

    Raises:
        ScenarioError: It throws, an instance fails, a request is answered with another status
            than it expects, or the run never comes to rest.
    """
    doing = f"running {scenario.name} without faults"
    try:
        path = first_path(model, is_out_of_time=is_out_of_time)
    except EndlessRun as endless:
        raise ScenarioError(
            doing,
            f"the run does not come to rest ({endless.steps} steps so far)",
            "look for a loop without end, such as a Workflow that polls for ever",
            place=scenario.path,
        ) from None
    trace = trace_of(model, path)
    for record in trace.records:
        if record.kind is RecordKind.END and _is_failure(scenario, record):
            ends = "throws" if record.text == "threw" else "ends errored"
            thrown = record.answer or UNDEFINED
            raise ScenarioError(
                doing,
                f"{record.activation} {ends}: {_error_text(thrown)}",
                "correct the Worker or the scenario first; faults are tried only on a run that "
                "works without them",
                place=code.place_of(thrown) or scenario.path,
            )
    judge_statuses(scenario, trace)
    return trace


def _is_failure(scenario: Scenario, record: Record) -> bool:
    """Whether the end of an activation shows that the Worker does not work without faults."""
    if record.text != "errored":
        return record.text == "threw"
    binding = record.activation.split(":")[1]
    return not any(s.may_fail for s in scenario.setup if s.binding == binding)


def _error_text(value: Value) -> str:
    tree = decode(value)
    if isinstance(tree, dict) and tree.get("$") == "error":
        return f"{tree.get('name')}: {tree.get('message')}"
    return display(value)


def judge_statuses(scenario: Scenario, trace: Trace) -> None:
    """See that requests of the driver are answered with the status that they expect.

    Of a client that repeats, the last answer counts. A request without answer is not judged here.

    Raises:
        ScenarioError: One is answered otherwise.
    """
    for request in scenario.drive:
        if not isinstance(request, HttpRequest) or request.expected_status is None:
            continue
        answers = [each.answer for each in _ends_of(request.name, trace) if each.answer is not None]
        answer = decode(answers[-1]) if answers else None
        if not isinstance(answer, dict) or answer["status"] == request.expected_status:
            continue
        body = answer.get("body")
        said = f": {body[:_SHOWN_MAX]}" if isinstance(body, str) and body else ""
        raise ScenarioError(
            f"running {scenario.name} without faults",
            f"{request.name} ({request.method} {request.url}) is answered with status "
            f"{answer['status']}, but it expects {request.expected_status}{said}",
            "correct the Worker, or the status that the request expects",
            place=request.place,
        )


def refused_calls(scenario: Scenario, trace: Trace) -> list[Suspicion]:
    """Calls of the driver that fail in the run without faults."""
    found: list[Suspicion] = []
    for event in scenario.drive:
        for end in _ends_of(event.name, trace):
            if isinstance(event, DirectCall) and end.text == REFUSED and end.answer is not None:
                error = decode(end.answer)
                told = error.get("message") if isinstance(error, dict) else error
                text = (
                    f"{event.name} ({event.operation} of {event.binding}) fails even without "
                    f"faults, so it does nothing: {told}"
                )
                found.append(Suspicion(rule=REFUSED_CALL, text=text, place=event.place))
    return found


def _ends_of(name: str, trace: Trace) -> list[Record]:
    return [
        each
        for each in trace.records
        if each.kind is RecordKind.END and each.activation.split("/")[0] == name
    ]
