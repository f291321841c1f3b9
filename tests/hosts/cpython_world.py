"""Small Python Workers in a real Python host, and an engine just large enough to drive Workflows."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eutaxy._hosts.cpython import CPythonHost
from tests.hosts.node_world import EPOCH_MS, WORKFLOW, job_entry, only, request_entry

CHILD_PYTHON = os.environ.get("EUTAXY_CHILD_PYTHON", sys.executable)
"""The interpreter that runs Workers; set it to try another version of Python."""

HEAD = "from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch\n"


class World:
    """Asks a host in few words."""

    def __init__(self, host: CPythonHost) -> None:
        self.host = host

    def request(self, *moves: dict[str, Any], warm: bool = False, **entry: Any) -> dict[str, Any]:
        """The answer to a request of `/` and moves."""
        return self.host.evaluate(request_entry(**entry), moves, warm)

    def job(self, *moves: dict[str, Any], warm: bool = False, **entry: Any) -> dict[str, Any]:
        """The answer to a lifetime of the Workflow class `Job` and moves."""
        return self.host.evaluate(job_entry(**entry), moves, warm)

    def body(self, *moves: dict[str, Any], warm: bool = False, **entry: Any) -> Any:
        """The body, read as JSON, of the response that a request ends with."""
        reaction = only(self.request(*moves, warm=warm, **entry)["reactions"])
        assert "threw" not in reaction, reaction
        return json.loads(json.loads(reaction["returned"])["body"])


RunWorker = Callable[..., World]


def worker(code: str) -> str:
    """Text of a main module."""
    return HEAD + textwrap.dedent(code)


def answering(expression: str, *, before: str = "") -> str:
    """A main module whose `fetch` answers with the value of an expression, as JSON."""
    head = textwrap.dedent(before)
    return worker(
        f"{head}\n"
        "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        f"        return Response.json({expression})\n"
    )


def workflow(body: str, *, before: str = "") -> str:
    """A main module whose Workflow `Job` has that body of `run(self, event, step)`."""
    head = textwrap.dedent(before)
    lines = textwrap.indent(textwrap.dedent(body), " " * 8)
    run = f"class Job(WorkflowEntrypoint):\n    async def run(self, event, step):\n{lines}\n"
    return f"{HEAD}{head}\n{run}"


@contextmanager
def workers(folder: Path) -> Iterator[RunWorker]:
    """A function that starts a Worker from its files; all are ended in the end."""
    started: list[CPythonHost] = []

    def run(
        code: str,
        *,
        files: dict[str, str] | None = None,
        main: str = "worker.py",
        loads: bool = True,
        env: Any = None,
        **options: Any,
    ) -> World:
        place = folder / str(len(started))
        for name, text in {main: code, **(files or {})}.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, encoding="utf-8")
        bindings = {"JOBS": WORKFLOW} if env is None else env
        settings: dict[str, Any] = {"date": "2026-10-01", "epoch_ms": EPOCH_MS, "root": place}
        host = CPythonHost(
            options.pop("python", CHILD_PYTHON),
            place / main,
            env=bindings,
            **(settings | options),
        )
        started.append(host)
        if loads:
            host.load()
        return World(host)

    yield run
    for host in started:
        host.close()


class Engine:
    """Runs one lifetime of `Job`: attempts with a limit of retries, and the emulator's test for
    errors that must not be retried. Timers fire when nothing else is left to do.

    Args:
        world: The Worker.
        limit: Retries of every step.
    """

    def __init__(self, world: World, *, limit: int = 0) -> None:
        self._world = world
        self._limit = limit
        self._moves: list[dict[str, Any]] = []
        self._counts: dict[str, int] = {}
        self._waiting: list[Callable[[], dict[str, Any]]] = []
        self._timers: list[Callable[[], dict[str, Any]]] = []
        self._attempts: dict[int, Callable[[dict[str, Any]], None]] = {}
        self.log: list[str] = []
        self.outcome: tuple[str, Any] | None = None

    def run(self) -> Engine:
        """Until nothing is left to do."""
        self._hear()
        while self._waiting or self._timers:
            make = (self._waiting or self._timers).pop(0)
            self._moves.append(make())
            self._hear()
        return self

    def _hear(self) -> None:
        for reaction in self._world.job(*self._moves)["reactions"]:
            fiber = reaction["fiber"]
            for effect in reaction["effects"]:
                self._begin(fiber, effect)
            kind = next((each for each in ("returned", "threw") if each in reaction), None)
            if kind is None:
                continue
            if fiber == 0:
                self.outcome = (kind, json.loads(reaction[kind]))
            else:
                self._attempts.pop(fiber)({kind: reaction[kind]})

    def _begin(self, fiber: int, effect: dict[str, Any]) -> None:
        ordinal, name = effect["ordinal"], effect["name"]
        if effect["kind"] == "timer":
            answer = {"fiber": fiber, "answer": ordinal, "returned": "null", "now": 0}
            self._timers.append(lambda: answer)
            return
        assert effect["kind"] == "step", effect
        count = self._counts[name] = self._counts.get(name, 0) + 1
        self._attempt(fiber, ordinal, f"{name}-{count}", 1)

    def _attempt(self, parent: int, ordinal: int, key: str, number: int) -> None:
        def make() -> dict[str, Any]:
            self.log.append(f"{key}#{number}")
            started = sum(1 for move in self._moves if "invoke" in move) + 1
            self._attempts[started] = ended
            name, _, count = key.rpartition("-")
            context = {"step": {"name": name, "count": int(count)}, "attempt": number, "config": {}}
            call = {"fiber": parent, "invoke": ordinal, "part": "callback"}
            return {**call, "argument": json.dumps(context), "now": 0, "salt": ""}

        def ended(outcome: dict[str, Any]) -> None:
            if "threw" in outcome and number <= self._limit and not _is_final(outcome["threw"]):
                self._attempt(parent, ordinal, key, number + 1)
                return
            if "returned" in outcome:
                self.log.append(f"{key} ok")
            self._waiting.append(lambda: {"fiber": parent, "answer": ordinal, **outcome, "now": 0})

        self._waiting.append(make)

    @property
    def started(self) -> list[str]:
        """Attempts in the order in which they began."""
        return [line for line in self.log if "#" in line]

    @property
    def result(self) -> Any:
        """What `run` returned."""
        assert self.outcome is not None, "run has not ended"
        kind, value = self.outcome
        assert kind == "returned", value
        return value


def _is_final(threw: str) -> bool:
    error = json.loads(threw)
    name = "NonRetryableError"
    return bool(error["name"] == name or error["message"].startswith(name))
