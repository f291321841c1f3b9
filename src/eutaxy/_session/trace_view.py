"""A trace as the predicates of scenarios see it."""

from __future__ import annotations

from eutaxy._base.functions import ScenarioFunctions
from eutaxy._base.record import Record
from eutaxy._base.scenario import FunctionRef
from eutaxy._base.value import Plain, decode, encode
from eutaxy._check.rest import holds_by
from eutaxy._explore.trace import Trace


def judge_trace(functions: ScenarioFunctions, function: FunctionRef, trace: Trace) -> bool:
    """Whether a predicate holds for a trace."""
    return holds_by(functions, function, encode([_record_view(each) for each in trace.records]))


def _record_view(record: Record) -> Plain:
    return {
        "seq": record.seq,
        "kind": record.kind.value,
        "atMs": record.at_ms,
        "activation": record.activation,
        "effect": record.effect_number,
        "text": record.text,
        "args": None if record.args is None else decode(record.args),
        "answer": None if record.answer is None else decode(record.answer),
    }
