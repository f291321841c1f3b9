"""A question that is one move longer than an earlier one is answered by going on from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eutaxy.errors import HostError
from tests.hosts.node_world import RunWorld, World, invoked, job_entry, returned, worlds

pytestmark = pytest.mark.host

CHAIN = """
let served = 0;
exports.Job = class extends WorkflowEntrypoint {
  async run(event, step) {
    globalThis.begun = (globalThis.begun ?? 0) + 1;
    for (let number = 0; number < 12; number += 1) {
      served += 1;
      Array.prototype.mine ??= served;
      const got = await step.do(`s${number}`, async () => {
        const answer = await fetch("https://x.example/" + number);
        return [await answer.text(), served, begun, Math.random(), [].mine];
      });
      console.log(number, got, served, [].mine, "a1b".replace(/\\d/, "x"));
    }
    return served;
  }
};
exports.Other = class extends WorkflowEntrypoint {
  async run(event, step) {
    served += 100;
    await step.do("other" + served, () => [served, typeof begun, [].mine]);
    return [served, [].mine];
  }
};
"""


def _moves(count: int) -> list[dict[str, Any]]:
    """Steps one after another: the callback begins, its call is answered, the step ends."""
    moves: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        moves.append({**invoked(0, number), "now": number, "salt": f"salt {number}"})
        moves.append(returned(number, 1, {"status": 200, "headers": {}, "body": f"b{number}"}))
        moves.append(returned(0, number, [f"b{number}", number, 1], now=number))
    return moves


def _answers(world: World, entries: list[dict[str, Any]], moves: list[Any]) -> list[str]:
    """Answers to questions that grow by one move, in turn for each entry."""
    return [
        json.dumps(world.host.evaluate(entry, moves[:length]))
        for length in range(len(moves) + 1)
        for entry in entries
    ]


def test_it_answers_as_if_it_had_started_again(
    run_in_node: RunWorld, node: str, tmp_path: Path
) -> None:
    growing, moves = run_in_node(CHAIN), _moves(12)
    entries = [job_entry(payload=number, salt=f"{number}") for number in range(3)]
    told = _answers(growing, entries, moves)
    # Asked backwards, no question is one move longer than an earlier one.
    questions = [(entry, moves[:length]) for length in range(len(moves) + 1) for entry in entries]
    (tmp_path / "fresh").mkdir()
    with worlds(node, tmp_path / "fresh") as start:
        fresh = start(CHAIN).host
        again = [json.dumps(fresh.evaluate(*each)) for each in reversed(questions)]
    assert told == again[::-1]
    assert '\\"b12\\"' in told[-1] or "b12" in told[-1]
    assert '"returned": "12"' in told[-1]


def test_two_branches_from_one_place_know_nothing_of_each_other(run_in_node: RunWorld) -> None:
    world = run_in_node(CHAIN)
    before = [*_moves(1), invoked(0, 2)]
    world.host.evaluate(job_entry(), before)
    branches = [
        json.dumps(
            world.host.evaluate(
                job_entry(),
                [*before, returned(2, 1, {"status": 200, "headers": {}, "body": body})],
            )
        )
        for body in ("left", "right", "left")
    ]
    assert branches[0] == branches[2]
    assert "left" in branches[0]
    assert "right" in branches[1]


def test_others_in_between_change_nothing(run_in_node: RunWorld) -> None:
    world = run_in_node(CHAIN)
    alone = _answers(world, [job_entry()], _moves(3))
    other = {**job_entry(), "class": "Other"}
    mixed: list[str] = []
    for length in range(len(_moves(3)) + 1):
        mixed.append(json.dumps(world.host.evaluate(job_entry(payload=0), _moves(3)[:length])))
        told = json.dumps(world.host.evaluate(other, [invoked(0, 1)][: length % 2]))
        assert '\\"number\\"' not in told
        world.host.evaluate(other, [], warm=True)
    payload = job_entry(payload=0)
    assert mixed == [
        json.dumps(world.host.evaluate(payload, _moves(3)[:length]))
        for length in range(len(_moves(3)) + 1)
    ]
    assert len(alone) == len(mixed)


def test_what_served_another_since_is_not_gone_on_from(run_in_node: RunWorld) -> None:
    world = run_in_node(CHAIN)
    moves = _moves(2)
    expected = json.dumps(world.host.evaluate(job_entry(), moves))
    world.host.evaluate(job_entry(), moves[:-1])
    world.host.evaluate({**job_entry(), "class": "Other"}, [], warm=True)
    assert json.dumps(world.host.evaluate(job_entry(), moves)) == expected


def test_a_refused_move_tells_all_earlier_reactions(run_in_node: RunWorld) -> None:
    told: list[Any] = []
    for grows in (True, False):
        world = run_in_node(CHAIN)
        moves = _moves(2)
        for length in range(len(moves) + 1) if grows else ():
            world.host.evaluate(job_entry(), moves[:length])
        with pytest.raises(HostError) as caught:
            world.host.evaluate(job_entry(), [*moves, returned(0, 99)])
        told.append(caught.value.earlier)  # type: ignore[attr-defined]
    assert told[0] == told[1]
    assert len(told[0]) == len(_moves(2)) + 1
    assert all(told[0])
