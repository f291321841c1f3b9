"""What the child is doing right now: the one place of state that the patched world reads.

One evaluation runs at a time. Clocks, randomness, prints, the audit hook and every stand-in ask
here whether user code is running, at which virtual time, and on whose behalf.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from enum import Enum
from types import FrameType
from typing import Any, NoReturn

from eutaxy._hosts.py.reports import Abandoned, Stop
from eutaxy._hosts.py.sources import Sources, Whose, calling_frame


class Phase(Enum):
    """What runs: nothing of the user's, module-level code, handlers, or `finally` blocks at the
    end."""

    IDLE = "idle"
    IMPORT = "import"
    RUN = "run"
    DISPOSE = "dispose"


class Moment:
    """The state of the child that is not part of one evaluation's objects."""

    def __init__(self) -> None:
        self.phase = Phase.IDLE
        self.epoch_ms = 0
        self.now_ms = 0
        self.reads: set[str] = set()
        self.prints: list[str] = []
        self._stopped: Stop | None = None
        self.stopped_at = ""
        self.stopped_stack = ""
        self.sources = Sources("/", "/", "/")
        self.wait_in_place: Callable[[Any], Any] | None = None
        self.find_site: Callable[[FrameType | None], str] = self.sources.user_site

    @property
    def stopped(self) -> Stop | None:
        """Why the evaluation ends early, once it does."""
        return self._stopped

    @property
    def may_go_on(self) -> bool:
        """Whether what is ready to run should run."""
        return self._stopped is None and self.phase is Phase.RUN

    @property
    def is_user_running(self) -> bool:
        """Whether what happens now is user code's doing."""
        return self.phase is not Phase.IDLE

    def read(self, what: str) -> None:
        """User code has read an ambient input."""
        if self.phase is Phase.RUN:
            self.reads.add(what)

    def stop(self, why: Stop) -> NoReturn:
        """End the evaluation with a report; the first one wins."""
        if self.phase is Phase.DISPOSE:
            raise Abandoned
        if self._stopped is None:
            frame = calling_frame()
            self._stopped = why
            self.stopped_at = self.find_site(frame)
            self.stopped_stack = self.stack(frame)
        raise why

    def stack(self, frame: FrameType | None) -> str:
        """The user's frames, innermost first, one a line."""
        lines = []
        for each, line in traceback.walk_stack(frame):
            name = each.f_code.co_filename
            if self.sources.of(name).whose is Whose.USER:
                lines.append(f"{self.sources.place(name, line)} in {each.f_code.co_qualname}")
        return "\n".join(lines)

    def begin_evaluation(self, now_ms: int) -> None:
        """Nothing has been observed yet."""
        self._stopped = None
        self.begin_move(now_ms)

    def begin_move(self, now_ms: int) -> None:
        """Forget what was observed so far; virtual time moves on."""
        self.now_ms = now_ms
        self.reads.clear()
        self.prints.clear()


moment = Moment()
"""The only one; a child runs one evaluation at a time."""
