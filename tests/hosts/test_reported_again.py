"""The code of a reported schedule is evaluated many times more than the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from eutaxy._base.code import NO_LIFE, Answer, NodeId, RequestEntry, Returned
from eutaxy._base.value import NULL, encode
from eutaxy._hosts.node_trie import NodeTrie
from eutaxy.errors import UnfaithfulError


class Moody:
    """A host whose answer changes at the n-th evaluation of one question."""

    def __init__(self, changes_at: int) -> None:
        self.asked: list[tuple[int, bool]] = []
        self._changes_at = changes_at

    def evaluate(
        self, entry: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], *, warm: bool = False
    ) -> dict[str, Any]:
        """Issue one more call after each answer."""
        self.asked.append((len(moves), warm))
        seen = sum(length == len(moves) for length, _ in self.asked)
        is_odd = len(moves) == 1 and seen == self._changes_at
        effect = {
            "ordinal": len(moves) + 1,
            "kind": "call",
            "name": "Fetch",
            "operation": "POST",
            "args": encode("odd" if is_odd else "same"),
            "place": "",
        }
        return {"reactions": [{"fiber": 0, "effects": [effect]}], "reads": [], "prints": []}


ENTRY = RequestEntry(handler="fetch", request=NULL)
ANSWER = Answer(1, Returned(NULL))


def _known(host: Moody) -> tuple[NodeTrie, NodeId]:
    trie = NodeTrie(host)
    root = trie.start(ENTRY).node
    second = trie.move(NO_LIFE, root, ANSWER).node
    trie.move(NO_LIFE, second, Answer(2, Returned(NULL)))
    return trie, root


def test_only_what_the_schedule_needs_is_asked_again() -> None:
    host = Moody(changes_at=99)
    trie, root = _known(host)
    host.asked.clear()

    def replay() -> None:
        trie.start(ENTRY)
        trie.move(NO_LIFE, root, ANSWER)

    trie.evaluate_often(replay, host, 10)
    assert len(host.asked) == 20
    assert {length for length, _ in host.asked} == {0, 1}
    # In fresh isolates and in those that have served before.
    assert [warm for length, warm in host.asked if length == 1] == [False, True] * 5


@pytest.mark.parametrize("changes_at", [2, 7, 11])
def test_an_answer_that_changes_seldom_is_noticed(changes_at: int) -> None:
    host = Moody(changes_at)
    trie, root = _known(host)
    with pytest.raises(UnfaithfulError, match="POST"):
        trie.evaluate_often(lambda: trie.move(NO_LIFE, root, ANSWER), host, 10)


def test_nothing_is_asked_when_nothing_is_reported() -> None:
    host = Moody(changes_at=99)
    trie, _ = _known(host)
    host.asked.clear()
    trie.evaluate_often(lambda: None, host, 10)
    assert host.asked == []
