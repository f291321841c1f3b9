"""What a choice is about, in words that outlive edits: no lifetimes, attempts, ordinals or seqs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._platform.call import Fate, Fly
from eutaxy._platform.flight import Flying
from eutaxy._platform.requests.driver import DRIVER
from eutaxy._session.model import Model
from eutaxy._world.world import CLOCK_SLOT, Option, World

CLOCK = "time passes"

REDELIVER = "redeliver"
"""What a turn that costs a redelivery does."""

GO_FIRST = "go first"
"""What a turn without any cost does: it happens before what normally would."""

_FIBER = re.compile(r"(?s)(?P<name>.*):(?P<count>\d+)(?P<undo>!?)#\d+(?:~delay)?")


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happens in a run; it may happen several times.

    Args:
        activation: Whom it happens to, without the number of the activation.
        step: The step it belongs to; empty outside of steps.
        what: The effect as the trace names it ("Fetch:payouts POST"), or what happens instead.
    """

    activation: str
    step: str
    what: str

    def __str__(self) -> str:
        step = f' in step "{self.step}"' if self.step else ""
        return f"{self.what}{step} of {self.activation}" if self.activation else self.what


@dataclass(frozen=True, slots=True)
class Sketch:
    """What can be told of a choice without taking it.

    Args:
        does: Its fault, `REDELIVER` or `GO_FIRST`.
        activation: As in `Moment`.
        step: As in `Moment`.
        is_tied: Whether it is what becomes of an effect, so that the effect says when it happens.
    """

    does: str
    activation: str
    step: str
    is_tied: bool


class Teller:
    """Tells what choices of a model are about.

    Args:
        model: The model.
        events: Names of its driver events.
    """

    def __init__(self, model: Model, events: Sequence[str]) -> None:
        self._model = model
        self._events = tuple(events)

    def sketch(self, world: World, option: Option) -> Sketch:
        """What can be told of a choice without taking it."""
        if option.slot == CLOCK_SLOT:
            return Sketch(GO_FIRST, "", "", is_tied=False)
        model, message = self._model, self._model.message(option)
        fate = getattr(message, "fate", None)
        fault = model.fault(option)
        if fault is not None:
            does = fate.value if isinstance(fate, Fate) else fault.value
            status = getattr(message, "status", 0)
            does = f"{does} {status}" if status else does
        else:
            does = REDELIVER if option.redeliveries else GO_FIRST
        key = getattr(message, "key", None)
        step = str(key) if key is not None else _step_of(getattr(message, "fiber", ""))
        is_tied = fault is not None and isinstance(fate, Fate)
        return Sketch(does, self._activation(world, option), step, is_tied)

    def moment(self, world: World, option: Option) -> Moment:
        """What a choice is about; takes it to see."""
        if option.slot == CLOCK_SLOT:
            return Moment("", "", CLOCK)
        sketch = self.sketch(world, option)
        message = self._model.message(option)
        what = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(message).__name__).lower()
        for note in self._model.explain(world, option).notes:
            if not isinstance(note, Note):
                continue
            if note.kind in (RecordKind.EFFECT, RecordKind.LANDED):
                what = note.text
                break
            if note.kind is RecordKind.FAULT and note.struck:
                what = note.struck
                break
        return Moment(sketch.activation, sketch.step, what)

    def _activation(self, world: World, option: Option) -> str:
        owner, message = self._model.owner(option), self._model.message(option)
        index = getattr(message, "index", None)
        if owner == DRIVER and index is not None:
            return self._events[int(index)]
        if owner[0] == "request":
            return owner[1]
        local = self._model.local(world, owner)
        if isinstance(local, Flying) and index is not None:
            flown: Fly = local.calls[index]
            return flown.launch.activation
        return ":".join(owner)


def _step_of(fiber: str) -> str:
    """The step whose attempt a fiber runs; empty for the body of an activation."""
    found = _FIBER.fullmatch(fiber)
    if found is None:
        return ""
    name, count = found["name"], int(found["count"])
    step = name if count == 1 else f"{name} ({count})"
    return f"rollback of {step}" if found["undo"] else step
