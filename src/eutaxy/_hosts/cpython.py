"""The CPython host: runs a Python Worker in a child process, by the host protocol.

The child uses the real Workers SDK over stand-ins for the platform (`py/`). It runs on any CPython
from 3.11 on, also one that does not know eutaxy: the project's own interpreter, if need be.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eutaxy._hosts.process import DEADLINE_S, HostDied, HostHung, HostProcess, MoveRefused
from eutaxy.errors import HostError, ProtocolError, ScenarioError, UnmodelledError

_ENTRY = Path(__file__).parent / "py" / "entry.py"
_WHAT = "the Python host"
_LOADING = "executing the main module of the Worker"
_RUNNING = f"running user code in {_WHAT}"


class CPythonHost:
    """One child process with one Python Worker.

    Args:
        python: The interpreter that runs the Worker.
        main: Absolute path of the Worker's main module; its folder is where imports start.
        env: Bindings by name, as the protocol describes them.
        flags: Compatibility flags of the Worker's config.
        date: Compatibility date, ISO text.
        epoch_ms: Real time that virtual time zero stands for, in ms since 1970.
        deadline_s: Wall-clock seconds that one answer may take.
        root: The project folder, which paths are shown relative to; None for the folder of `main`.
        hash_seed: Seed of the interpreter's string hashes. Code whose effects depend on the order
            of
            a set shows it by differing between two seeds.
    """

    def __init__(
        self,
        python: str,
        main: Path | str,
        *,
        env: Mapping[str, Mapping[str, Any]],
        flags: Sequence[str] = (),
        date: str,
        epoch_ms: int,
        deadline_s: float = DEADLINE_S,
        root: Path | str | None = None,
        hash_seed: int = 0,
    ) -> None:
        self._python = python
        self._main = Path(main)
        self._load_question: dict[str, Any] = {
            "op": "load",
            "code": str(self._main),
            "root": str(root if root is not None else self._main.parent),
            "env": {name: dict(binding) for name, binding in env.items()},
            "flags": list(flags),
            "date": date,
            "epoch": epoch_ms,
        }
        self._loaded: dict[str, Any] | None = None
        self._is_loading = False
        self._process = HostProcess(
            _WHAT,
            [python, "-s", "-P", "-W", "ignore", str(_ENTRY), sdk_folder()],
            child_environment(hash_seed),
            cwd=self._load_question["root"],
            deadline_s=deadline_s,
            on_start=self._load_on_start,
        )

    def load(self) -> dict[str, Any]:
        """Start the child and execute the main module once.

        Returns:
            `{"handlers": [name, ..], "classes": [{"name", "kind"}, ..]}`: what the Worker offers;
            kind is workflow, object (a Durable Object) or entrypoint.

        Raises:
            ScenarioError: The main module has an error, or the platform would refuse it.
            UnmodelledError: Executing it already uses something that is not modelled.
            HostError: The child failed, or there is no such interpreter.
        """
        if shutil.which(self._python) is None:
            raise HostError(
                f"starting {_WHAT}",
                f"{self._python} is no program that can be run",
                "check that the interpreter exists and may be run",
            )
        answer = self._loaded if self._loaded is not None else self._ask_to_load(self._process)
        return {name: answer[name] for name in ("handlers", "classes")}

    def evaluate(
        self,
        entry: Mapping[str, Any],
        moves: Sequence[Mapping[str, Any]],
        warm: bool = False,  # noqa: FBT001, FBT002 - the signature that all hosts share
    ) -> dict[str, Any]:
        """Evaluate an entry and moves in a fresh isolate (`warm`: in the one that served last).

        Returns:
            `{"reactions", "reads", "prints"}` as in the protocol.

        Raises:
            UnmodelledError: User code used something that is not modelled.
            HostError: Evaluation cannot go on; the next question starts a new child.
        """
        question = {"op": "evaluate", "entry": dict(entry), "moves": list(moves), "warm": warm}
        return self._checked(self._process.ask(question), "reactions")

    def close(self) -> None:
        """End the child; the next question starts a new one."""
        self._process.close()

    def _load_on_start(self, process: HostProcess) -> None:
        # The question that starts the child may itself be the one to load.
        if not self._is_loading:
            self._ask_to_load(process)

    def _ask_to_load(self, process: HostProcess) -> dict[str, Any]:
        self._is_loading = True
        try:
            answer = process.ask(self._load_question)
            if answer.get("ok") is False:
                raise _load_error(answer["error"])  # noqa: TRY301 - closes the child as others do
            self._loaded = self._checked(answer, "handlers")
        except (HostDied, HostHung) as error:
            error.doing = _LOADING
            error.place = self._main.name
            raise
        except BaseException:
            process.close()
            raise
        finally:
            self._is_loading = False
        return self._loaded

    def _checked(self, answer: dict[str, Any], expected: str) -> dict[str, Any]:
        if "unmodelled" in answer:
            raise _unmodelled_error(answer["unmodelled"])
        if "failure" in answer:
            self._process.close()
            failure = answer["failure"]
            if "earlier" in failure:
                raise MoveRefused(_RUNNING, failure["what"], failure["earlier"])
            raise HostError(
                _RUNNING,
                failure["what"],
                "change the code so that it neither ends its process nor leaves work open",
                place=failure["place"],
            )
        if expected not in answer:
            self._process.close()
            raise ProtocolError(
                _RUNNING, f"an answer without {expected!r}", "report this as a bug of eutaxy"
            )
        return answer


def _unmodelled_error(report: Mapping[str, str]) -> UnmodelledError:
    return UnmodelledError(
        "running the Worker",
        f"it uses {report['what']}, which eutaxy does not model",
        report["remedy"]
        or "check this Worker without that part, or put it behind an outbound call that the "
        "scenario declares as an external service",
        place=report["place"],
    )


def _load_error(error: Mapping[str, str]) -> ScenarioError:
    return ScenarioError(
        _LOADING,
        f"{error['name']}: {error['message']}",
        "correct the code that runs when the module is loaded",
        place=error["place"],
    )


def child_environment(hash_seed: int) -> dict[str, str]:
    """The whole environment of the child: nothing of the machine's own."""
    return {
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),
        # As on the platform, time zones come from the tzdata package or not at all.
        "PYTHONTZPATH": "",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
    }


def sdk_folder() -> str:
    """Where the Workers SDK that eutaxy depends on is installed.

    Raises:
        HostError: It is not installed.
    """
    spec = importlib.util.find_spec("workers")
    if spec is None or spec.origin is None:
        raise HostError(
            f"starting {_WHAT}",
            "the package workers-runtime-sdk is not installed beside eutaxy",
            f"install it: {sys.executable} -m pip install workers-runtime-sdk",
        )
    return os.path.dirname(os.path.dirname(spec.origin))  # noqa: PTH120 - a text path is wanted
