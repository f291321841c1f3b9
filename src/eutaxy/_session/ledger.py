"""Writing the ledger of a search, and checking one again (docs/ledger.md)."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO

from eutaxy._base.code import Read
from eutaxy._base.verdict import Level, Verdict
from eutaxy._evidence.closure import Closed, check_closed
from eutaxy._evidence.ledger import (
    OUTSIDE,
    Choice,
    Discrepancy,
    Header,
    Ledger,
    Mark,
    NoLedger,
    choice_line,
    end_line,
    header_line,
    world_line,
)
from eutaxy._evidence.reading import read_ledger
from eutaxy._evidence.rerun import Rerun, all_entries, sampled_entries
from eutaxy._explore.graph import Graph
from eutaxy._explore.search import Found
from eutaxy._explore.trace import trace_of
from eutaxy._session.load import Loaded
from eutaxy._session.model import Model
from eutaxy._session.world_keys import WorldKeys
from eutaxy.errors import LedgerError

SAMPLE = 200
"""How many choices are executed again unless told otherwise."""


def prints_of(loaded: Loaded, scenario_path: str) -> dict[str, str]:
    """Digests of a scenario file and of its Worker: the bundle, or the main module."""
    files = {"scenario": scenario_path, "worker": loaded.worker.code}
    return {
        name: hashlib.blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
        for name, file in files.items()
    }


def write_ledger(file: str, header: Header, found: Found, keys: WorldKeys) -> None:
    """Write what closes a search.

    Raises:
        LedgerError: The file cannot be written.
    """
    doing = f"writing the ledger {file}"
    try:
        with _opened(file, "w") as out:
            out.write(header_line(header) + "\n")
            for line in _lines(found.graph, keys):
                out.write(line + "\n")
    except OSError as error:
        raise LedgerError(doing, str(error.strerror), "name a file that can be written") from None


def _lines(graph: Graph, keys: WorldKeys) -> Iterator[str]:
    model = keys.model
    numbers: dict[Choice, int] = {}
    for number, world in enumerate(graph.worlds):
        mark = _mark(graph, number)
        entries: list[tuple[int, int]] = []
        if mark.has_choices:
            targets = {
                graph.edge_choice[edge]: graph.edge_target[edge] for edge in graph.edges(number)
            }
            for at, option in enumerate(model.choices(world)):
                choice = Choice(option.faults, option.redeliveries, model.describe(option))
                if choice not in numbers:
                    numbers[choice] = len(numbers)
                    yield choice_line(numbers[choice], choice)
                entries.append((numbers[choice], targets.get(at, OUTSIDE)))
        level = Level(faults=graph.fewest[number], redeliveries=graph.redeliveries[number])
        yield world_line(number, keys.key(world), level, mark, entries)
    yield end_line(len(graph.worlds))


def _mark(graph: Graph, number: int) -> Mark:
    if graph.is_bad[number]:
        return Mark.BAD_AT_REST if graph.is_resting[number] else Mark.BAD
    if not graph.is_expanded[number]:
        return Mark.UNEXPLORED
    return Mark.REST if graph.is_resting[number] else Mark.OPEN


def header_of(
    file: str,
    loaded: Loaded,
    scenario_path: str,
    verdict: Verdict,
    *,
    environment: str,
    profile: str,
    reads: frozenset[tuple[str, Read]],
    is_factored: bool,
) -> Header:
    """The header of the ledger of a check."""
    coverage = verdict.coverage
    here = Path(file).resolve().parent
    return Header(
        version=version("eutaxy"),
        scenario=verdict.scenario,
        path=Path(os.path.relpath(Path(scenario_path).resolve(), here)).as_posix(),
        environment=environment,
        prints=prints_of(loaded, scenario_path),
        profile=profile,
        bounds=verdict.bounds,
        reads=tuple(sorted((program, read.value) for program, read in reads)),
        is_factored=is_factored,
        is_merging=coverage.is_merging,
        verdict=verdict.kind.value,
        seed=verdict.seed,
        complete=coverage.complete,
        schedules=coverage.schedules,
        worlds=coverage.worlds,
        transitions=coverage.transitions,
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A ledger that is closed, by itself."""

    file: str
    ledger: Ledger
    closed: Closed

    @property
    def scenario_path(self) -> str:
        """The scenario file that it is of, as the user would write it."""
        return os.path.relpath(Path(self.file).parent / self.ledger.header.path)


