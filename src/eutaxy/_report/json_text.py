"""A verdict as one JSON document, for programs.

The document names its own format; members are only added while the number stays the same. Values of
user code keep the tagged form of `_base.value`.
"""

from __future__ import annotations

import json

from eutaxy._base.record import Record
from eutaxy._base.value import Plain, Value, decode
from eutaxy._base.verdict import Coverage, Level, Sampled, Verdict, Violation
from eutaxy._report.explanation import explanation_json, fault_json

FORMAT = "eutaxy-verdict/1"


def verdict_json(verdict: Verdict) -> str:
    """Write a verdict with its bounds, coverage, violations and their traces.

    Returns:
        One JSON document and a line end; ASCII only, so that any pipe carries it.
    """
    bounds: dict[str, Plain] = {
        "maxFaults": verdict.bounds.max_faults,
        "maxRedeliveries": verdict.bounds.max_redeliveries,
        "maxConcurrent": verdict.bounds.max_concurrent,
        "budgetMs": verdict.bounds.budget_ms,
    }
    document: dict[str, Plain] = {
        "format": FORMAT,
        "verdict": verdict.kind.value,
        "scenario": verdict.scenario,
        "seed": verdict.seed,
        "bounds": bounds,
        "coverage": _coverage(verdict.coverage),
        "violations": [_violation(violation) for violation in verdict.violations],
        "vacuous": list(verdict.vacuous),
        "reasons": list(verdict.reasons),
        "suspicions": [
            {"rule": each.rule, "text": each.text, "place": each.place}
            for each in verdict.suspicions
        ],
        "regressions": [
            {
                "file": each.file,
                "state": each.state.value,
                "text": each.text,
                "token": each.token,
            }
            for each in verdict.regressions
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _sampled(sampled: Sampled) -> dict[str, Plain]:
    return {
        "runs": sampled.runs,
        "distinct": sampled.distinct,
        "maxFaults": sampled.faults,
        "maxRedeliveries": sampled.redeliveries,
    }


def _coverage(coverage: Coverage) -> dict[str, Plain]:
    return {
        "complete": None if coverage.complete is None else _level(coverage.complete),
        "isWhole": coverage.is_whole,
        "isMerging": coverage.is_merging,
        "schedulesByFaults": list(coverage.schedules),
        "keptApart": [list(group) for group in coverage.apart],
        "stepOrdersTried": coverage.orders,
        "sampled": None if coverage.sampled is None else _sampled(coverage.sampled),
        "worlds": coverage.worlds,
        "transitions": coverage.transitions,
        "compared": {"done": coverage.compared.done, "planned": coverage.compared.planned},
    }


def _level(level: Level) -> dict[str, Plain]:
    return {"faults": level.faults, "redeliveries": level.redeliveries}


def _violation(violation: Violation) -> dict[str, Plain]:
    return {
        "invariant": violation.invariant,
        "claim": violation.claim,
        "faults": [fault_json(mark) for mark in violation.faults],
        "redelivered": list(violation.redelivered),
        "kept": list(violation.kept),
        "token": violation.token,
        "certificate": violation.certificate,
        "dependsOn": list(violation.depends_on),
        "others": violation.others,
        "cause": list(violation.cause),
        "explanation": explanation_json(violation.explanation),
        "trace": [_record(record) for record in violation.trace],
    }


def _record(record: Record) -> dict[str, Plain]:
    return {
        "seq": record.seq,
        "kind": record.kind.value,
        "atMs": record.at_ms,
        "activation": record.activation,
        "effectNumber": record.effect_number,
        "text": record.text,
        "args": _value(record.args),
        "answer": _value(record.answer),
        "fault": None if record.fault is None else record.fault.value,
        "place": record.place,
    }


def _value(value: Value | None) -> Plain:
    return decode(value) if value else None
