"""The event loop of one evaluation: first in first out, no selector, no wall clock.

It runs until nothing is ready, which is what the protocol calls quiet. Timers do not wait: each
becomes a TIMER effect, and the answer to that effect is what makes it ready.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import math
import sys
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterator
from typing import Any

from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.reports import Failure, Stop, Unmodelled
from eutaxy._hosts.py.sources import calling_frame
from eutaxy._hosts.py.tracebacks import error_place

CALL_SITE: contextvars.ContextVar[str] = contextvars.ContextVar("call_site", default="")
"""Where user code started the present task; the SDK calls the engine from tasks of its own."""

StartTimer = Callable[[int, Callable[[], None]], Callable[[], None]]
"""Issue a timer of so many ms; the callback is called when it has passed. Returns what takes the
timer back."""


class Loop(asyncio.AbstractEventLoop):
    """A deterministic event loop.

    Args:
        start_timer: Turns a timer into an effect of the current fiber.
    """

    def __init__(self, start_timer: StartTimer) -> None:
        self._start_timer = start_timer
        self._ready: deque[asyncio.Handle] = deque()
        self._tasks: list[asyncio.Task[Any]] = []
        self._task_count = 0
        self._generators: weakref.WeakSet[AsyncGenerator[Any, Any]] = weakref.WeakSet()
        self._handler: Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object] | None = None

    # -- running ------------------------------------------------------------------------------

    def run_until_quiet(self) -> None:
        """Run everything that is ready, and what becomes ready by it."""
        with self.current():
            while self._ready and moment.may_go_on:
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()  # noqa: SLF001 - how every event loop runs a handle

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Be the running loop; `sys.exit` in a task ends the evaluation."""
        outer = asyncio._get_running_loop()  # noqa: SLF001 - part of the API for event loops
        hooks = sys.get_asyncgen_hooks()
        asyncio._set_running_loop(self)  # noqa: SLF001 - part of the API for event loops
        sys.set_asyncgen_hooks(self._generators.add, self._close_generator)
        try:
            yield
        except SystemExit as error:
            with contextlib.suppress(Stop):
                moment.stop(Failure("sys.exit was called"))
            moment.stopped_at = error_place(error)
        finally:
            sys.set_asyncgen_hooks(*hooks)
            asyncio._set_running_loop(outer)  # noqa: SLF001 - part of the API for event loops

    @contextlib.contextmanager
    def out_of_task(self) -> Iterator[None]:
        """Let other tasks run while the present one waits on its stack."""
        task = asyncio.current_task(self)
        if task is not None:
            asyncio.tasks._leave_task(self, task)  # noqa: SLF001 - part of the API for event loops
        try:
            yield
        finally:
            if task is not None:
                asyncio.tasks._enter_task(self, task)  # noqa: SLF001 - as above

    def _close_generator(self, generator: AsyncGenerator[Any, Any]) -> None:
        self._generators.discard(generator)
        if moment.phase is Phase.RUN:
            self.call_soon(self.create_task, generator.aclose())

    def dispose(self) -> None:
        """Close what still runs, so that no coroutine is left to the garbage collector."""
        self._ready.clear()
        for task in self._tasks:
            if task.done():
                task._log_traceback = False  # noqa: SLF001
                continue
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001
            coroutine = task.get_coro()
            with contextlib.suppress(BaseException):
                coroutine.close()
        for generator in list(self._generators):
            with contextlib.suppress(BaseException):
                generator.aclose().send(None)
        self._tasks.clear()
        self._ready.clear()

    # -- what user code and asyncio call ------------------------------------------------------

    def call_soon(  # type: ignore[override]
        self,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Run the callback after everything that is ready now."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """As `call_soon`: there is one thread."""
        return self.call_soon(callback, *args, context=context)

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Run the callback when `delay` seconds of virtual time have passed."""
        if delay <= 0:
            return self.call_soon(callback, *args, context=context)
        ms = math.ceil(round(delay * 1000, 6))
        handle = asyncio.Handle(callback, args, self, context)
        take_back = self._start_timer(ms, lambda: self._ready.append(handle))
        return _Timer(handle, self._now_ms() / 1000 + delay, take_back)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Run the callback when `time()` has reached `when`."""
        delay = round(when - self._now_ms() / 1000, 9)
        return self.call_later(delay, callback, *args, context=context)

    def time(self) -> float:
        """Seconds of virtual time; a read of the clock when user code asks."""
        caller = moment.sources.of(calling_frame().f_code.co_filename)
        if caller.whose.value in {"user", "package"}:
            moment.read("clock")
        return self._now_ms() / 1000

    @staticmethod
    def _now_ms() -> int:
        return moment.now_ms

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
        *,
        name: object = None,
        context: contextvars.Context | None = None,
        **_options: Any,
    ) -> asyncio.Task[Any]:
        """Start a task; it remembers where user code started it."""
        if context is None:
            context = contextvars.copy_context()
        site = moment.sources.user_site(calling_frame())
        if site:
            context.run(CALL_SITE.set, site)
        self._task_count += 1
        label = f"Task-{self._task_count}" if name is None else str(name)
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=label, context=context)
        self._tasks.append(task)
        return task

    def run_in_executor(  # type: ignore[override]
        self, _executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Call the function at once: Workers have one thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except (SystemExit, KeyboardInterrupt, Stop):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it raised belongs to the awaiting code
            future.set_exception(error)
        return future

    def run_until_complete(self, future: Awaitable[Any]) -> Any:  # type: ignore[override]
        """As Pyodide's loop does from running code: start it and return its future."""
        return asyncio.ensure_future(future, loop=self)

    def get_debug(self) -> bool:
        """Never in debug mode: that reads the wall clock."""
        return False

    def set_debug(self, enabled: bool) -> None:  # noqa: FBT001 - asyncio's signature
        """Ignored, see `get_debug`."""

    def is_running(self) -> bool:
        """Always, as in Pyodide."""
        return True

    def is_closed(self) -> bool:
        """Never."""
        return False

    def stop(self) -> None:
        """Ignored, as in Pyodide."""

    def close(self) -> None:
        """Ignored, as in Pyodide."""

    def set_task_factory(self, factory: Any) -> None:
        """Not modelled."""
        if factory is not None:
            moment.stop(Unmodelled("a task factory of its own for the event loop"))

    def get_task_factory(self) -> None:
        """None is set."""

    def set_exception_handler(self, handler: Any) -> None:
        """Set who is told of exceptions that nobody awaits."""
        self._handler = handler

    def get_exception_handler(self) -> Any:
        """The handler that was set."""
        return self._handler

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Print what happened, as Pyodide's console shows it."""
        error = context.get("exception")
        shown = f": {type(error).__name__}: {error}" if error is not None else ""
        moment.prints.append(f"{context.get('message')}{shown}")

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Tell of an exception that nobody awaits."""
        if moment.phase is not Phase.RUN or isinstance(context.get("exception"), Stop):
            return
        if self._handler is None:
            self.default_exception_handler(context)
        else:
            self._handler(self, context)

    def _timer_handle_cancelled(self, _handle: Any) -> None:
        """Asyncio's notice; `_Timer.cancel` has done what there is to do."""

    async def shutdown_asyncgens(self) -> None:
        """Nothing to do: generators are closed with the evaluation."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Nothing to do: there is no executor."""


class _Timer(asyncio.Handle):
    """What `call_later` returns: cancels the handle that the timer would run."""

    def __init__(self, handle: asyncio.Handle, when: float, take_back: Callable[[], None]) -> None:
        self._handle = handle
        self._when = when
        self._take_back = take_back

    def when(self) -> float:
        """When it fires, in seconds of `time()`."""
        return self._when

    def cancel(self) -> None:
        """Take the timer back."""
        self._handle.cancel()
        self._take_back()

    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._handle.cancelled()


def _refuse(name: str) -> Callable[..., Any]:
    def refused(*_args: Any, **_options: Any) -> Any:
        moment.stop(Unmodelled(f"the event loop's {name}", "use workers.fetch or a binding"))

    return refused


for _name in (
    "add_reader",
    "add_signal_handler",
    "add_writer",
    "connect_read_pipe",
    "connect_write_pipe",
    "create_connection",
    "create_datagram_endpoint",
    "create_server",
    "create_unix_connection",
    "create_unix_server",
    "getaddrinfo",
    "getnameinfo",
    "run_forever",
    "sendfile",
    "sock_accept",
    "sock_connect",
    "sock_recv",
    "sock_sendall",
    "start_tls",
    "subprocess_exec",
    "subprocess_shell",
):
    setattr(Loop, _name, _refuse(_name))
