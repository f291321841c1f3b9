"""Numbering a run: from the notes of its transitions to the records that people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eutaxy._base.note import Diagnostic, Match, Note, Reached
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import Value
from eutaxy._base.verdict import FaultMark
from eutaxy._explore.graph import Explorable
from eutaxy._explore.path import walk
from eutaxy._world.world import Explained, Option, World


class Telling(Explorable, Protocol):
    """A system that can also tell what a step did."""

    def explain(self, world: World, option: Option) -> Explained:
        """Take a choice and tell what happened."""
        ...


@dataclass(slots=True)
class Trace:
    """A run, numbered.

    Args:
        records: All lines.
        faults: Where faults struck.
        redelivered: Driver events that were delivered again, in order.
        matches: By (invariant, key): seq, effect and role of each happening its monitor matched.
        end: The world at the end.
    """

    records: list[Record] = field(default_factory=list)
    faults: list[FaultMark] = field(default_factory=list)
    redelivered: list[str] = field(default_factory=list)
    matches: dict[tuple[str, Value], list[tuple[int, str, int]]] = field(default_factory=dict)
    end: World = ()


def trace_of(system: Telling, path: Sequence[int]) -> Trace:
    """Execute a path again and number what it tells."""
    tracer = Tracer()
    for world, option in walk(system, path):
        tracer.take(system.explain(world, option), is_again=option.redeliveries > 0)
    if not path:
        tracer.trace.end = system.initial
    return tracer.trace


class Tracer:
    """Numbers one run, transition by transition."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._now_ms = 0
        self._labels: dict[str, str] = {}
        self._starts: dict[str, int] = {}
        self._effects: dict[str, int] = {}

    def take(self, explained: Explained, *, is_again: bool = False) -> None:
        """Number the notes of one transition."""
        self.trace.end = explained.world
        if explained.passed_ms:
            self._now_ms += explained.passed_ms
            self._record(RecordKind.CLOCK, "", 0, f"{explained.passed_ms}")
            return
        matches: list[Match] = []
        effect_seq = 0
        for note in explained.notes:
            if isinstance(note, Diagnostic | Reached):
                continue
            if isinstance(note, Match):
                matches.append(note)
                continue
            if note.kind is RecordKind.START:
                self._start(note, is_again=is_again)
            elif note.kind is RecordKind.EFFECT:
                label = self._label(note)
                self._effects[label] += 1
                self._note(note, label, self._effects[label])
                effect_seq = len(self.trace.records)
            elif note.kind is RecordKind.LANDED:
                self._note(note, note.activation, 0)
                effect_seq = len(self.trace.records)
            elif note.kind is RecordKind.FAULT:
                self._fault(note)
            else:
                self._note(note, self._label(note), 0)
        for match in matches:
            seqs = self.trace.matches.setdefault((match.invariant, match.key), [])
            seq = effect_seq if match.is_effect and effect_seq else len(self.trace.records)
            seqs.append((seq, match.effect, match.role))

    def _start(self, note: Note, *, is_again: bool) -> None:
        count = self._starts.get(note.activation, 0) + 1
        self._starts[note.activation] = count
        if note.activation.startswith("workflow:"):
            label = f"{note.activation}#{count - 1}"
        else:
            label = note.activation if count == 1 else f"{note.activation}/{count}"
        self._labels[note.source] = label
        self._effects[label] = 0
        if is_again:
            self.trace.redelivered.append(note.activation)
        self._note(note, label, 0)

    def _fault(self, note: Note) -> None:
        label = self._label(note)
        number = self._effects.get(label, 0) + (1 if note.is_before else 0)
        self._note(note, label, number)
        assert note.fault is not None
        where = f"effect #{number} ({note.struck})" if note.struck else _between(number)
        text = f"{note.fault.value} at {label} {where}"
        self.trace.faults.append(
            FaultMark(
                fault=note.fault,
                activation=label,
                effect_number=number,
                effect=note.struck,
                text=text,
            )
        )

    def _label(self, note: Note) -> str:
        """The numbered name; what is ended before it ever began has no number."""
        return self._labels.get(note.source, note.activation)

    def _note(self, note: Note, label: str, number: int) -> None:
        self.trace.records.append(
            Record(
                seq=len(self.trace.records) + 1,
                kind=note.kind,
                at_ms=self._now_ms,
                activation=label,
                effect_number=number,
                text=note.text,
                args=note.args,
                answer=note.answer,
                fault=note.fault,
                place=note.place,
            )
        )

    def _record(self, kind: RecordKind, label: str, number: int, text: str) -> None:
        self.trace.records.append(
            Record(
                seq=len(self.trace.records) + 1,
                kind=kind,
                at_ms=self._now_ms,
                activation=label,
                effect_number=number,
                text=text,
            )
        )


def _between(number: int) -> str:
    return f"after effect #{number}" if number else "before its first effect"