def open_ledger(file: str) -> Opened:
    """Read a ledger and see that it is closed and counts what it says.

    Raises:
        LedgerError: It is none, or something in it does not hold.
    """
    try:
        with _opened(file, "r") as lines:
            ledger = read_ledger(iter(lines))
        return Opened(file, ledger, check_closed(ledger))
    except (OSError, EOFError, UnicodeDecodeError, NoLedger) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        remedy = "give a file that `eutaxy check --ledger FILE` has written"
        raise LedgerError(f"reading the ledger {file}", str(found), remedy) from None
    except Discrepancy as discrepancy:
        raise refuted(file, discrepancy) from None


@dataclass(frozen=True, slots=True)
class Verified:
    """A ledger that holds.

    Args:
        opened: The ledger.
        worlds: Worlds that were rebuilt and compared.
        edges: Choices that were executed again.
    """

    opened: Opened
    worlds: int
    edges: int


def check_is_of(opened: Opened, loaded: Loaded) -> None:
    """See that a ledger is of the files that are there now.

    Raises:
        LedgerError: One has changed.
    """
    said = opened.ledger.header.prints
    now = prints_of(loaded, opened.scenario_path)
    changed = [name for name in now if said.get(name) != now[name]]
    if changed:
        what = " and the ".join(changed)
        raise LedgerError(
            f"verifying {opened.file} against {opened.scenario_path}",
            f"the {what} has changed since it was written",
            "check again for a new ledger, or go back to what was checked",
            is_refuted=True,
        )


def execute_again(
    opened: Opened, model: Model, keys: WorldKeys, *, sample: int | None, seed: str
) -> Rerun:
    """Execute some of a ledger's choices again.

    Args:
        opened: The ledger.
        model: What it is of, made afresh.
        keys: Keys of that model.
        sample: How many choices; None for all.
        seed: Decides which.

    Raises:
        LedgerError: Something is otherwise.
    """
    ledger = opened.ledger

    def is_bad_run(path: tuple[int, ...]) -> bool:
        return bool(model.trace_findings(trace_of(model, path)))

    rerun = Rerun(
        ledger,
        opened.closed.ways,
        model,
        keys.key,
        None if ledger.header.is_merging else is_bad_run,
    )
    entries = all_entries(ledger) if sample is None else sampled_entries(ledger, sample, seed)
    try:
        rerun.follow(entries)
        if sample is None:
            for world in range(len(ledger.keys)):
                rerun.rebuild(world)
    except Discrepancy as discrepancy:
        raise refuted(opened.file, discrepancy) from None
    return rerun


def refuted(file: str, discrepancy: Discrepancy) -> LedgerError:
    """The error that names what does not hold."""
    return LedgerError(
        f"verifying {file}: {discrepancy.where}",
        discrepancy.found,
        "the file was changed, or the code is not what it was; check again for a new ledger",
        is_refuted=True,
    )


@contextmanager
def _opened(file: str, mode: str) -> Iterator[IO[str]]:
    """A text file, compressed when its name ends in .gz; the same bytes for the same text."""
    if not file.endswith(".gz"):
        with open(file, mode, encoding="utf-8") as plain:  # noqa: PTH123 - a name for messages
            yield plain
    elif mode == "r":
        with gzip.open(file, "rt", encoding="utf-8") as packed:
            yield packed
    else:
        with (
            open(file, "wb") as raw,  # noqa: PTH123 - as above
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed_bytes,
        ):
            text = io.TextIOWrapper(packed_bytes, encoding="utf-8", newline="\n")
            yield text
            text.flush()
