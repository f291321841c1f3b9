"""One evaluation: start the entry, apply the moves in order, tell what the last one brought
about."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
from collections.abc import Callable
from typing import Any

from eutaxy._hosts.py import codec
from eutaxy._hosts.py.bindings import make_env
from eutaxy._hosts.py.context_reads import step_context
from eutaxy._hosts.py.fibers import CURRENT, Fiber, clone_error, start_timer
from eutaxy._hosts.py.js_globals import forget_timers
from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.loop import Loop
from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.prints import flush_prints
from eutaxy._hosts.py.program import JsResponseExpected, Program
from eutaxy._hosts.py.reports import Failure, Stop, Unmodelled
from eutaxy._hosts.py.stand_ins import set_env
from eutaxy._hosts.py.steps import JsErrorThrough
from eutaxy._hosts.py.tracebacks import error_place, format_exception, python_error


class Evaluation:
    """The fibers of one question, on one loop."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._loop: Loop = Loop(start_timer)  # type: ignore[abstract]
        self._fibers: list[Fiber] = []

    def run(
        self, entry: dict[str, Any], moves: list[dict[str, Any]], *, warm: bool
    ) -> dict[str, Any]:
        """Evaluate, and answer the question."""
        moment.begin_evaluation(entry["now"])
        forget_timers()
        try:
            self._prepare_isolate(warm=warm)
            moment.phase = Phase.RUN
            fiber = self._add_fiber(entry["salt"])
            self._start(fiber, lambda: self._program.call_entry(entry, codec.decode))
            for move in moves:
                if moment.stopped is not None:
                    break
                self._apply(move)
        except Stop:
            # It was raised outside of any task; `moment` has it.
            assert moment.stopped is not None
        answer = self._answer()
        moment.phase = Phase.DISPOSE
        self._loop.dispose()
        moment.phase = Phase.IDLE
        return answer

    def _prepare_isolate(self, *, warm: bool) -> None:
        isolates = self._program.isolates
        moment.phase = Phase.IMPORT
        set_env(make_env(self._program.bindings))
        if warm and isolates.main is not None:
            return
        isolates.begin_fresh()
        try:
            isolates.load_main()
        except Stop:
            raise
        except BaseException as error:  # noqa: BLE001 - user code may raise anything
            what = f"loading the main module failed this time: {type(error).__name__}: {error}"
            with contextlib.suppress(Stop):
                moment.stop(Failure(what))
            moment.stopped_at = error_place(error)

    def _add_fiber(self, salt: str) -> Fiber:
        fiber = Fiber(len(self._fibers), salt)
        self._fibers.append(fiber)
        return fiber

    def _start(self, fiber: Fiber, call: Callable[[], Any]) -> None:
        if moment.stopped is not None:
            return
        context = contextvars.Context()
        context.run(CURRENT.set, fiber)
        self._loop.create_task(
            _run_fiber(fiber, call), name=f"fiber {fiber.index}", context=context
        )
        self._loop.run_until_quiet()
        flush_prints()

    def _apply(self, move: dict[str, Any]) -> None:
        for fiber in self._fibers:
            fiber.reaction()
        moment.begin_move(move["now"])
        parent = self._fibers[move["fiber"]]
        if "invoke" in move:
            self._invoke(parent, move)
            return
        asked = parent.asked.get(move["answer"])
        if asked is None or asked.settle is None:
            what = f"fiber {parent.index} has no open effect {move['answer']} to answer"
            with contextlib.suppress(Stop):
                moment.stop(Failure(what))
            return
        settle, asked.settle = asked.settle, None
        with self._loop.current():
            if "threw" in move:
                settle(None, codec.thrown(codec.decode(move["threw"])))
            else:
                settle(codec.decode(move["returned"]), None)
        self._loop.run_until_quiet()
        flush_prints()

    def _invoke(self, parent: Fiber, move: dict[str, Any]) -> None:
        part = move["part"]
        asked = parent.asked.get(move["invoke"])
        function = asked.parts.get(part) if asked is not None else None
        fiber = self._add_fiber(move["salt"])
        if function is None:
            what = f"effect {move['invoke']} of fiber {parent.index} has no {part}"
            with contextlib.suppress(Stop):
                moment.stop(Failure(what))
            return
        argument = codec.decode(move["argument"])
        if part == "callback":
            argument = step_context(argument)
        self._start(fiber, lambda: function(argument))

    def _answer(self) -> dict[str, Any]:
        stopped = moment.stopped
        if isinstance(stopped, Unmodelled):
            report = {
                "what": stopped.what,
                "remedy": stopped.remedy,
                "place": moment.stopped_at,
                "stack": moment.stopped_stack,
            }
            return {"unmodelled": report}
        if isinstance(stopped, Failure):
            place, stack = moment.stopped_at, moment.stopped_stack
            return {"failure": {"what": stopped.what, "place": place, "stack": stack}}
        reactions = [each for each in (fiber.reaction() for fiber in self._fibers) if each]
        reads = [each for each in ("clock", "random", "context") if each in moment.reads]
        return {"reactions": reactions, "reads": reads, "prints": list(moment.prints)}


async def _run_fiber(fiber: Fiber, call: Callable[[], Any]) -> None:
    """Run what makes up a fiber and note how it ends."""
    try:
        result = call()
        if inspect.isawaitable(result):
            result = await result
        fiber.outcome = {"returned": codec.encode(result)}
    except (Stop, GeneratorExit, SystemExit):
        raise
    except codec.NotCloneable as error:
        fiber.outcome = _threw(clone_error(error))
    except JsErrorThrough as error:
        fiber.outcome = _threw(error.error)
    except JsResponseExpected as error:
        fiber.outcome = _threw(error.error)
    except BaseException as error:  # noqa: BLE001 - whatever user code raised is its outcome
        fiber.outcome = _threw(python_error(error), format_exception(error))


def _threw(error: JsException, stack: str = "") -> dict[str, str]:
    return {"threw": codec.encode(error), "stack": stack or str(error)}
