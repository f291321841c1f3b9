"""The outside of a program, as components of the model: services that record, a silent driver."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from eutaxy._base.code import Effect, Returned
from eutaxy._base.value import decode, encode
from eutaxy._platform.call import Answered, Perform
from eutaxy._world.component import Choice, Local, Step
from tests.conformance.programs import Json


@dataclass(frozen=True, slots=True)
class Call:
    """A request that arrived, or a mark of the driver's clock (`mark` is not empty)."""

    method: str = ""
    path: str = ""
    body: str = ""
    mark: str = ""

    def shown(self) -> Json:
        """As a recording has it."""
        if self.mark:
            return {"mark": self.mark}
        return {"method": self.method, "path": self.path, "body": self.body}


@dataclass(frozen=True, slots=True)
class Mark:
    """Message to a service: put this into the order of its calls."""

    text: str


class RecordingService:
    """A service that answers by the rules of a driver file and keeps what arrived, in order."""

    def __init__(self, rule: Json) -> None:
        self._is_per_path = rule.get("per") == "path"
        self._answers: list[Json] = rule.get("answers", [{}])

    def initial(self) -> Local:
        """Nothing has arrived."""
        return ()

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None: it only answers."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """None: who drives the world holds back late answers."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Nothing here depends on time."""
        return local

    def on(self, local: Local, message: Hashable) -> Step:
        """Note a request and answer it, or note a mark."""
        assert isinstance(local, tuple)
        if isinstance(message, Mark):
            return Step((*local, Call(mark=message.text)))
        assert isinstance(message, Perform)
        effect = message.effect
        answer = self._answer(local, effect)
        response = encode(
            {
                "status": answer.get("status", 200),
                "headers": {},
                "body": answer.get("body", "") or None,
            }
        )
        answered = Answered(message.back, Returned(response), f"Fetch {effect.operation}")
        return Step((*local, _call(effect)), ((message.back.owner, answered),))

    def delay_ms(self, local: Local, effect: Effect) -> int:
        """How long the answer to a request that arrives now takes."""
        assert isinstance(local, tuple)
        return int(self._answer(local, effect).get("delay_ms", 0))

    def _answer(self, local: tuple[Call, ...], effect: Effect) -> Json:
        path = _call(effect).path
        earlier = sum(
            1 for call in local if not call.mark and (not self._is_per_path or call.path == path)
        )
        return self._answers[min(earlier, len(self._answers) - 1)]


def _call(effect: Effect) -> Call:
    args: Any = decode(effect.args)
    parts = urlsplit(args["url"])
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    body = args["body"]
    return Call(args["method"], path, body if isinstance(body, str) else "")


def recorded_calls(calls: tuple[Call, ...], order: str) -> Any:
    """The calls of a service in the form that its rule asks for."""
    shown = [call.shown() for call in calls]
    if order == "total":
        return shown
    if order == "none":
        return sorted(shown, key=repr)
    paths = sorted({call.path for call in calls if not call.mark})
    return {path: [call.shown() for call in calls if call.path == path] for path in paths}


class SilentDriver:
    """Stands where the model's driver stands; requests are handed over by hand."""

    def initial(self) -> Local:
        """No state at all."""
        return ()

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """None."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Nothing depends on time."""
        return local

    def on(self, local: Local, message: Hashable) -> Step:
        """Hear that a request has ended."""
        return Step(local)
