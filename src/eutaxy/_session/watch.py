"""Watching a check while it runs, and ending its search early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eutaxy._base.verdict import Level
from eutaxy._explore.search import Pace


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a search is.

    Args:
        level: The level that is being searched.
        worlds: Distinct worlds met.
        transitions: Transitions taken.
        elapsed_ms: Wall-clock milliseconds since the search began.
        left_ms: Wall-clock milliseconds of the budget that are left.
    """

    level: Level
    worlds: int
    transitions: int
    elapsed_ms: int
    left_ms: int


class Watch:
    """What the caller of a check sees of it, and how the caller ends its search.

    A stopped search ends as if the budget had ended there, so what the verdict says stays true.

    Args:
        show: Given the progress of a search, some hundred times a second.
        tell: Given what is known before the search.
    """

    def __init__(
        self,
        show: Callable[[Progress], None] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._show = show
        self._tell = tell
        self._is_stopped = False
        self._is_listening = False
        self.notes: list[str] = []
        """What the caller is to be told beside the verdict."""

    def tell(self, text: str) -> None:
        """Tell the caller at once of something that the verdict will hold."""
        if self._tell is not None:
            self._tell(text)

    def note(self, text: str) -> None:
        """Tell the caller something beside the verdict."""
        self.notes.append(text)

    @property
    def is_listening(self) -> bool:
        """Whether the search has begun, so that there is a result when it is stopped."""
        return self._is_listening

    @property
    def is_stopped(self) -> bool:
        """Whether the caller has stopped the search."""
        return self._is_stopped

    def stop(self) -> None:
        """End the search at its next look at the budget; may be called by a signal handler."""
        self._is_stopped = True

    def listen(self, *, is_listening: bool) -> None:
        """Tell whether stopping gives a result from here on."""
        self._is_listening = is_listening

    def is_over(self, pace: Pace, *, since_s: float, now_s: float, until_s: float) -> bool:
        """Show how far a search is, and tell whether it is to end.

        Args:
            pace: How far it is.
            since_s: When it began, on the monotonic clock.
            now_s: What that clock says now.
            until_s: When the budget ends.
        """
        if self._show is not None and pace.level is not None:
            self._show(
                Progress(
                    level=pace.level,
                    worlds=pace.worlds,
                    transitions=pace.transitions,
                    elapsed_ms=int((now_s - since_s) * 1000),
                    left_ms=max(0, int((until_s - now_s) * 1000)),
                )
            )
        return self._is_stopped or now_s > until_s
