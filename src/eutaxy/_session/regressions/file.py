"""Regressions as text: small JSON files that people read, review and commit."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from eutaxy._base.bounds import COUNT_MAX
from eutaxy._session.regressions.anchored import After, Turn
from eutaxy._session.regressions.moment import GO_FIRST, Moment

FORMAT = "eutaxy-regression/1"

_NAME_MAX = 48


class Unreadable(Exception):
    """A file is no regression; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A schedule that broke an invariant once.

    Args:
        scenario: Name of the scenario.
        invariant: What it broke.
        claim: What happened then, in words.
        events: Driver events that were kept, by name.
        redeliveries_max: Bound under which it was found.
        concurrent_max: Likewise.
        profile: Platform behaviour under which it was found.
        turns: The schedule.
    """

    scenario: str
    invariant: str
    claim: str
    events: tuple[str, ...]
    redeliveries_max: int
    concurrent_max: int
    profile: str
    turns: tuple[Turn, ...]

    @property
    def cause(self) -> tuple[str, ...]:
        """What tells causes of one invariant apart: what is done, and where."""
        return (
            self.invariant,
            *(f"{each.does} {each.moment.step} {each.moment.what}" for each in self.turns),
        )

    @property
    def file_name(self) -> str:
        """A name that tells the invariant and the cause; the same for the same schedule."""
        turn = next(
            (each for each in self.turns if each.does != GO_FIRST),
            self.turns[0] if self.turns else None,
        )
        cause = (
            "no-fault" if turn is None else f"{turn.does}-{turn.moment.step or turn.moment.what}"
        )
        told = json.dumps([self.invariant, self.events, [_turn_json(each) for each in self.turns]])
        digest = hashlib.blake2b(told.encode(), digest_size=3).hexdigest()
        return f"{_slug(self.invariant)}.{_slug(cause)}.{digest}.json"


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:_NAME_MAX].strip("-") or "unnamed"


def regression_text(regression: Regression) -> str:
    """A regression as text; the same bytes for the same regression."""
    document = {
        "format": FORMAT,
        "scenario": regression.scenario,
        "invariant": regression.invariant,
        "claim": regression.claim,
        "events": list(regression.events),
        "bounds": {
            "maxRedeliveries": regression.redeliveries_max,
            "maxConcurrent": regression.concurrent_max,
        },
        "profile": regression.profile,
        "schedule": [_turn_json(each) for each in regression.turns],
    }
    return json.dumps(document, indent=2) + "\n"


def _turn_json(turn: Turn) -> dict[str, Any]:
    told: dict[str, Any] = {
        "do": turn.does,
        **_moment_json(turn.moment),
        "occurrence": turn.occurrence,
    }
    if turn.which > 1:
        told["which"] = turn.which
    if turn.after is not None:
        after = turn.after
        told["after"] = {
            **_moment_json(after.moment),
            "occurrence": after.occurrence,
            "waits": after.waits,
        }
    return told


def _moment_json(moment: Moment) -> dict[str, str]:
    told = {"activation": moment.activation, "step": moment.step, "what": moment.what}
    return {name: text for name, text in told.items() if text}


def read_regression(text: str) -> Regression:
    """Read a regression back.

    Raises:
        Unreadable: It is none.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("it is no JSON") from None
    whole = _Reader(document, "")
    found = whole.value.get("format")
    if found != FORMAT:
        raise Unreadable(f'its format is {json.dumps(found)}, and not "{FORMAT}"')
    bounds = whole.inner("bounds")
    return Regression(
        scenario=whole.text("scenario"),
        invariant=whole.text("invariant"),
        claim=whole.text("claim"),
        events=tuple(whole.texts("events")),
        redeliveries_max=bounds.number("maxRedeliveries", least=0),
        concurrent_max=bounds.number("maxConcurrent", least=1),
        profile=whole.text("profile"),
        turns=tuple(_read_turn(each) for each in whole.inners("schedule")),
    )


def _read_turn(reader: _Reader) -> Turn:
    after: After | None = None
    if "after" in reader.value:
        inner = reader.inner("after")
        after = After(
            _read_moment(inner),
            inner.number("occurrence", least=0),
            inner.number("waits", least=0),
        )
    return Turn(
        does=reader.text("do"),
        moment=_read_moment(reader),
        occurrence=reader.number("occurrence", least=1),
        which=reader.number("which", least=1) if "which" in reader.value else 1,
        after=after,
    )


def _read_moment(reader: _Reader) -> Moment:
    return Moment(
        activation=reader.text("activation", default=""),
        step=reader.text("step", default=""),
        what=reader.text("what"),
    )


class _Reader:
    """One JSON object; members are read by the type that they must have."""

    def __init__(self, value: object, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            raise Unreadable(f"{where.rstrip('.') or 'it'} is no JSON object")
        self.value: dict[str, Any] = value

    def text(self, name: str, *, default: str | None = None) -> str:
        found = self.value.get(name, default)
        if not isinstance(found, str):
            raise self._wrong(name, "a text")
        return found

    def number(self, name: str, *, least: int) -> int:
        found = self.value.get(name)
        if type(found) is not int or not least <= found <= COUNT_MAX:
            raise self._wrong(name, f"a number from {least}")
        return found

    def texts(self, name: str) -> list[str]:
        found = self.value.get(name)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self._wrong(name, "a list of texts")
        return found

    def inner(self, name: str) -> _Reader:
        return _Reader(self.value.get(name), f"{self.where}{name}.")

    def inners(self, name: str) -> list[_Reader]:
        found = self.value.get(name)
        if not isinstance(found, list):
            raise self._wrong(name, "a list")
        return [_Reader(each, f"{self.where}{name}[{n}].") for n, each in enumerate(found)]

    def _wrong(self, name: str, expected: str) -> Unreadable:
        what = "is missing" if name not in self.value else f"is not {expected}"
        return Unreadable(f'{self.where}"{name}" {what}')
