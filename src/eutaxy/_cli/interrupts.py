"""Ctrl-C and SIGTERM: the first ends the search, which then reports; the second the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Protocol, Self

_STOPPING = (signal.SIGINT, signal.SIGTERM)
_ENDING = (signal.SIGHUP,)
"""Nobody is there any more who would read a report."""


class Stoppable(Protocol):
    """A search that can be told to end; see `_session.watch`."""

    @property
    def is_listening(self) -> bool:
        """Whether there is a result when it is stopped."""
        ...

    def stop(self) -> None:
        """End it soon."""
        ...


class Interrupted(KeyboardInterrupt):
    """The program was told to end at once.

    Args:
        number: The signal that said so.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Interrupts:
    """While entered, signals first stop the search that is watched, and then the program.

    Outside, a signal has the effect it had before. A signal that is ignored stays ignored, as in a
    program that `nohup` started.

    Args:
        watch: The search; None where there is none, so that the first signal ends the program.
    """

    def __init__(self, watch: Stoppable | None = None) -> None:
        self._watch = watch
        self._before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self.number: int | None = None
        """The signal that stopped the search; None when none did."""

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (*_STOPPING, *_ENDING):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        watch = self._watch
        is_first = self.number is None and number in _STOPPING
        if watch is not None and watch.is_listening and is_first:
            self.number = number
            watch.stop()
            return
        # Ending takes child processes along; a third signal must not come in between.
        for each in self._before:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)
