"""The cause of a violation: what struck what, without which instance and in which lifetime.

Two violations with one cause differ only in which instance, request or lifetime was struck. A
person mends them in one place, so reports put them together.
"""

from __future__ import annotations

from collections.abc import Sequence

from eutaxy._base.scenario import DirectCall, FireSchedule, HttpRequest
from eutaxy._base.value import encode
from eutaxy._explore.path import walk
from eutaxy._explore.trace import Tracer
from eutaxy._platform.step_ownership import REST, party_of_choice
from eutaxy._session.model import Model
from eutaxy._world.world import Option


def cause_of(model: Model, path: Sequence[int]) -> tuple[str, ...]:
    """What went wrong on a path: faults by kind, effect, and step or handler; redeliveries.

    Args:
        model: The scenario as a graph.
        path: Indexes of choices in it.

    Returns:
        Phrases in alphabetical order, so that the same misfortunes in another order are the same
        cause; none where nothing goes wrong.
    """
    handlers = {each.name: _handler(each) for each in model.scenario.drive}
    tracer = Tracer()
    phrases: list[str] = []
    for world, option in walk(model, path):
        known = len(tracer.trace.faults), len(tracer.trace.redelivered)
        tracer.take(model.explain(world, option), is_again=option.redeliveries > 0)
        for mark in tracer.trace.faults[known[0] :]:
            at = f" at {mark.effect}" if mark.effect else ""
            phrases.append(f"{mark.fault.value}{at} in {_place(model, option, handlers)}")
        again = tracer.trace.redelivered[known[1] :]
        phrases += [f"redelivery of {handlers.get(name, name)}" for name in again]
    return tuple(sorted(phrases))


def _place(model: Model, option: Option, handlers: dict[str, str]) -> str:
    """The step that a fault struck, else the program."""
    address = model.owner(option)
    party = party_of_choice(address, model.message_of(option.message))
    activation, step = party if party is not None else (":".join(address), REST)
    kind, _, rest = activation.partition(":")
    if step != REST:
        return f"step {encode(step.rpartition(':')[0])}"
    if kind == "workflow":
        return f"run of {rest.partition(':')[0]}"
    name = activation.partition("/")[0]
    return handlers.get(name, name)


def _handler(event: object) -> str:
    match event:
        case HttpRequest():
            return f"fetch of {event.method}"
        case DirectCall():
            return f"{event.binding} {event.operation} from outside"
        case FireSchedule():
            return f"the schedule of {event.binding}"
        case _:
            return "the passing of time"
