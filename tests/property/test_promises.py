"""What must hold under every fault (spec section 4.3), on random runs of random Workers."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import decode
from eutaxy._explore.trace import Trace, trace_of
from tests.oracles.test_platform import Keyed, model_of, with_reads
from tests.oracles.workers import Worker
from tests.property.random_workers import workers
from tests.unit.platform.lab import TARGET

AGAIN = ("restart", "delete", "createBatch")
"""Calls after which an instance of one name may begin from zero."""


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(worker=workers(), picks=st.lists(st.integers(0, 30), max_size=60))
def test_promises_hold_in_every_run(worker: Worker, picks: list[int]) -> None:
    def work(keyed: Keyed) -> Trace:
        model = model_of(worker, keyed)
        world, path = model.initial, []
        for pick in (*picks, *[0] * 150):
            options = model.choices(world)
            if not options:
                break
            # Mostly what normally happens, so that runs get far; now and then anything.
            number = pick % len(options) if pick > 15 else 0
            path.append(number)
            world = model.step(world, options[number])
        return trace_of(model, path)

    trace = with_reads(work)
    is_fresh = not any(each.text == f"{TARGET} {word}" for each in trace.records for word in AGAIN)
    assume(is_fresh)
    by_instance: dict[str, list[Record]] = defaultdict(list)
    for record in trace.records:
        if record.activation.startswith("workflow:"):
            by_instance[record.activation.split("#")[0]].append(record)
    for records in by_instance.values():
        check_attempts(records)
        check_outcomes(records)
        check_lifetimes(records)
        check_end(records)


def check_attempts(records: list[Record]) -> None:
    """Attempt numbers of one key go up by one; a stored value ends them (4.3.2, 4.3.3)."""
    begun: dict[Any, int] = defaultdict(int)
    stored: set[Any] = set()
    for at, record in enumerate(records):
        if record.kind is not RecordKind.EFFECT or record.args is None:
            continue
        if record.text == f"{TARGET} step_start":
            step, attempt = _key(record)
            assert step not in stored
            assert attempt == begun[step] + 1
            begun[step] = attempt
        elif record.text == f"{TARGET} step_result" and _is_value(record):
            following = records[at + 1] if at + 1 < len(records) else None
            is_struck = following is not None and following.kind is RecordKind.FAULT
            step, attempt = _key(record)
            assert attempt == begun[step]
            if not is_struck:
                stored.add(step)


def check_outcomes(records: list[Record]) -> None:
    """What a step, an event or a timeout was once, it stays (4.3.1, 4.3.4, 4.3.6)."""
    first: dict[str, Any] = {}
    for record in records:
        if record.kind is not RecordKind.NOTE:
            continue
        text = record.text.removesuffix(" received").removesuffix(" replayed")
        if text != record.text and record.answer is not None:
            assert first.setdefault(text, record.answer) == record.answer


def check_lifetimes(records: list[Record]) -> None:
    """A new lifetime needs a crash, a suspension, or the creation (4.3.8, 4.3.10)."""
    starts = sum(record.kind is RecordKind.START for record in records)
    crashes = sum(
        record.kind is RecordKind.FAULT and record.text.startswith("crash") for record in records
    )
    suspensions = sum(record.kind is RecordKind.SUSPENDED for record in records)
    assert starts <= 1 + crashes + suspensions


def check_end(records: list[Record]) -> None:
    """A terminal status is final (4.3.7)."""
    ends = [record.seq for record in records if record.kind is RecordKind.END]
    assert len(ends) <= 1
    if ends:
        starts = [record.seq for record in records if record.kind is RecordKind.START]
        assert not starts or max(starts) < ends[0]


def _key(record: Record) -> tuple[tuple[str, int], int]:
    assert record.args is not None
    args = decode(record.args)
    assert isinstance(args, dict)
    name, count, attempt = args["step"], args["count"], args["attempt"]
    assert isinstance(name, str)
    assert isinstance(count, int)
    assert isinstance(attempt, int)
    return (name, count), attempt


def _is_value(record: Record) -> bool:
    """Whether a callback returned; the traces tell a thrown error as an error value."""
    assert record.answer is not None
    tree = decode(record.answer)
    return not (isinstance(tree, dict) and tree.get("$") == "error")
