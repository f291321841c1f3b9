"""Stands in for the session where a test needs one; what a run of the program gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from eutaxy._base.verdict import Verdict
from eutaxy._session.options import CheckOptions, Replayed


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run of the program ended."""

    code: int
    out: str
    err: str


@dataclass(slots=True)
class ScriptedSession:
    """Stands in for `eutaxy._session.session`: returns or raises what the test says.

    The command line must treat whatever a session may do; a real one does little of it on demand.
    """

    verdict: Verdict | BaseException | None = None
    replayed: Replayed | BaseException | None = None
    asked: list[tuple[str, object]] = field(default_factory=list)

    def check(self, path: str, *, options: CheckOptions) -> Verdict:
        self.asked.append((path, options))
        if isinstance(self.verdict, BaseException):
            raise self.verdict
        assert self.verdict is not None
        return self.verdict

    def replay(self, path: str, token: str, *, environment: str) -> Replayed:
        self.asked.append((path, (token, environment) if environment else token))
        if isinstance(self.replayed, BaseException):
            raise self.replayed
        assert self.replayed is not None
        return self.replayed


Run = Callable[..., Ended]
