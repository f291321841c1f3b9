"""What the scenario expects of the run without faults, beyond that nothing throws."""

from __future__ import annotations

from eutaxy._base.record import Record, RecordKind
from eutaxy._base.scenario import DirectCall, HttpRequest, Scenario
from eutaxy._base.value import decode
from eutaxy._base.verdict import Suspicion
from eutaxy._explore.trace import Trace
from eutaxy._platform.requests.driver import REFUSED
from eutaxy.errors import ScenarioError

REFUSED_CALL = "refused-call"
"""Rule of suspicions about calls of the driver that fail even without faults."""

_SHOWN_MAX = 200


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
