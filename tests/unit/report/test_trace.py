"""The trace of a run, word for word."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from eutaxy._base.fault import Fault
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import Value
from eutaxy._report.trace import replay_text, time_text, trace_text

LIFE = "workflow:APPROVALS:exp-1#1"
TRACE = (
    Record(
        seq=1, kind=RecordKind.START, at_ms=0, activation="req-1", effect_number=0, text="start"
    ),
    Record(
        seq=2,
        kind=RecordKind.EFFECT,
        at_ms=0,
        activation="req-1",
        effect_number=1,
        text="Workflow:APPROVALS create",
        args=Value('{"options":{"id":"exp-1"}}'),
        answer=Value('{"id":"exp-1"}'),
        place="worker.ts:53:13",
    ),
    Record(seq=3, kind=RecordKind.CLOCK, at_ms=1_000, activation="", effect_number=0, text="1000"),
    Record(
        seq=4,
        kind=RecordKind.EFFECT,
        at_ms=1_000,
        activation=LIFE,
        effect_number=3,
        text="Workflow:APPROVALS step_result",
        args=Value('{"value":"' + "x" * 200 + '"}'),
    ),
    Record(
        seq=5,
        kind=RecordKind.FAULT,
        at_ms=1_000,
        activation=LIFE,
        effect_number=3,
        text="crash_after",
        fault=Fault.CRASH_AFTER,
    ),
    Record(
        seq=6,
        kind=RecordKind.NOTE,
        at_ms=604_801_250,
        activation="workflow:APPROVALS:exp-1#2",
        effect_number=0,
        text="event decision replayed",
    ),
)


def test_every_record_is_a_line_with_its_details() -> None:
    assert trace_text(TRACE) == snapshot("""\
seq             time  activation                  kind       what happened
  1            0.000  req-1                       start
  2            0.000  req-1                       effect #1  Workflow:APPROVALS create  (worker.ts:53:13)
                        args    {options: {id: "exp-1"}}
                        answer  {id: "exp-1"}
  3            1.000                              clock      +1.000
  4            1.000  workflow:APPROVALS:exp-1#1  effect #3  Workflow:APPROVALS step_result
                        args    {value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (200 characters)}
  5            1.000  workflow:APPROVALS:exp-1#1  FAULT      crash_after at effect #3
  6  7d 00:00:01.250  workflow:APPROVALS:exp-1#2  note       event decision replayed
""")


def test_full_shows_values_whole() -> None:
    assert "x" * 200 not in trace_text(TRACE)
    assert "x" * 200 in trace_text(TRACE, is_full=True)


def test_an_empty_trace_is_only_the_header() -> None:
    assert trace_text(()) == "seq  time  activation  kind  what happened\n"


def test_a_very_long_activation_pushes_only_its_own_line() -> None:
    name = "workflow:APPROVALS:" + "i" * 90 + "#0"
    long = Record(
        seq=1, kind=RecordKind.START, at_ms=0, activation=name, effect_number=0, text="start"
    )
    header, line = trace_text((long,)).splitlines()
    assert name in line
    assert len(header) < 80


def test_no_record_can_break_its_line() -> None:
    record = Record(
        seq=1,
        kind=RecordKind.NOTE,
        at_ms=0,
        activation="workflow:A:\n#0",
        effect_number=0,
        text="step \x1b[31mred\n replayed",
        place="a\nb.ts:1:1",
    )
    assert len(trace_text((record,)).splitlines()) == 2
    assert "\x1b" not in trace_text((record,))


@pytest.mark.parametrize(
    ("at_ms", "text"),
    [
        (0, "0.000"),
        (59_999, "59.999"),
        (60_250, "1:00.250"),
        (3_600_000, "1:00:00.000"),
        (86_399_999, "23:59:59.999"),
        (604_801_000, "7d 00:00:01.000"),
    ],
)
def test_times(at_ms: int, text: str) -> None:
    assert time_text(at_ms) == text


def test_replay_ends_with_what_is_broken() -> None:
    text = replay_text(
        TRACE[:1],
        scenario="expenses",
        token="e1-abc",
        broken=[("paid-once", "it happened twice (seq 15 and 22)")],
    )
    assert text == snapshot("""\
REPLAY  expenses  (run seed e1-abc)

seq   time  activation  kind   what happened
  1  0.000  req-1       start

Invariant paid-once is violated: it happened twice (seq 15 and 22)
""")


def test_replay_of_a_harmless_schedule_says_so() -> None:
    text = replay_text(TRACE[:1], scenario="expenses", token="e1-abc", broken=[])
    assert text.splitlines()[-1] == "No invariant is violated by this schedule"
