"""Creating, finding and asking instances (spec sections 1.2, 1.3, 2.16; K-54 ... K-57)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.fault import Fault
from eutaxy._platform.workflows.binding import made_id
from eutaxy._platform.workflows.profile import LOCAL_2026_08, Engine
from eutaxy._platform.workflows.state import Status
from eutaxy.testing import sleep, step, wait
from tests.unit.platform.lab import (
    FLOW,
    Strike,
    create,
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

EXISTS = {
    "failed": 'WorkflowError: (instance.already_exists) Workflow instance with id "a" already exists'
}
INVALID = "WorkflowError: Workflow instance has invalid id"


def echo(event: Any) -> Any:
    yield write(event["instanceId"])
    return event["payload"]


def test_k_54_an_id_is_used_once() -> None:
    """R-CR-1, R-CR-2, DIFF-01: the first instance and its params stay."""
    ran = run(echo, scenario_of(request(create(params=1), create(params=2))))
    assert ran.answers() == [{"id": "a"}, EXISTS]
    assert ran.output == 1
    assert ran.writes == [(0, "a")]


def test_k_54_the_august_engine_returned_a_handle() -> None:
    """R-CR-3."""
    scenario = scenario_of(request(create(params=1), create(params=2)))
    ran = run(echo, scenario, engine=Engine(profile=LOCAL_2026_08))
    assert ran.answers() == [{"id": "a"}, {"id": "a"}]
    assert ran.output == 1


def test_r_cr_6_an_id_stays_used_after_the_end() -> None:
    ran = run(echo, scenario_of(request(create()), request(create(), at=1000)))
    assert ran.answers("req-2") == [EXISTS]


def test_k_55_a_retry_with_the_same_id_is_refused() -> None:
    """F-CR-2, R-CR-7."""
    ran = run(
        echo,
        scenario_of(request(create(), create())),
        Strike(fault=Fault.ANSWER_LOST, effect="create"),
    )
    assert ran.answers() == [{"failed": "Error: Network connection lost."}, EXISTS]
    assert ran.writes == [(0, "a")]


def test_k_55_a_retry_without_id_makes_a_second_instance() -> None:
    """F-CR-2, F-CR-3."""
    ran = run(
        echo,
        scenario_of(request(send("create"), send("create"))),
        Strike(fault=Fault.ANSWER_LOST, effect="create"),
    )
    assert len({key for _, key in ran.writes}) == 2


def test_f_cr_1_a_lost_request_creates_nothing() -> None:
    ran = run(
        echo,
        scenario_of(request(create(), create())),
        Strike(fault=Fault.REQUEST_LOST, effect="create"),
    )
    assert ran.answers() == [{"failed": "Error: Network connection lost."}, {"id": "a"}]


@pytest.mark.parametrize("options", [{}, {"params": 5}, {"id": {"$": "undefined"}}, None])
def test_an_instance_without_id_gets_one(options: Any) -> None:
    """Section 1.2."""
    ran = run(echo, scenario_of(request(send("create", options=options))))
    (answer,) = ran.answers()
    assert answer == {"id": made_id(FLOW, 1)}
    assert ran.writes == [(0, answer["id"])]


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [
        ("a", True),
        ("_a", True),
        ("0", True),
        ("a-b_c", True),
        ("x" * 100, True),
        ("x" * 101, False),
        ("", False),
        ("-a", False),
        ("a b", False),
        ("a.b", False),
        ("ä", False),
    ],
)
def test_ids_are_limited(name: str, *, is_valid: bool) -> None:
    """Section 1.2."""
    (answer,) = run(echo, scenario_of(request(create(name)))).answers()
    assert answer == {"id": name} if is_valid else answer["failed"].startswith(INVALID)


def test_an_id_that_is_no_text_is_refused() -> None:
    (answer,) = run(echo, scenario_of(request(send("create", options={"id": 5})))).answers()
    assert answer["failed"].startswith(INVALID)


@pytest.mark.parametrize("name", ["b", "", "not an id", 5])
def test_getting_an_unknown_instance_fails(name: Any) -> None:
    """Section 1.2: an invalid id gives the same error."""
    ran = run(echo, scenario_of(request(create(), send("get", id=name))))
    assert ran.answers() == [{"id": "a"}, {"failed": "Error: instance.not_found"}]


def test_getting_an_instance_gives_a_handle() -> None:
    ran = run(echo, scenario_of(request(create(), send("get", id="a"))))
    assert ran.answers() == [{"id": "a"}, {"id": "a"}]


def test_the_event_of_an_instance() -> None:
    """Section 1.4: omitted params are an empty object."""

    def flow(event: Any) -> Any:
        yield from ()
        return event

    engine = Engine(names={FLOW: "approvals"})
    ran = run(flow, scenario_of(request(create()), request(create("b", params=[1]))), engine=engine)
    shown = ran.output
    assert (shown["payload"], shown["instanceId"], shown["workflowName"]) == ({}, "a", "approvals")
    assert ran.status("b")["output"]["payload"] == [1]


def test_params_may_be_null() -> None:
    ran = run(echo, scenario_of(request(send("create", options={"id": "a", "params": None}))))
    assert ran.output is None


@pytest.mark.parametrize(("size", "is_refused"), [(2**20 - 2, False), (2**20 - 1, True)])
def test_params_are_limited(size: int, *, is_refused: bool) -> None:
    """Section 2.17: 1 MiB."""
    (answer,) = run(echo, scenario_of(request(create(params="x" * size)))).answers()
    assert ("failed" in answer) is is_refused


def test_the_status_of_an_instance_over_its_life() -> None:
    """R-ST-1, R-ST-3, 2.13."""

    def flow(_: Any) -> Any:
        yield sleep("short", "10 seconds")
        yield sleep("long", "1 hour")
        return {"done": True}

    scenario = scenario_of(
        request(create(), status()),
        request(status(), at=5_000),
        request(status(), at=60_000),
        request(status(), at=4_000_000),
    )
    ran = run(flow, scenario)
    shown = [ran.answers(f"req-{number}")[-1] for number in range(1, 5)]
    assert [each["status"] for each in shown] == ["queued", "running", "waiting", "complete"]
    assert shown[0] == {"status": "queued", "rollback": None}
    assert shown[3] == {"status": "complete", "output": {"done": True}, "rollback": None}


def test_the_status_of_a_failed_instance() -> None:
    def flow(_: Any) -> Any:
        yield step("bad", fails("why", "TypeError"), retries(0, 0))

    ran = run(flow, scenario_of(request(create()), request(status())))
    assert ran.answers("req-2") == [
        {"status": "errored", "error": {"name": "TypeError", "message": "why"}, "rollback": None}
    ]


def test_a_terminal_instance_keeps_nothing_that_no_longer_matters() -> None:
    """Its steps, waits and events are no part of the world any more."""

    def flow(_: Any) -> Any:
        yield step("s", gives(1))
        yield sleep("n", 1)
        yield wait("w", type="t")
        return "ok"

    scenario = scenario_of(
        request(create()),
        request(*(send("sendEvent", id="a", options={"type": "t"}) for _ in range(2))),
    )
    ended = run(flow, scenario).instance()
    assert ended.status is Status.COMPLETE
    assert replace(ended, steps=(), sleeps=(), waits=(), events=(), live=None) == ended


def test_k_56_an_array_batch_skips_ids_that_exist() -> None:
    """R-CR-8."""
    first = send("createBatch", options=[{"id": "x"}, {"id": "x"}, {"id": "y"}])
    second = send("createBatch", options=[{"id": "x"}, {}])
    ran = run(echo, scenario_of(request(first, second)))
    answers = ran.answers()
    assert [each["id"] for each in answers[0]] == ["x", "y"]
    assert len(answers[1]) == 1
    assert len(ran.writes) == 3


def test_k_57_an_object_batch_tells_what_it_could_not_create() -> None:
    """R-CR-9."""
    batch: dict[str, Any] = {"instances": [{"id": "x"}, {"id": "q"}, {"id": "q"}, {}]}
    ran = run(echo, scenario_of(request(create("x"), send("createBatch", options=batch))))
    answer = ran.answers()[1]
    assert answer["created"][0]["id"] == "q"
    assert len(answer["created"]) == 2
    assert [(each["index"], each["code"]) for each in answer["errors"]] == [(0, 10405), (2, 10415)]
