"""One evaluation: start the entry, apply the moves in order, tell what the last one brought
about."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
from collections import deque
from collections.abc import Callable
from typing import Any

from eutaxy._hosts.py import codec
from eutaxy._hosts.py.bindings import make_env
from eutaxy._hosts.py.context_reads import watched_argument
from eutaxy._hosts.py.fibers import CURRENT, Fiber, clone_error, note_moved, start_timer
from eutaxy._hosts.py.js_globals import forget_timers
from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.loop import Loop
from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.prints import flush_prints
from eutaxy._hosts.py.program import JsResponseExpected, Program
from eutaxy._hosts.py.reports import Abandoned, Failure, Stop, Unmodelled
from eutaxy._hosts.py.stand_ins import set_env
from eutaxy._hosts.py.steps import JsErrorThrough
from eutaxy._hosts.py.tracebacks import error_place, format_exception, python_error


class Evaluation:
    """The fibers of one question, on one loop."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._loop: Loop = Loop(start_timer)  # type: ignore[abstract]
        self._fibers: list[Fiber] = []
        self._moves: deque[dict[str, Any]] = deque()
        self._waits: list[asyncio.Future[Any]] = []
        self._answer: dict[str, Any] | None = None
        self._earlier: list[list[dict[str, Any]]] = []

    def run(
        self, entry: dict[str, Any], moves: list[dict[str, Any]], *, warm: bool
    ) -> dict[str, Any]:
        """Evaluate, and answer the question."""
        moment.begin_evaluation(entry["now"])
        moment.wait_in_place = self._wait_in_place
        forget_timers()
        note_moved(None)
        self._moves.extend(moves)
        try:
            self._prepare_isolate(warm=warm)
            moment.phase = Phase.RUN
            fiber = self._add_fiber(entry["salt"])
            self._start(fiber, lambda: self._program.call_entry(entry, codec.decode))
            while self._moves and moment.may_go_on:
                self._apply(self._moves.popleft())
        except Stop:
            # It was raised outside of any task; `moment` has it.
            assert moment.stopped is not None
        answer = self._finish()
        self._loop.dispose()
        moment.phase = Phase.IDLE
        return answer

    def _finish(self) -> dict[str, Any]:
        """Answer once, and let nothing that runs afterwards matter."""
        if self._answer is None:
            self._answer = self._tell()
            moment.phase = Phase.DISPOSE
        return self._answer

    def _wait_in_place(self, awaitable: Any) -> Any:
        """Wait in synchronous code, as stack switching lets the platform's Python do.

        The stack cannot be left here, so the moves that follow are applied from within. When there
        are none left, the evaluation is over: the answer is told, and the stack unwinds unheard.
        """
        waited = asyncio.ensure_future(awaitable, loop=self._loop)
        self._waits.append(waited)
        with self._loop.out_of_task():
            self._loop.run_until_quiet()
            while not waited.done() and moment.may_go_on:
                if any(each.done() for each in self._waits):
                    what = "run_sync calls that overlap (the one that began first ended first)"
                    with contextlib.suppress(Stop):
                        moment.stop(Unmodelled(what, "await in asynchronous functions instead"))
                elif self._moves:
                    self._apply(self._moves.popleft())
                else:
                    self._finish()
        self._waits.remove(waited)
        if moment.stopped is not None:
            raise moment.stopped
        if not waited.done():
            raise Abandoned
        return waited.result()

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
        note_moved(fiber)
        context = contextvars.Context()
        context.run(CURRENT.set, fiber)
        self._loop.create_task(
            _run_fiber(fiber, call), name=f"fiber {fiber.index}", context=context
        )
        self._loop.run_until_quiet()
        flush_prints()

    def _apply(self, move: dict[str, Any]) -> None:
        self._earlier.append(self._reactions())
        moment.begin_move(move["now"])
        if move["fiber"] >= len(self._fibers):
            self._refuse(f"there is no fiber {move['fiber']} to move")
            return
        parent = self._fibers[move["fiber"]]
        note_moved(parent)
        if "invoke" in move:
            self._invoke(parent, move)
            return
        asked = parent.asked.get(move["answer"])
        if asked is None or asked.settle is None:
            self._refuse(f"fiber {parent.index} has no open effect {move['answer']} to answer")
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
            self._refuse(f"effect {move['invoke']} of fiber {parent.index} has no {part} to call")
            return
        argument = codec.decode(move["argument"])
        argument = watched_argument(argument)
        self._start(fiber, lambda: function(argument))

    def _refuse(self, what: str) -> None:
        """Give up because the code is not where a move expects it to be."""
        with contextlib.suppress(Stop):
            moment.stop(Failure(what, self._earlier))

    def _reactions(self) -> list[dict[str, Any]]:
        """What is new in all fibers since the last call."""
        return [each for each in (fiber.reaction() for fiber in self._fibers) if each]

    def _tell(self) -> dict[str, Any]:
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
            failure: dict[str, Any] = {"what": stopped.what, "place": place, "stack": stack}
            if stopped.earlier is not None:
                failure["earlier"] = stopped.earlier
            return {"failure": failure}
        reactions = self._reactions()
        reads = [each for each in ("clock", "random", "context") if each in moment.reads]
        return {"reactions": reactions, "reads": reads, "prints": list(moment.prints)}


async def _run_fiber(fiber: Fiber, call: Callable[[], Any]) -> None:
    """Run what makes up a fiber and note how it ends."""
    try:
        result = call()
        if inspect.isawaitable(result):
            result = await result
        fiber.outcome = {"returned": codec.encode(result)}
    except (Stop, Abandoned, GeneratorExit, SystemExit):
        raise
    except codec.NotCloneable as error:
        fiber.outcome = _threw(clone_error(error))
    except JsErrorThrough as error:
        fiber.outcome = _threw(error.error, error.cause)
    except JsResponseExpected as error:
        fiber.outcome = _threw(error.error)
    except BaseException as error:  # noqa: BLE001 - whatever user code raised is its outcome
        fiber.outcome = _threw(python_error(error), error)


def _threw(error: JsException, cause: BaseException | None = None) -> dict[str, str]:
    stack = str(error) if cause is None else format_exception(cause)
    place = "" if cause is None else error_place(cause)
    return {"threw": codec.encode(error), "stack": stack, "place": place}
