"""A Python Worker and its JavaScript twin ask for the same effects and end in the same way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.hosts import cpython_world, node_world
from tests.hosts.node_world import invoked, returned, threw

pytestmark = pytest.mark.host

FILES = Path(__file__).parent / "cpython_workers"
POST = {"method": "POST", "headers": {"content-type": "application/json"}}
EXPENSE = {"expenseId": "exp-1", "employee": "e-7 é", "amountCents": 4200, "rate": 0.5, "tags": []}
DECISION = {"payload": {"approved": True}, "timestamp": {"$": "date", "of": 5}, "type": "decision"}


class Twins:
    """Asks both hosts the same and insists on the same answer."""

    def __init__(self, python: cpython_world.World, node: node_world.World) -> None:
        self._python = python
        self._node = node

    def request(self, *moves: dict[str, Any], **entry: Any) -> dict[str, Any]:
        return same(self._python.request(*moves, **entry), self._node.request(*moves, **entry))

    def job(self, *moves: dict[str, Any]) -> dict[str, Any]:
        mine = self._python.job(*moves, payload=EXPENSE)
        return same(mine, self._node.job(*moves, payload=EXPENSE))


def same(python: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of both, without the places, which differ by nature."""
    mine, theirs = unplaced(python), unplaced(node)
    assert mine == theirs
    return mine


def unplaced(answer: Mapping[str, Any]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(answer))
    for reaction in copy["reactions"]:
        for effect in reaction["effects"]:
            assert effect.pop("place")
    return copy


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    node = next(iter(node_world.nodes().values()))
    python_code = (FILES / "expenses.py").read_text(encoding="utf-8")
    node_code = (FILES / "expenses.cjs").read_text(encoding="utf-8")
    with (
        cpython_world.workers(tmp_path_factory.mktemp("python")) as start_python,
        node_world.worlds(node, tmp_path_factory.mktemp("node")) as start_node,
    ):
        yield Twins(start_python(python_code), start_node(node_code))


def test_filing_creates_an_instance(twins: Twins) -> None:
    entry: dict[str, Any] = {
        "url": "https://x.example/expenses",
        "body": json.dumps(EXPENSE),
        **POST,
    }
    (created,) = twins.request(**entry)["reactions"]
    (effect,) = created["effects"]
    assert (effect["name"], effect["operation"]) == ("Workflow:JOBS", "create")
    assert json.loads(effect["args"]) == {"options": {"id": "exp-1", "params": EXPENSE}}
    (ended,) = twins.request(returned(0, 1, {"id": "exp-1"}), **entry)["reactions"]
    assert json.loads(ended["returned"])["status"] == 202


@pytest.mark.parametrize("status", ["waiting", "complete"])
def test_deciding_sends_an_event(twins: Twins, status: str) -> None:
    url = "https://x.example/expenses/exp-1/decision"
    entry: dict[str, Any] = {"url": url, "body": '{"approved":true,"by":null}', **POST}
    state = {"status": status, "error": None, "output": None}
    moves = [returned(0, 1, {"id": "exp-1"}), returned(0, 2, state), returned(0, 3, None)]
    for count in range(4 if status == "waiting" else 3):
        twins.request(*moves[:count], **entry)


def test_other_requests_are_refused(twins: Twins) -> None:
    twins.request(url="https://x.example/")


@pytest.mark.parametrize("approved", [True, False])
def test_the_workflow_waits_and_pays(twins: Twins, *, approved: bool) -> None:
    event = {**DECISION, "payload": {"approved": approved, "by": "m-1"}}
    paid = {"status": 201, "headers": {}, "body": '{"payoutId":"po-1"}'}
    moves = [
        returned(0, 1, event),
        invoked(0, 2),
        returned(1, 1, paid),
        returned(0, 2, {"payoutId": "po-1"}),
    ]
    for count in range(5 if approved else 2):
        twins.job(*moves[:count])


def test_the_network_may_fail(twins: Twins) -> None:
    failed = threw(0, 1, "Network connection lost.", of={"retryable": True})
    entry: dict[str, Any] = {
        "url": "https://x.example/expenses",
        "body": json.dumps(EXPENSE),
        **POST,
    }
    # Python reports its own traceback, so only that both ended by throwing is the same.
    for world in (twins._python, twins._node):
        (reaction,) = world.request(failed, **entry)["reactions"]
        assert "threw" in reaction
