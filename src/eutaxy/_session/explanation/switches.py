"""Which switches of the platform a schedule looks at, and with which it would go otherwise.

The schedule is executed again in a fresh graph whose profile notes what is read of it; then once
for each other value of what was read. Switches that nothing read cannot matter to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import TypeAlias, TypeVar

from eutaxy._base.note import Note
from eutaxy._base.verdict import Switch
from eutaxy._explore.path import walk
from eutaxy._platform.workflows.profile import PROFILES, Profile
from eutaxy._session.explanation.unseen import UNSEEN
from eutaxy._session.model import Model
from eutaxy._world.world import Option, World

NAMES = tuple(each.name for each in fields(Profile) if each.name != "name")
"""All switches."""


_Happens: TypeAlias = tuple[int, tuple[Note, ...]]


class NotingProfile(Profile):
    """A profile that notes which of its switches are read."""

    noted: dict[str, None]

    def __getattribute__(self, name: str) -> object:
        if name in NAMES:
            object.__getattribute__(self, "noted")[name] = None
        return object.__getattribute__(self, name)


def noting(profile: Profile) -> NotingProfile:
    """A profile that says the same and notes what is read."""
    made = _copied(NotingProfile, profile)
    object.__setattr__(made, "noted", {})
    return made


P = TypeVar("P", bound=Profile)


def _copied(kind: type[P], profile: Profile) -> P:
    made = object.__new__(kind)
    for each in fields(Profile):
        object.__setattr__(made, each.name, getattr(profile, each.name))
    return made


def switches_of(
    make_model: Callable[[Profile], Model], profile: Profile, path: Sequence[int]
) -> tuple[Switch, ...]:
    """The switches that a path reads, in the order of the profile.

    Args:
        make_model: Gives the graph of the schedule under a profile.
        profile: The profile of the schedule.
        path: Its choices.
    """
    noted = noting(profile)
    model = make_model(noted)
    told = [
        (model.describe(option), _happens(model, world, option))
        for world, option in walk(model, path)
    ]
    return tuple(
        Switch(
            name=name,
            value=_shown(getattr(profile, name)),
            is_decisive=any(
                not _goes_likewise(make_model(other), told) for other in _others(profile, name)
            ),
        )
        for name in NAMES
        if name in noted.noted
    )


def _others(profile: Profile, name: str) -> Iterator[Profile]:
    """The profile with each other value that some profile, or the negation, gives a switch."""
    value = getattr(profile, name)
    values = [not value] if isinstance(value, bool) else []
    for each in PROFILES.values():
        other = getattr(each, name)
        if other != value and other not in values:
            values.append(other)
    for other in values:
        made = _copied(Profile, profile)
        object.__setattr__(made, name, other)
        yield made


def _goes_likewise(model: Model, told: Sequence[tuple[str, _Happens]]) -> bool:
    """Whether the same choices do the same in another graph."""
    world = model.initial
    try:
        for text, happens in told:
            options = model.choices(world)
            option = next((each for each in options if model.describe(each) == text), None)
            if option is None or _happens(model, world, option) != happens:
                return False
            world = model.step(world, option)
    except UNSEEN:
        return False
    return True


def _happens(model: Model, world: World, option: Option) -> _Happens:
    """What a choice does, as a trace would tell it."""
    explained = model.explain(world, option)
    return explained.passed_ms, tuple(each for each in explained.notes if isinstance(each, Note))


def _shown(value: object) -> str:
    return "never" if value is None else str(value).lower()
