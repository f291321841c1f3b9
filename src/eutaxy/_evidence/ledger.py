"""The ledger: what closes a search, as lines of JSON (docs/ledger.md).

The first line is the header, an object. Then each line is a list that begins with a word:

    ["choice", 3, 1, 0, "..."]               choice 3 costs 1 fault and 0 redeliveries, and its text
    ["world", 7, "<key>", 1, 0, "", [3, 9]]  world 7 is met with 1 fault and 0 redeliveries; what it
                                             offers is choice 3, which leads to world 9
    ["end", 723]                             number of worlds; a file without it was cut off

Worlds are numbered from 0, the initial one. A world's choices come in their order, each followed by
the world that it leads to, or null where that lies outside of the bounds.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from eutaxy._base.bounds import Bounds
from eutaxy._base.verdict import Level

FORMAT = "eutaxy-ledger/1"

OUTSIDE = -1
"""In place of a world: outside of the bounds."""


class Mark(Enum):
    """What a world is, beside its choices."""

    OPEN = ""
    """Something goes on for certain."""
    REST = "rest"
    """A schedule may end here."""
    BAD = "bad"
    """An invariant is broken; schedules end here."""
    BAD_AT_REST = "bad at rest"
    """A schedule may end here, and an invariant that is judged then is broken."""
    UNEXPLORED = "unexplored"
    """Met, but nothing is known of what follows."""

    @property
    def is_bad(self) -> bool:
        """Whether an invariant is broken."""
        return self in (Mark.BAD, Mark.BAD_AT_REST)

    @property
    def is_end(self) -> bool:
        """Whether a schedule may end here."""
        return self.is_bad or self is Mark.REST

    @property
    def has_choices(self) -> bool:
        """Whether what follows is recorded."""
        return self not in (Mark.BAD, Mark.UNEXPLORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the ledger is of, and what its report said.

    Args:
        version: The version of eutaxy that wrote it.
        scenario: Name of the scenario.
        path: Its file, relative to the folder of the ledger.
        environment: Environment of the wrangler config; empty for the top level.
        prints: Digests of what was checked, by name ("scenario", "worker").
        profile: Platform behaviour.
        bounds: Limits.
        reads: What is part of the state, as (program, read).
        is_factored: Whether activations were split into fibers.
        is_merging: Whether equal worlds were merged.
        verdict: What the report said.
        seed: Its seed.
        complete: Its complete level.
        schedules: Its schedules, by number of faults.
        worlds: Its worlds.
        transitions: Its transitions.
    """

    version: str
    scenario: str
    path: str
    environment: str
    prints: dict[str, str]
    profile: str
    bounds: Bounds
    reads: tuple[tuple[str, str], ...]
    is_factored: bool
    is_merging: bool
    verdict: str
    seed: str
    complete: Level | None
    schedules: tuple[int, ...]
    worlds: int
    transitions: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice as it is recorded; equal ones are recorded once."""

    faults: int
    redeliveries: int
    text: str


@dataclass(slots=True)
class Ledger:
    """A ledger in memory: world w's entries are `starts[w] : starts[w + 1]`."""

    header: Header
    choices: list[Choice] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    faults: array[int] = field(default_factory=lambda: array("H"))
    redeliveries: array[int] = field(default_factory=lambda: array("H"))
    starts: array[int] = field(default_factory=lambda: array("q", [0]))
    entry_choice: array[int] = field(default_factory=lambda: array("q"))
    entry_target: array[int] = field(default_factory=lambda: array("q"))

    def entries(self, world: int) -> range:
        """Indexes of a world's entries, in the order of its choices."""
        return range(self.starts[world], self.starts[world + 1])


class Discrepancy(Exception):
    """Something in a ledger does not hold.

    Args:
        where: Which world and which choice, in words.
        found: What is wrong there.
    """

    def __init__(self, where: str, found: str) -> None:
        self.where = where
        self.found = found
        super().__init__(where, found)


class NoLedger(Exception):
    """The text is no ledger that this version can read; the argument says why."""


def header_line(header: Header) -> str:
    """The first line."""
    bounds, complete = header.bounds, header.complete
    members = {
        "format": FORMAT,
        "eutaxy": header.version,
        "scenario": header.scenario,
        "path": header.path,
        "environment": header.environment,
        "digests": header.prints,
        "profile": header.profile,
        "bounds": {
            "maxFaults": bounds.max_faults,
            "maxRedeliveries": bounds.max_redeliveries,
            "maxConcurrent": bounds.max_concurrent,
            "faults": dict(bounds.faults_max),
            "faultsAt": [list(each) for each in bounds.faults_at],
        },
        "reads": [list(each) for each in header.reads],
        "isFactored": header.is_factored,
        "isMerging": header.is_merging,
        "verdict": header.verdict,
        "seed": header.seed,
        "complete": None if complete is None else [complete.faults, complete.redeliveries],
        "schedulesByFaults": list(header.schedules),
        "worlds": header.worlds,
        "transitions": header.transitions,
    }
    return json.dumps(members)


def choice_line(number: int, choice: Choice) -> str:
    """The line of a choice."""
    return json.dumps(["choice", number, choice.faults, choice.redeliveries, choice.text])


def world_line(
    number: int, key: str, level: Level, mark: Mark, entries: Iterable[tuple[int, int]]
) -> str:
    """The line of a world; its entries are (choice, target)."""
    shown = ",".join(
        f"{choice},{'null' if target == OUTSIDE else target}" for choice, target in entries
    )
    told = f'"{key}",{level.faults},{level.redeliveries},"{mark.value}"'
    return f'["world",{number},{told},[{shown}]]'


def end_line(worlds: int) -> str:
    """The last line."""
    return json.dumps(["end", worlds])
