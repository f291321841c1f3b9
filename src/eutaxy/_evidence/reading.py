"""Reading a ledger: each line is what it should be, or the first that is not is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from eutaxy._base.bounds import Bounds
from eutaxy._base.verdict import Level
from eutaxy._evidence.ledger import (
    FORMAT,
    OUTSIDE,
    Choice,
    Discrepancy,
    Header,
    Ledger,
    Mark,
    NoLedger,
)


def read_header(line: str) -> Header:
    """The header.

    Raises:
        NoLedger: The line is none, or of another version of the format.
    """
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict) or not str(told.get("format")).startswith("eutaxy-ledger/"):
        raise NoLedger("its first line is no header of a ledger")
    if told["format"] != FORMAT:
        raise NoLedger(f"its format is {told['format']}, and this version reads {FORMAT}")
    try:
        return _header(told)
    except (KeyError, TypeError, ValueError, AssertionError) as error:
        raise NoLedger(f"its header lacks something, or has it in another form ({error})") from None


def _header(told: dict[str, Any]) -> Header:
    bounds, complete = told["bounds"], told["complete"]
    return Header(
        version=str(told["eutaxy"]),
        scenario=str(told["scenario"]),
        path=str(told["path"]),
        environment=str(told["environment"]),
        prints={str(name): str(each) for name, each in told["digests"].items()},
        profile=str(told["profile"]),
        bounds=Bounds(
            max_faults=int(bounds["maxFaults"]),
            max_redeliveries=int(bounds["maxRedeliveries"]),
            max_concurrent=int(bounds["maxConcurrent"]),
            faults_max=tuple((str(kind), int(most)) for kind, most in bounds["faults"].items()),
            faults_at=tuple(
                (str(place), str(kind), int(most)) for place, kind, most in bounds["faultsAt"]
            ),
        ),
        reads=tuple((str(program), str(read)) for program, read in told["reads"]),
        is_factored=bool(told["isFactored"]),
        is_merging=bool(told["isMerging"]),
        verdict=str(told["verdict"]),
        seed=str(told["seed"]),
        complete=None
        if complete is None
        else Level(faults=int(complete[0]), redeliveries=int(complete[1])),
        schedules=tuple(int(each) for each in told["schedulesByFaults"]),
        worlds=int(told["worlds"]),
        transitions=int(told["transitions"]),
    )


def read_ledger(lines: Iterator[str]) -> Ledger:
    """A whole ledger.

    Raises:
        NoLedger: It has no header that can be read.
        Discrepancy: It is cut off, or a line is missing or garbled.
    """
    ledger = Ledger(read_header(next(lines, "")))
    where = "the header"
    for line in lines:
        try:
            told = json.loads(line)
            word, number = told[0], told[1]
            if word == "end":
                _end(ledger, number, where, lines)
                return ledger
            where = f"{word} {number}"
            _take(ledger, told)
        except (ValueError, TypeError, LookupError, OverflowError):
            raise Discrepancy(f"the line after {where}", "it cannot be read") from None
    raise Discrepancy(where, "the file ends after it: it was cut off")


def _take(ledger: Ledger, told: list[Any]) -> None:
    word, number = told[0], told[1]
    if word == "choice":
        _in_order(word, number, len(ledger.choices))
        _, _, faults, redeliveries, text = told
        if faults not in (0, 1) or redeliveries not in (0, 1):
            raise ValueError(told)
        ledger.choices.append(Choice(int(faults), int(redeliveries), str(text)))
        return
    _in_order(word, number, len(ledger.keys))
    _, _, key, faults, redeliveries, mark, entries = told
    ledger.keys.append(str(key))
    ledger.marks.append(Mark(mark))
    ledger.faults.append(faults)
    ledger.redeliveries.append(redeliveries)
    for choice, target in zip(entries[::2], entries[1::2], strict=True):
        if not 0 <= choice < len(ledger.choices):
            raise Discrepancy(f"world {number}", f"it offers choice {choice}, which is no such")
        if target is not None and target < 0:
            raise ValueError(target)
        ledger.entry_choice.append(choice)
        ledger.entry_target.append(OUTSIDE if target is None else target)
    ledger.starts.append(len(ledger.entry_choice))


def _in_order(word: str, number: int, expected: int) -> None:
    if word not in ("choice", "world"):
        raise ValueError(word)
    if number != expected:
        raise Discrepancy(f"{word} {expected}", f"it is missing: {word} {number} stands there")


def _end(ledger: Ledger, worlds: int, where: str, lines: Iterator[str]) -> None:
    if worlds != len(ledger.keys):
        found = f"the last line speaks of {worlds:,} worlds, and {len(ledger.keys):,} are there"
        raise Discrepancy(where, found)
    if next(lines, None) is not None:
        raise Discrepancy("the last line", "something stands after it")
