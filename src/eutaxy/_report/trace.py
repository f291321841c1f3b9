"""A whole trace as text: one numbered line for each record, in aligned columns."""

from __future__ import annotations

from collections.abc import Sequence

from eutaxy._base.display import BRIEF, FULL, Limits, display, visible
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import Value

_ACTIVATION_WIDTH_MAX = 44
_HEADER = ("seq", "time", "activation", "kind", "what happened")


def trace_text(records: Sequence[Record], *, is_full: bool = False) -> str:
    """Write all records of a run.

    Args:
        records: In order of their seqs.
        is_full: Show values whole; otherwise long strings, lists and buffers are cut.

    Returns:
        Lines, the last one ended too. Times are virtual: seconds since the start of the run.
    """
    limits = FULL if is_full else BRIEF
    rows = [(_HEADER, ())] + [(_cells(record), _details(record, limits)) for record in records]
    widths = [max(len(cells[column]) for cells, _ in rows) for column in range(4)]
    widths[2] = min(widths[2], _ACTIVATION_WIDTH_MAX)
    indent = " " * (widths[0] + widths[1] + 6)
    lines: list[str] = []
    for (seq, time, activation, kind, text), details in rows:
        head = f"{seq:>{widths[0]}}  {time:>{widths[1]}}  {activation:<{widths[2]}}"
        lines.append(f"{head}  {kind:<{widths[3]}}  {text}".rstrip())
        lines += [indent + detail for detail in details]
    return "\n".join(lines) + "\n"


def replay_text(
    records: Sequence[Record],
    *,
    scenario: str,
    token: str,
    broken: Sequence[tuple[str, str]],
    is_full: bool = False,
) -> str:
    """Write the report of one replayed schedule: its trace, then what it breaks.

    Args:
        records: In order of their seqs.
        scenario: Name of the scenario.
        token: The schedule.
        broken: Name and claim of each broken invariant.
        is_full: As for `trace_text`.

    Returns:
        Lines, the last one ended too.
    """
    claims = [
        f"Invariant {visible(invariant)} is violated: {visible(claim)}"
        for invariant, claim in broken
    ]
    return "\n".join(
        [
            f"REPLAY  {visible(scenario)}  (run seed {visible(token)})",
            "",
            trace_text(records, is_full=is_full),
            *(claims or ["No invariant is violated by this schedule"]),
            "",
        ]
    )


def time_text(at_ms: int) -> str:
    """Write a virtual time: `8.000`, `1:00.250`, `2:00:00.000`, `7d 00:00:01.000`."""
    minutes, ms = divmod(at_ms, 60_000)
    seconds = f"{ms // 1000:02}.{ms % 1000:03}"
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d {hour:02}:{minute:02}:{seconds}"
    if hours:
        return f"{hours}:{minute:02}:{seconds}"
    return f"{minutes}:{seconds}" if minutes else f"{ms // 1000}.{ms % 1000:03}"


def _cells(record: Record) -> tuple[str, str, str, str, str]:
    place = f"  ({visible(record.place)})" if record.place else ""
    return (
        str(record.seq),
        time_text(record.at_ms),
        visible(record.activation),
        _kind(record),
        _text(record) + place,
    )


def _text(record: Record) -> str:
    if record.kind is RecordKind.CLOCK and record.text.isdecimal():
        # The milliseconds that have passed.
        return f"+{time_text(int(record.text))}"
    if record.kind is RecordKind.FAULT and record.effect_number:
        return f"{visible(record.text)} at effect #{record.effect_number}"
    return "" if record.text == record.kind.value else visible(record.text)


def _kind(record: Record) -> str:
    if record.kind is RecordKind.EFFECT:
        return f"effect #{record.effect_number}"
    return "FAULT" if record.kind is RecordKind.FAULT else record.kind.value


def _details(record: Record, limits: Limits) -> tuple[str, ...]:
    return tuple(
        f"{label}  {display(Value(value), limits=limits)}"
        for label, value in (("args  ", record.args), ("answer", record.answer))
        if value
    )
