"""Small Workers, written as the bundler would write them, in a real Node host."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eutaxy._hosts.node import NodeHost
from eutaxy._hosts.toolchain import wheel_node

EPOCH_MS = 1_790_000_000_000
WORKFLOW = {"type": "workflow", "name": "jobs", "class": "Job"}
HEAD = """\
const { WorkflowEntrypoint } = require("cloudflare:workers");
"""


@dataclass(frozen=True)
class HandWritten:
    """A bundle without a bundler: the map sends every line to itself in worker.ts."""

    code: str
    map: str


@functools.cache
def nodes() -> dict[str, str]:
    """Every Node at hand, by a short name: the one on the PATH and the one from PyPI."""
    found = {}
    on_path = shutil.which("node")
    if on_path is not None:
        found["path"] = on_path
    from_wheel = wheel_node()
    if from_wheel is not None:
        found["wheel"] = from_wheel.path
    return found


def write_bundle(folder: Path, code: str) -> HandWritten:
    text = HEAD + code
    (folder / "worker.cjs").write_text(text, encoding="utf-8")
    # "AACA": column 0 of the next line comes from column 0 of the next line of source 0.
    mappings = "AAAA" + ";AACA" * (text.count("\n") + 1)
    source_map = {"version": 3, "sources": ["worker.ts"], "names": [], "mappings": mappings}
    (folder / "worker.cjs.map").write_text(json.dumps(source_map), encoding="utf-8")
    return HandWritten(str(folder / "worker.cjs"), str(folder / "worker.cjs.map"))


class World:
    """Asks a host in few words."""

    def __init__(self, host: NodeHost) -> None:
        self.host = host

    def request(self, *moves: dict[str, Any], warm: bool = False, **entry: Any) -> dict[str, Any]:
        """The answer to a request of `/` and moves."""
        return self.host.evaluate(request_entry(**entry), moves, warm)

    def job(self, *moves: dict[str, Any], warm: bool = False, **entry: Any) -> dict[str, Any]:
        """The answer to a lifetime of the Workflow class `Job` and moves."""
        return self.host.evaluate(job_entry(**entry), moves, warm)

    def body(self, *moves: dict[str, Any], **entry: Any) -> Any:
        """The body, read as JSON, of the response that a request ends with."""
        answer = self.request(*moves, **entry)
        reaction = only(answer["reactions"])
        assert "threw" not in reaction, reaction
        return json.loads(json.loads(reaction["returned"])["body"])


def request_entry(
    url: str = "https://worker.example/",
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    now: int = 0,
    salt: str = "",
) -> dict[str, Any]:
    value = {"url": url, "method": method, "headers": dict(headers or {}), "body": body}
    request = json.dumps(value)
    return {"kind": "request", "handler": "fetch", "request": request, "now": now, "salt": salt}


def job_entry(payload: Any = None, now: int = 0, salt: str = "") -> dict[str, Any]:
    event = {
        "payload": payload,
        "timestamp": {"$": "date", "of": EPOCH_MS},
        "instanceId": "job-1",
        "workflowName": "jobs",
    }
    return {
        "kind": "workflow",
        "class": "Job",
        "event": json.dumps(event),
        "now": now,
        "salt": salt,
    }


def returned(fiber: int, ordinal: int, value: Any = None, *, now: int = 0) -> dict[str, Any]:
    """Move: an effect ended with a value (plain, or a tagged tree)."""
    return {"fiber": fiber, "answer": ordinal, "returned": json.dumps(value), "now": now}


def threw(fiber: int, ordinal: int, message: str, **more: Any) -> dict[str, Any]:
    error = {"$": "error", "name": "Error", "message": message, **more}
    return {"fiber": fiber, "answer": ordinal, "threw": json.dumps(error), "now": 0}


def invoked(
    fiber: int, ordinal: int, part: str = "callback", argument: Any = None, salt: str = ""
) -> dict[str, Any]:
    default = {"step": {"name": "s", "count": 1}, "attempt": 1, "config": {}}
    value = json.dumps(default if argument is None else argument)
    move = {"fiber": fiber, "invoke": ordinal, "part": part, "argument": value}
    return {**move, "now": 0, "salt": salt}


def only(items: Sequence[Any]) -> Any:
    assert len(items) == 1, items
    return items[0]


def effects(answer: Mapping[str, Any], fiber: int = 0) -> list[dict[str, Any]]:
    """New effects of a fiber, their arguments decoded."""
    reaction = only([each for each in answer["reactions"] if each["fiber"] == fiber])
    return [{**effect, "args": json.loads(effect["args"])} for effect in reaction["effects"]]


def outcome(answer: Mapping[str, Any], fiber: int = 0) -> tuple[str, Any]:
    """How a fiber ended: ("returned" or "threw", value)."""
    reaction = only([each for each in answer["reactions"] if each["fiber"] == fiber])
    kind = only([each for each in ("returned", "threw") if each in reaction])
    return kind, json.loads(reaction[kind])


RunWorld = Callable[..., World]


def handlers_of(cases: Sequence[str], *, before: str = "") -> str:
    """A Worker that answers a request of /?<number> with the JSON of one of the expressions."""
    functions = "\n".join(f"async (request, env, ctx) =>\n(\n{case}\n)," for case in cases)
    return f"""{before}
const cases = [
{functions}
];
exports.default = {{ async fetch(request, env, ctx) {{
  const number = Number(new URL(request.url).search.slice(1));
  return Response.json(await cases[number](request, env, ctx) ?? null);
}} }};
"""


@contextmanager
def worlds(node: str, folder: Path) -> Iterator[RunWorld]:
    """A function that starts a Worker from code; all are ended in the end."""
    started: list[NodeHost] = []

    def run(code: str, *, loads: bool = True, env: Any = None, **options: Any) -> World:
        place = folder / str(len(started))
        place.mkdir()
        bindings = {"JOBS": WORKFLOW} if env is None else env
        settings: dict[str, Any] = {"date": "2026-10-01", "epoch_ms": EPOCH_MS, "root": str(place)}
        host = NodeHost(node, write_bundle(place, code), bindings, **(settings | options))
        started.append(host)
        if loads:
            host.load()
        return World(host)

    yield run
    for host in started:
        host.close()
