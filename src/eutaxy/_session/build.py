"""Building a `Scenario` from what a scenario file declares, or saying what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from eutaxy._base.scenario import Scenario, WorkflowSetup
from eutaxy._platform.workflows.profile import PROFILES
from eutaxy._session.bounds_given import read_bounds
from eutaxy._session.declared import (
    Members,
    alternatives,
    call,
    near_miss,
    plain_object,
    read_options,
)
from eutaxy._session.drive import DriveBuilder
from eutaxy._session.evaluate import Declared
from eutaxy._session.externals import read_externals
from eutaxy._session.http_parts import read_duration
from eutaxy._session.invariants import read_invariants, read_silenced, read_without
from eutaxy._session.selectors import SelectorReader
from eutaxy._session.source import Source

_DEFAULT_DOWNTIME_MS = 1_000
_DEFAULT_PROFILE = "prod"


def build_scenario(declared: Declared, source: Source) -> Scenario:
    """Check a declared scenario and turn it into data.

    Args:
        declared: What `evaluate` gave.
        source: The scenario file.

    Raises:
        ScenarioError: Something in it is missing, misspelt, of the wrong type, or contradictory.
    """
    _, outer = call(source, declared, ["scenario"], where="the file", place="")
    function = source.function("scenario")
    given = outer.optional("given")
    what = f"the argument of {function}()"
    members = plain_object(source, given, what, outer.place, is_literal=False)
    members.what = f"{function}()"
    name = members.text("name")
    entry, config = _worker(source, members)
    setup = _setup(source, members)
    drive = DriveBuilder(source, setup).build(members)
    externals = read_externals(source, members)
    without = read_without(members)
    silenced = read_silenced(members)
    reader = SelectorReader(source, setup, drive, externals)
    invariants = read_invariants(source, members, reader, without)
    has_next_class = any(each.next_class for each in setup)
    places = [*(each.name for each in externals), *(each.binding for each in setup)]
    bounds = read_bounds(source, members, places, has_next_class=has_next_class)
    downtime_ms = read_duration(members, "downtime", _DEFAULT_DOWNTIME_MS)
    profile = _profile(members)
    members.finish()
    return Scenario(
        name=name,
        path=source.file.shown,
        entry=entry,
        config=config,
        setup=setup,
        drive=drive,
        externals=externals,
        invariants=invariants,
        bounds=bounds,
        without=without,
        downtime_ms=downtime_ms,
        profile=profile,
        silenced=silenced,
    )


def _worker(source: Source, outer: Members) -> tuple[str, str]:
    """Absolute paths of the entry (empty: what `main` of the config names) and of the config."""
    wanted = "an object with `config`, and `entry` unless it is `main` of the config"
    tree = outer.raw("worker", wanted)
    members = plain_object(source, tree, "`worker`", outer.place, wanted=wanted)
    entry = members.optional_text("entry", "the path of the Worker's entry file")
    config = members.text("config", "the path of its wrangler config")
    members.finish()
    folder = source.file.path.parent
    if entry is None:
        return "", str((folder / config).resolve())
    path = (folder / entry).resolve()
    if not path.is_file():
        near = near_miss(Path(entry).name, _names_in(path.parent))
        found = f"there is no file {entry}{near}"
        raise members.wrong(found, "correct `entry`, or create the file", word=entry)
    return str(path), str((folder / config).resolve())


def _names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def _setup(source: Source, outer: Members) -> tuple[WorkflowSetup, ...]:
    found: list[WorkflowSetup] = []
    for item in outer.items("setup", "a list"):
        _, members = call(source, item, ["workflow"], where="`setup`", place=outer.place)
        setup = _workflow(source, members)
        if any(setup.binding == each.binding for each in found):
            raise members.wrong(f"{setup.binding} is named twice", "keep one of the two")
        members.finish()
        found.append(setup)
    return tuple(found)


def _workflow(source: Source, members: Members) -> WorkflowSetup:
    binding = members.text("binding", "the name of a binding")
    class_name = members.text("className", "the name of a class")
    options = read_options(source, members)
    may_fail = options.flag("mayFail")
    next_class = options.optional_text("nextClass", "the name of a class") or ""
    options.finish()
    place = members.shown_place()
    return WorkflowSetup(
        binding=binding,
        class_name=class_name,
        may_fail=may_fail,
        next_class=next_class,
        place=place,
    )


def _profile(members: Members) -> str:
    profile = members.optional_text("profile", "the name of a profile")
    if profile is not None and profile not in PROFILES:
        raise members.wrong(
            f'`profile` is "{profile}"{near_miss(profile, PROFILES)}',
            f"use one of: {alternatives(PROFILES)}",
            word=profile,
        )
    return profile or _DEFAULT_PROFILE
