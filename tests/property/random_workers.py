"""Random small Workflows, whose every later effect tells what they have observed before.

A program is a tree of statements that is drawn once and then interpreted; it has no hidden state. The
marks that it leaves carry a digest of all answers so far, so that a model which merged what differs
would be caught by its counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from eutaxy._base.scenario import Scenario
from eutaxy.testing import Ask, Failed, leave, race, sleep, step, timer, together, wait
from tests.oracles.workers import Worker
from tests.unit.platform.lab import (
    FLOW,
    client,
    create,
    event,
    request,
    scenario_of,
    send,
    status,
    write,
)

Body = Generator[Any, Any, Any]


@dataclass(frozen=True)
class Do:
    """A step: how long it takes, whether it fails, which marks it leaves."""

    name: str
    marks: int = 0
    pause_ms: int = 0
    fails: str = ""
    limit: int = 0
    timeout_ms: int = 0
    inner: Do | None = None
    delay: str = ""
    is_undoable: bool = False


@dataclass(frozen=True)
class Nap:
    ms: int


@dataclass(frozen=True)
class Await:
    timeout_ms: int


@dataclass(frozen=True)
class Mark:
    """A mark outside of steps."""


@dataclass(frozen=True)
class Group:
    """Several at once: awaited together, raced, or left alone."""

    how: str
    parts: tuple[Do | Nap | Await, ...]


Statement = Do | Nap | Await | Mark | Group

dos = st.builds(
    Do,
    name=st.sampled_from("ab"),
    marks=st.integers(0, 2),
    pause_ms=st.sampled_from([0, 0, 500, 2_000]),
    fails=st.sampled_from(["", "", "", "Error", "NonRetryableError"]),
    limit=st.integers(0, 1),
    timeout_ms=st.sampled_from([0, 0, 1_000]),
    inner=st.none() | st.builds(Do, name=st.just("inner"), marks=st.integers(0, 1)),
    delay=st.sampled_from(["", "", "", "gives", "fails", "waits"]),
    is_undoable=st.booleans(),
)
naps = st.builds(Nap, ms=st.sampled_from([0, 1_000, 600_000]))
awaits = st.builds(Await, timeout_ms=st.sampled_from([500, 1_000, 600_000]))
groups = st.builds(
    Group,
    how=st.sampled_from(["together", "race", "leave"]),
    parts=st.lists(dos | naps | awaits, min_size=2, max_size=2).map(tuple),
)


@dataclass(frozen=True)
class Flow:
    """A program as a script; an error of the name `last` ends it."""

    statements: tuple[Statement, ...]
    last: str
    is_own: bool = False
    """Whether each instance leaves marks that no other leaves."""

    def __call__(self, given: Any) -> Body:
        seen: list[Any] = [given["payload"]] if self.is_own else []
        for statement in self.statements:
            try:
                seen += [(yield _ask(statement, _digest(seen)))]
            except Failed as failed:
                seen += [[failed.name, failed.message]]
                if failed.name == self.last:
                    raise
        return seen


flows = st.builds(
    Flow,
    statements=st.lists(dos | naps | awaits | st.just(Mark()) | groups, min_size=1, max_size=3).map(
        tuple
    ),
    last=st.sampled_from(["", "Error"]),
)


def _ask(statement: Statement, told: str) -> Any:
    if isinstance(statement, Group):
        asks = [_single(part, told) for part in statement.parts]
        return {"together": together, "race": race, "leave": leave}[statement.how](*asks)
    if isinstance(statement, Mark):
        return write(f"outside {told}")
    return _single(statement, told)


def _single(statement: Do | Nap | Await, told: str) -> Ask:
    if isinstance(statement, Nap):
        return sleep("nap", statement.ms)
    if isinstance(statement, Await):
        return wait("wait", type="t", timeout=statement.timeout_ms)
    return _step(statement, told)


def _step(do: Do, told: str) -> Ask:
    def callback(_: Any) -> Body:
        seen: list[Any] = []
        for number in range(do.marks):
            seen += [(yield write(f"{do.name}{number} {told} {_digest(seen)}"))]
        if do.inner is not None:
            seen += [(yield _step(do.inner, told))]
        if do.pause_ms:
            yield timer(do.pause_ms)
            if do.marks:
                yield write(f"{do.name} after {told} {_digest(seen)}")
        if do.fails:
            raise Failed(do.fails, _digest(seen))
        return seen

    def delay(given: Any) -> Body:
        if do.delay == "waits":
            yield timer(300)
        if do.delay == "fails":
            raise Failed("Error", "no delay")
        return 700

    def undo(given: Any) -> Body:
        yield write(f"undo {do.name} {_digest([given['output'], given['error']['message']])}")

    config: dict[str, Any] = {"retries": {"limit": do.limit, "backoff": "constant"}}
    if not do.delay:
        config["retries"]["delay"] = 700
    if do.timeout_ms:
        config["timeout"] = do.timeout_ms
    return step(
        do.name,
        callback,
        config,
        delay=delay if do.delay else None,
        rollback=undo if do.is_undoable else None,
    )


def _digest(seen: list[Any]) -> str:
    return hashlib.blake2b(json.dumps(seen).encode(), digest_size=3).hexdigest()


@st.composite
def workers(draw: st.DrawFn) -> Worker:
    """Draw a Worker with its scenario."""
    return Worker(
        programs={"fetch": client, FLOW: draw(flows)},
        scenario=draw(scenarios()),
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Draw what the outside does."""
    calls = {
        "event": event("e"),
        "status": status(),
        "again": create(),
        "terminate and undo": send("terminate", id="a", options={"rollback": True}),
        "restart from a": send("restart", id="a", options={"from": {"name": "a"}}),
        "batch": send("createBatch", options=[{"id": "a"}, {"id": "b"}]),
    }
    for operation in ("pause", "resume", "terminate", "restart", "delete"):
        calls[operation] = send(operation, id="a", options={"$": "undefined"})
    later = draw(st.lists(st.sampled_from(sorted(calls)), max_size=3))
    at = draw(st.none() | st.sampled_from([500, 1_000, 600_000]))
    requests = [request(create())]
    if later:
        requests.append(request(*(calls[each] for each in later), at=at))
    faults = draw(st.integers(0, 2))
    return scenario_of(
        *requests,
        faults=faults,
        redeliveries=draw(st.integers(0, 1)) if faults < 2 else 0,
        concurrent=draw(st.integers(1, 2)) if faults == 0 else 1,
        invariants=(),
    )
