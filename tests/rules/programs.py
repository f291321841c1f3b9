"""Small Workflows in TypeScript with their Python twins, and the hosts that run them.

Every test module names its programs at the top level; all programs of a module become one Worker in
each language, which is loaded once. A program is the body of `run(event, step)`.

What every program may use, in both languages: `write(text)`, an outbound request that the tests see
as a write of `text`; `pause(ms)`, which lets time pass; `ask(text)`, a request that is answered with
a JSON value.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from eutaxy._hosts.bundle import bundle, worker_options
from eutaxy._hosts.cpython import CPythonHost
from eutaxy._hosts.node import NodeHost
from eutaxy._hosts.pinned_esbuild import find_esbuild
from eutaxy._hosts.toolchain import find_node
from eutaxy._session.epoch import EPOCH_MS

HOSTS = ("node", "cpython")
DATE = "2026-10-01"


class Host(Protocol):
    """A host process."""

    def evaluate(self, entry: Any, moves: Any, *, warm: bool = False) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Program:
    """A Workflow in both languages.

    Args:
        name: Class name, binding and, in lower case, the name of the Workflow.
        ts: Body of `run(event, step)`; `this.env` has all programs as bindings.
        py: Body of its twin; empty when Python has no way to say it.
        ts_fetch: Body of a request handler `(request, env)`, reached at the path "/<name>".
        py_fetch: Body of its twin.
        ts_head: What stands before the class.
        py_head: What stands before the class.
    """

    name: str
    ts: str
    py: str = ""
    ts_fetch: str = ""
    py_fetch: str = ""
    ts_head: str = ""
    py_head: str = ""


def programs_of(module: ModuleType) -> list[Program]:
    """The programs that a test module names, in its order."""
    return [each for each in vars(module).values() if isinstance(each, Program)]


_TS_HEAD = """\
import { WorkflowEntrypoint } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";

async function write(text: string): Promise<void> {
  await fetch("https://log.example/write", { method: "POST", body: text });
}
async function pause(ms: number): Promise<void> {
  await scheduler.wait(ms);
}
"""

_TS_CLASS = """\
{head}
export class {name} extends WorkflowEntrypoint {{
  async run(event, step) {{
{body}
  }}
}}
"""

_PY_HEAD = """\
import asyncio
import js
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit
from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch
from workers.workflows import NonRetryableError


async def write(text):
    await fetch("https://log.example/write", method="POST", body=text)


async def pause(ms):
    await asyncio.sleep(ms / 1000)

"""

_PY_CLASS = """\
{head}
class {name}(WorkflowEntrypoint):
    async def run(self, event, step):
{body}
"""


def typescript(programs: list[Program]) -> str:
    """One Worker with all programs."""
    parts = [_TS_HEAD]
    routes = []
    for each in programs:
        body = textwrap.indent(textwrap.dedent(each.ts).strip(), "    ")
        head = textwrap.dedent(each.ts_head)
        parts.append(_TS_CLASS.format(name=each.name, head=head, body=body))
        if each.ts_fetch:
            fetch = textwrap.indent(textwrap.dedent(each.ts_fetch).strip(), "        ")
            routes.append(f'      case "/{each.name}": {{\n{fetch}\n      }}\n')
    parts.append(
        "export default {\n  async fetch(request, env) {\n"
        "    switch (new URL(request.url).pathname) {\n"
        f"{''.join(routes)}    }}\n"
        "    return new Response(null, { status: 404 });\n  },\n};\n"
    )
    return "\n".join(parts)


def python(programs: list[Program]) -> str:
    """The same in Python."""
    parts = [_PY_HEAD]
    routes = []
    for each in programs:
        if not each.py:
            continue
        body = textwrap.indent(textwrap.dedent(each.py).strip(), " " * 8)
        head = textwrap.dedent(each.py_head)
        parts.append(_PY_CLASS.format(name=each.name, head=head, body=body))
        if each.py_fetch:
            fetch = textwrap.indent(textwrap.dedent(each.py_fetch).strip(), " " * 4)
            parts.append(f"async def fetch_{each.name}(request, env):\n{fetch}\n")
            routes.append(f'        "/{each.name}": fetch_{each.name},\n')
    parts.append(
        "class Default(WorkerEntrypoint):\n    async def fetch(self, request):\n"
        f"        routes = {{\n{''.join(routes)}        }}\n"
        "        return await routes[urlsplit(request.url).path](request, self.env)\n"
    )
    return "\n".join(parts)


@contextmanager
def running(kind: str, programs: list[Program], folder: Path) -> Iterator[Host]:
    """The host of that kind with a Worker that has all the programs."""
    usable = [each for each in programs if kind == "node" or each.py]
    env = {
        each.name: {"type": "workflow", "name": each.name.lower(), "class": each.name}
        for each in usable
    }
    host = _node(usable, folder, env) if kind == "node" else _cpython(usable, folder, env)
    try:
        host.load()
        yield host
    finally:
        host.close()


def _node(programs: list[Program], folder: Path, env: dict[str, Any]) -> NodeHost:
    entry = folder / "worker.ts"
    entry.write_text(typescript(programs), encoding="utf-8")
    bundled = bundle(
        entry,
        worker_options(),
        esbuild=find_esbuild(folder),
        cache=folder / "cache",
        doing="bundling the programs of a test module",
    )
    return NodeHost(find_node().path, bundled, env, date=DATE, epoch_ms=EPOCH_MS, root=str(folder))


def _cpython(programs: list[Program], folder: Path, env: dict[str, Any]) -> CPythonHost:
    entry = folder / "worker.py"
    entry.write_text(python(programs), encoding="utf-8")
    return CPythonHost(sys.executable, entry, env=env, date=DATE, epoch_ms=EPOCH_MS)
