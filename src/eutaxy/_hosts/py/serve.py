"""The child's main loop: prepare the interpreter once, then answer questions until the pipe
closes."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from typing import Any

from eutaxy._hosts.py import ambient, closed, prints, stand_ins
from eutaxy._hosts.py.context_reads import watch_conversion
from eutaxy._hosts.py.evaluation import Evaluation
from eutaxy._hosts.py.flags import effective_flags
from eutaxy._hosts.py.frames import Channel
from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.program import CannotLoad, Program
from eutaxy._hosts.py.reports import Failure, Stop, Unmodelled
from eutaxy._hosts.py.sources import Sources
from eutaxy._hosts.py.tracebacks import error_place, format_exception, tidy_tracebacks

_COLLECT_EVERY = 50
"""Evaluations between collections of cyclic garbage; never during one, where it could run user
code."""


def serve(sdk_folder: str, read_fd: int, write_fd: int) -> None:
    """Answer questions until the parent closes the pipe."""
    gc.disable()
    # What the host itself consists of is compiled by now; nothing of the project's may be written.
    sys.dont_write_bytecode = True
    ambient.replace_clocks()
    ambient.replace_randomness()
    ambient.replace_identity()
    tidy_tracebacks()
    prints.capture_prints()
    channel = Channel(read_fd, write_fd)
    child = _Child(sdk_folder)
    while (question := channel.receive()) is not None:
        channel.send(child.answer(question))


class _Child:
    def __init__(self, sdk_folder: str) -> None:
        self._sdk_folder = sdk_folder
        self._program: Program | None = None
        self._evaluation_count = 0

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        if question["op"] == "load":
            return self._load(question)
        assert self._program is not None
        evaluation = Evaluation(self._program)
        told = evaluation.run(question["entry"], question["moves"], warm=question["warm"])
        self._evaluation_count += 1
        if self._evaluation_count % _COLLECT_EVERY == 0:
            gc.collect()
        return told

    def _load(self, question: dict[str, Any]) -> dict[str, Any]:
        main, root = question["code"], question["root"]
        import_root = os.path.dirname(main)  # noqa: PTH120 - pathlib costs start-up
        moment.sources = Sources(root, import_root, self._sdk_folder)
        moment.epoch_ms = question["epoch"]
        self._set_path(moment.sources)
        program = Program(
            moment.sources,
            main,
            self._sdk_folder,
            bindings=question["env"],
            flags=effective_flags(question["flags"], question["date"]),
        )
        stand_ins.install(program.flags)
        self._import_own_sdk()
        closed.close_machine([moment.sources.root, import_root, self._sdk_folder, *sys.path])
        return self._execute(program)

    def _set_path(self, sources: Sources) -> None:
        """Vendored packages come before those of the interpreter."""
        folder = sources.import_root
        found: list[str] = []
        while True:
            found.append(os.path.join(folder, "python_modules"))  # noqa: PTH118 - as above
            if folder == sources.root:
                break
            folder = os.path.dirname(folder)  # noqa: PTH120 - as above
        sys.path[:0] = [each for each in found if os.path.isdir(each)]  # noqa: PTH112 - as above

    def _import_own_sdk(self) -> None:
        """Import the SDK that comes with eutaxy, unless the project brings its own."""
        spec = importlib.util.find_spec("workers")
        if spec is None or spec.origin is None or not spec.origin.startswith(self._sdk_folder):
            return
        sys.dont_write_bytecode = False
        try:
            importlib.import_module("workers")
        finally:
            sys.dont_write_bytecode = True

    def _execute(self, program: Program) -> dict[str, Any]:
        moment.begin_evaluation(0)
        moment.phase = Phase.IMPORT
        try:
            program.isolates.begin_fresh()
            described = program.describe(program.isolates.load_main())
        except Stop as stop:
            return _report(stop)
        except CannotLoad as error:
            return _refused("CannotLoad", str(error), "", "")
        except BaseException as error:  # noqa: BLE001 - user code may raise anything
            return _refused(
                type(error).__name__, str(error), format_exception(error), error_place(error)
            )
        finally:
            moment.phase = Phase.IDLE
        program.isolates.begin_fresh()
        watch_conversion()
        program.isolates.keep_shared_state()
        self._program = program
        gc.collect()
        gc.freeze()
        return {"ok": True, **described}


def _refused(name: str, message: str, stack: str, place: str) -> dict[str, Any]:
    error = {"name": name, "message": message, "stack": stack, "place": place}
    return {"ok": False, "error": error}


def _report(stop: Stop) -> dict[str, Any]:
    place, stack = moment.stopped_at, moment.stopped_stack
    if isinstance(stop, Unmodelled):
        shown = {"what": stop.what, "remedy": stop.remedy, "place": place, "stack": stack}
        return {"unmodelled": shown}
    assert isinstance(stop, Failure)
    return {"failure": {"what": stop.what, "place": place, "stack": stack}}
