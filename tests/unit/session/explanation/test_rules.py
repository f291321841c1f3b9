"""Which rules and fault points a run is said to rest on, fault by fault."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from tools.docs import rule_sentences
from tools.rules_table import ASKED, FAULTS

from eutaxy._explore.path import first_path, walk
from eutaxy._explore.trace import trace_of
from eutaxy._session.explanation.rules import ALL, rules_of
from eutaxy._session.model import Model
from eutaxy.testing import Failed, sleep, step, wait
from tests.planted.checking import Programs, checker_of
from tests.unit.platform.lab import (
    FLOW,
    client,
    create,
    event,
    fails,
    request,
    retries,
    scenario_of,
    write,
)


def _pay(_: Any) -> Any:
    yield write("pay", once=True)


def _flow(_: Any) -> Any:
    with suppress(Failed):
        yield step("bad", fails(), retries(1, 5_000))
    yield sleep("nap", 60_000)
    yield wait("go", type="t")
    yield step("pay", _pay)
    yield write("outside", once=True)


PROGRAMS: Programs = {"fetch": client, FLOW: _flow}


def model_of() -> Model:
    scenario = scenario_of(request(create()), request(event()), faults=1, redeliveries=1)
    checker = checker_of(PROGRAMS, scenario)
    return checker.with_reads(checker.prepared_model)


def test_every_id_is_of_the_catalogue() -> None:
    known = (*rule_sentences(), *FAULTS, *ASKED)
    assert [each for each in ALL if each not in known] == []


def test_a_run_without_faults_rests_on_the_rules_of_what_it_does() -> None:
    model = model_of()
    assert rules_of(model, first_path(model)) == (
        *("R-CR-1", "R-EV-1", "R-RT-1", "R-SL-2", "R-EV-3", "R-DO-1", "R-RUN-1"),
    )


def _at(name: str, number: int, effect: str) -> str:
    return f"{name} effect #{number} ({effect})"


def test_each_fault_is_named_as_its_point_of_the_catalogue() -> None:
    model = model_of()
    path = first_path(model)
    points: dict[str, tuple[str, ...]] = {}
    for at, (world, _) in enumerate(walk(model, path)):
        before = rules_of(model, path[:at])
        for number, option in enumerate(model.choices(world)):
            if option.faults:
                struck = (*path[:at], number)
                (mark,) = trace_of(model, struck).faults
                found = (each for each in rules_of(model, struck) if each not in before)
                points[mark.text.replace("workflow:FLOW:a#0", "a")] = tuple(found)
    create_call, start, end = (
        "Workflow:FLOW create",
        "Workflow:FLOW step_start",
        "Workflow:FLOW step_result",
    )
    send, post = "Workflow:FLOW sendEvent", "Fetch:log POST"
    assert {text: ids for text, ids in points.items() if ids} == {
        f"crash_after at {_at('req-1', 1, create_call)}": ("R-CR-1", "F-CR-6"),
        f"request_lost at {_at('req-1', 1, create_call)}": ("F-CR-1",),
        f"answer_lost at {_at('req-1', 1, create_call)}": ("R-CR-1", "F-CR-2"),
        f"answer_late at {_at('req-1', 1, create_call)}": ("R-CR-1",),
        f"crash_after at {_at('req-2', 1, send)}": ("R-EV-1",),
        f"request_lost at {_at('req-2', 1, send)}": ("F-EV-2",),
        f"answer_lost at {_at('req-2', 1, send)}": ("R-EV-1", "F-EV-3"),
        f"answer_late at {_at('req-2', 1, send)}": ("R-EV-1",),
        # The step that fails: before its first attempt, in it, and before its failure is stored.
        f"crash_before at {_at('a', 1, start)}": ("F-DO-1",),
        f"crash_after at {_at('a', 1, start)}": ("F-DO-3",),
        f"crash_after at {_at('a', 2, end)}": ("F-DO-7",),
        "crash_idle at a after effect #2": ("F-DO-8",),
        f"crash_before at {_at('a', 3, start)}": ("F-DO-8",),
        f"crash_after at {_at('a', 3, start)}": ("R-RT-1", "F-DO-3"),
        f"crash_after at {_at('a', 4, end)}": ("F-DO-7",),
        "crash_idle at a after effect #4": ("F-SL-2",),
        # The step that calls.
        f"crash_before at {_at('a', 5, start)}": ("F-DO-1",),
        f"crash_after at {_at('a', 5, start)}": ("F-DO-3",),
        f"crash_after at {_at('a', 6, post)}": ("F-DO-4",),
        f"crash_in_flight at {_at('a', 6, post)}": ("F-DO-13",),
        f"request_lost at {_at('a', 6, post)}": ("F-DO-15",),
        f"answer_lost at {_at('a', 6, post)}": ("F-DO-14",),
        f"answer_late at {_at('a', 6, post)}": ("F-DO-12",),
        f"crash_after at {_at('a', 7, end)}": ("F-DO-5",),
        f"store_failed at {_at('a', 7, end)}": ("F-DO-16",),
        f"crash_after at {_at('a', 8, post)}": ("F-RUN-6",),
        f"crash_after at {_at('a', 9, 'Workflow:FLOW run_result')}": ("F-RUN-7",),
    }


def test_a_redelivery_is_a_point_of_the_catalogue_too() -> None:
    model = model_of()
    path = first_path(model)
    for at, (world, _) in enumerate(walk(model, path)):
        for number, option in enumerate(model.choices(world)):
            if option.redeliveries:
                assert "F-CR-3" in rules_of(model, (*path[:at], number))
                return
    raise AssertionError
