"""What each function of a scenario is for, and what it must therefore return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from eutaxy._base.scenario import FunctionRef, RowsHold, Scenario, TraceHolds
from eutaxy._base.value import NULL, UNDEFINED, Plain, Value, decode, encode
from eutaxy._session.http_parts import JSON_TYPE, TEXT_TYPE
from eutaxy.errors import ScenarioError

_SHOWN_MAX = 300
_UNDEFINED: Plain = decode(UNDEFINED)
_TRUTH = "true or false"
_KEY = "a text, or null when the request has no key"
_HANDLED = "{ state, response: { status, headers, body }, applied }"


@dataclass(frozen=True, slots=True)
class Use:
    """What a function is for.

    Args:
        doing: How messages say that it is called.
        place: Where it is used.
        wanted: What it must return.
        given: What the model gets, from what it returned and its argument; None when it returned
            something else than it must.
    """

    doing: str
    place: str
    wanted: str
    given: Callable[[Plain, Value], Value | None]

    def wrong(self, found: str, remedy: str) -> ScenarioError:
        """The error about the function."""
        return ScenarioError(self.doing, found, remedy, place=self.place)


def uses_of(scenario: Scenario) -> Mapping[FunctionRef, Use]:
    """The functions of a scenario, each with its first use."""
    uses: dict[FunctionRef, Use] = {}
    for function, use in _all_uses(scenario):
        uses.setdefault(function, use)
    return uses


def _all_uses(scenario: Scenario) -> Iterator[tuple[FunctionRef, Use]]:
    for external in scenario.externals:
        of = f'of external "{external.name}"'
        if external.dedupe is not None and external.dedupe.function is not None:
            doing = f"calling the function that gives the keys {of}"
            yield external.dedupe.function, Use(doing, external.place, _KEY, _key)
        if external.stateful is not None:
            use = Use(f"calling `handle` {of}", external.place, _HANDLED, _handled)
            yield external.stateful.function, use
    for invariant in scenario.invariants:
        if isinstance(invariant, RowsHold | TraceHolds):
            doing = f'calling the function of invariant "{invariant.name}"'
            yield invariant.function, Use(doing, invariant.place, _TRUTH, _truth)


def shortened(value: Value) -> str:
    """A value for messages."""
    if value == UNDEFINED:
        return "nothing"
    return value if len(value) <= _SHOWN_MAX else f"{value[:_SHOWN_MAX]}..."


def _truth(returned: Plain, argument: Value) -> Value | None:
    return encode(returned) if isinstance(returned, bool) else None


def _key(returned: Plain, argument: Value) -> Value | None:
    if returned is None or returned == _UNDEFINED:
        return NULL
    return encode(returned) if isinstance(returned, str) else None


def _handled(returned: Plain, argument: Value) -> Value | None:
    """The same with everything that may be left out."""
    if not isinstance(returned, dict) or returned.keys() - {"state", "response", "applied"}:
        return None
    response = _response(returned.get("response"))
    applied = returned.get("applied", True)
    if response is None or not isinstance(applied, bool):
        return None
    asked = decode(argument)
    assert isinstance(asked, dict)
    # Without a state of its own it keeps the one that it was given.
    state = returned.get("state", _UNDEFINED)
    kept = asked["state"] if state == _UNDEFINED else state
    return encode({"state": kept, "response": response, "applied": applied})


def _response(tree: Plain) -> dict[str, Plain] | None:
    if not isinstance(tree, dict) or tree.keys() - {"status", "headers", "body"}:
        return None
    status = tree.get("status", 200)
    if isinstance(status, bool) or not isinstance(status, int) or not 200 <= status <= 599:
        return None
    given = tree.get("headers", {})
    if not isinstance(given, dict) or not all(isinstance(each, str) for each in given.values()):
        return None
    headers: dict[str, Plain] = {name.lower(): value for name, value in given.items()}
    body = tree.get("body")
    text: Plain = None
    if isinstance(body, dict) and body.keys() <= {"text", "json"}:
        text, content_type = next(
            (body[form], named)
            for form, named in (("text", TEXT_TYPE), ("json", JSON_TYPE))
            if form in body
        )
        headers.setdefault("content-type", content_type)
    elif body is not None and body != _UNDEFINED:
        return None
    return {"status": status, "headers": headers, "body": text}
