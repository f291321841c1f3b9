"""The Node host: runs bundled TypeScript and JavaScript in a child process.

What runs inside the child is `js/main.cjs`; the words are those of docs/host-protocol.md. Node's
permission model closes files, child processes, workers and add-ons of the machine to the child, and
the modules in `js/` leave nothing within reach of user code that leads to the network.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from eutaxy._hosts.process import DEADLINE_S, HostDied, HostHung, HostProcess, MoveRefused
from eutaxy._hosts.source_map import SourceMap
from eutaxy._hosts.toolchain import probe_node
from eutaxy.errors import HostError, ProtocolError, ScenarioError, UnmodelledError

_MAIN = Path(__file__).resolve().parent / "js" / "main.cjs"
_ENVIRONMENT = {
    "TZ": "UTC",
    "LC_ALL": "en_US.UTF-8",
    # Work on other threads ends in the order in which it was begun.
    "UV_THREADPOOL_SIZE": "1",
}
_HEAP_MB_MAX = 512
_QUIET_SHARE = 0.8
"""Part of the deadline after which the child itself names what does not become quiet."""

_LOADING = "evaluating the module of the Worker"
_RUNNING = "running user code in the Node host"
_FRAME = re.compile(r"worker\.js:(\d+):?(\d+)?")
_PLACE = re.compile(r"(\d+):(\d+)")


class BundledCode(Protocol):
    """Where the bundle is: a CommonJS script and its source map, as absolute paths."""

    @property
    def code(self) -> str:
        """The script."""
        ...

    @property
    def map(self) -> str:
        """Its source map."""
        ...


class NodeHost:
    """Evaluates a bundled Worker in a child process.

    Args:
        node: Path of the Node program (20 or later).
        bundle: The Worker.
        env: Bindings by name, as the `load` question of the protocol has them.
        flags: Compatibility flags.
        date: Compatibility date.
        epoch_ms: Virtual time zero, in ms since 1970.
        root: Folder that places in messages are relative to; empty leaves them absolute.
        deadline_s: Wall-clock seconds that one evaluation may take.
        modules: What the bundle requires that is not code, as the `load` question has it.
    """

    def __init__(
        self,
        node: str,
        bundle: BundledCode,
        env: Mapping[str, Mapping[str, Any]],
        *,
        flags: Sequence[str] = (),
        date: str = "",
        epoch_ms: int = 0,
        root: str = "",
        deadline_s: float = DEADLINE_S,
        modules: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._load_question = {
            "op": "load",
            "code": bundle.code,
            "root": root,
            "env": {name: dict(binding) for name, binding in env.items()},
            "flags": list(flags),
            "date": date,
            "epoch": epoch_ms,
            "modules": {name: dict(module) for name, module in (modules or {}).items()},
        }
        self._root = root
        self._source_map = SourceMap(bundle.map)
        self._loaded: dict[str, Any] | None = None
        self._process = HostProcess(
            "the Node host",
            _command(node, bundle.code, quiet_ms=int(deadline_s * 1000 * _QUIET_SHARE)),
            _ENVIRONMENT,
            cwd=tempfile.gettempdir(),
            deadline_s=deadline_s,
            on_start=self._load_on_start,
        )
        self._is_loading = False

    def load(self) -> dict[str, Any]:
        """Start the child and evaluate the module once.

        Returns:
            `{"handlers": [name, ..], "classes": [{"name", "kind"}, ..]}`: what the Worker exports;
            kind is workflow, object (a Durable Object) or entrypoint.

        Raises:
            ScenarioError: The module is no valid script, or evaluating it threw.
            UnmodelledError: Evaluating it used something that is not modelled.
            HostError: The child failed.
        """
        answer = self._loaded if self._loaded is not None else self._ask_to_load(self._process)
        return {name: answer[name] for name in ("handlers", "classes")}

    def evaluate(
        self,
        entry: Mapping[str, Any],
        moves: Sequence[Mapping[str, Any]],
        warm: bool = False,  # noqa: FBT001, FBT002 - the contract of all hosts
    ) -> dict[str, Any]:
        """Evaluate an entry and moves in a fresh isolate (`warm`: in the one that served last).

        Returns:
            `{"reactions", "reads", "prints"}` as in the protocol.

        Raises:
            UnmodelledError: User code used something that is not modelled.
            HostError: Evaluation cannot go on; the next question starts a new child.
        """
        question = {"op": "evaluate", "entry": dict(entry), "moves": list(moves), "warm": warm}
        told = self._checked(self._process.ask(question), "reactions")
        for reaction in told["reactions"]:
            if "threw" in reaction:
                reaction["place"] = self._own_place(reaction["stack"]) or reaction["place"]
        return told

    def close(self) -> None:
        """End the child. The next question starts a new one."""
        self._process.close()

    def _load_on_start(self, process: HostProcess) -> None:
        # The question that starts the child may itself be the one to load.
        if not self._is_loading:
            self._ask_to_load(process)

    def _ask_to_load(self, process: HostProcess) -> dict[str, Any]:
        self._is_loading = True
        try:
            self._loaded = self._checked(process.ask(self._load_question), "handlers")
        except (HostDied, HostHung) as error:
            error.doing = _LOADING
            raise
        except BaseException:
            process.close()
            raise
        finally:
            self._is_loading = False
        return self._loaded

    def _checked(self, answer: dict[str, Any], expected: str) -> dict[str, Any]:
        if answer.pop("spent", False) or "failure" in answer:
            self._process.close()
        if "unmodelled" in answer:
            raise self._unmodelled_error(answer["unmodelled"])
        if "failure" in answer:
            failure = answer["failure"]
            if "earlier" in failure:
                raise MoveRefused(_RUNNING, failure["what"], failure["earlier"])
            raise HostError(
                _RUNNING,
                failure["what"],
                "change the code so that it neither ends its process nor leaves work open",
                place=self._first_place(failure["stack"]),
            )
        if answer.get("ok") is False:
            raise self._load_error(answer["error"])
        if expected not in answer:
            self._process.close()
            raise ProtocolError(
                _RUNNING, f"an answer without {expected!r}", "report this as a bug of eutaxy"
            )
        return answer

    def _unmodelled_error(self, report: Mapping[str, str]) -> UnmodelledError:
        position = _PLACE.fullmatch(report["place"])
        return UnmodelledError(
            "running the Worker",
            f"it uses {report['what']}, which eutaxy does not model",
            report["remedy"]
            or "check this Worker without that part, or put it behind an outbound call that the "
            "scenario declares as an external service",
            place=self._located(position) if position is not None else "",
        )

    def _load_error(self, error: Mapping[str, str]) -> ScenarioError:
        return ScenarioError(
            _LOADING,
            f"{error['name']}: {error['message']}",
            "correct the code that runs when the module is loaded",
            place=self._first_place(error["stack"]),
        )

    def _own_place(self, stack: str) -> str:
        """The innermost position that is not in a package, in the bundle; empty when unknown."""
        for frame in _FRAME.finditer(stack):
            place = self._located(frame)
            if place and "node_modules" not in Path(place).parts:
                return f"{frame[1]}:{frame[2] or 1}"
        return ""

    def _first_place(self, stack: str) -> str:
        for frame in _FRAME.finditer(stack):
            place = self._located(frame)
            if place:
                return place
        return ""

    def _located(self, position: re.Match[str]) -> str:
        """The user's file, line and column for a position in the bundle; empty when unknown."""
        found = self._source_map.locate(int(position[1]), int(position[2] or 1))
        if found is None:
            return ""
        source = found.source
        if self._root and Path(source).is_relative_to(self._root):
            source = os.path.relpath(source, self._root)
        return f"{source}:{found.line}:{found.column}"


def _command(node: str, code: str, *, quiet_ms: int) -> list[str]:
    probed = probe_node(node)
    if probed is None:
        raise HostError(
            "starting the Node host",
            f"{node} is not a program that answers to --version like Node",
            "check that the program exists and may be run",
        )
    return [
        node,
        probed.permission_flag,
        f"--allow-fs-read={_MAIN.parent}{os.sep}*",
        f"--allow-fs-read={Path(code).resolve()}",
        "--disallow-code-generation-from-strings",
        f"--max-old-space-size={_HEAP_MB_MAX}",
        # Without it, `import()` of user code fails before the host hears of it.
        "--experimental-vm-modules",
        "--no-warnings",
        str(_MAIN),
        str(quiet_ms),
    ]
