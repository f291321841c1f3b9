"""The JSON form carries all of a verdict."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any

import pytest

from eutaxy._base.bounds import Bounds
from eutaxy._base.fault import Fault
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import Value
from eutaxy._base.verdict import (
    Compared,
    Coverage,
    Explanation,
    FaultMark,
    Level,
    Passing,
    RegressionState,
    Sampled,
    Suspicion,
    Switch,
    Tried,
    Verdict,
    VerdictKind,
    Violation,
)
from eutaxy._report.json_text import verdict_json

MOVED = FaultMark(
    fault=Fault.CRASH_AFTER,
    activation="req-1",
    effect_number=2,
    effect="Fetch:payouts GET",
    text="crash_after at req-1",
)
MOVED_JSON = {
    "fault": "crash_after",
    "activation": "req-1",
    "effectNumber": 2,
    "effect": "Fetch:payouts GET",
    "text": "crash_after at req-1",
}
VERDICT = Verdict(
    kind=VerdictKind.VIOLATED,
    scenario="expenses ü",
    seed="s",
    bounds=Bounds(max_faults=2, max_redeliveries=3, max_concurrent=4, budget_ms=5),
    coverage=Coverage(
        complete=Level(faults=0, redeliveries=3),
        schedules=(1, 10**30),
        worlds=7,
        transitions=8,
        is_whole=False,
        compared=Compared(3, 4),
        apart=(("req-1", "req-3"), ("req-2",)),
        orders=14,
        sampled=Sampled(runs=5, distinct=4, faults=3, redeliveries=2),
    ),
    violations=(
        Violation(
            invariant="paid-once",
            claim="twice",
            faults=(
                FaultMark(
                    fault=Fault.ANSWER_LOST,
                    activation="req-1",
                    effect_number=1,
                    effect="Fetch:payouts POST",
                    text="answer_lost at req-1",
                ),
            ),
            redelivered=("req-1",),
            kept=("req-1", "req-2"),
            token="e1-abc",
            certificate="no schedule with fewer faults fails",
            depends_on=("nr_error_cached = false",),
            others=-5,
            cause=("answer_lost at Fetch:payouts POST in fetch of POST",),
            explanation=Explanation(
                passing=Passing(
                    faults=(MOVED,),
                    redelivered=("req-1",),
                    was=MOVED,
                    now=MOVED,
                    effects=-2,
                    token="e1-def",
                ),
                moved=3,
                switches=(Switch(name="engine_wakes", value="true", is_decisive=True),),
                rules=("R-CR-1", "F-DO-5"),
            ),
            trace=(
                Record(
                    seq=1,
                    kind=RecordKind.EFFECT,
                    at_ms=9,
                    activation="req-1",
                    effect_number=1,
                    text="Fetch:payouts POST",
                    args=Value('{"at":{"$":"date","of":0}}'),
                    fault=Fault.ANSWER_LOST,
                    place="worker.ts:1:2",
                ),
            ),
        ),
    ),
    vacuous=("other",),
    reasons=("why",),
    suspicions=(Suspicion(rule="refused-call", text="odd", place="worker.ts:3"),),
    regressions=(Tried("a.json", RegressionState.FAILS, "twice", "e1-abc"),),
)


def test_all_of_a_verdict_is_there() -> None:
    text = verdict_json(VERDICT)
    assert text.isascii()
    assert text.endswith("}\n")
    assert json.loads(text) == {
        "format": "eutaxy-verdict/1",
        "verdict": "VIOLATED",
        "scenario": "expenses ü",
        "seed": "s",
        "bounds": {"maxFaults": 2, "maxRedeliveries": 3, "maxConcurrent": 4, "budgetMs": 5},
        "coverage": {
            "complete": {"faults": 0, "redeliveries": 3},
            "isWhole": False,
            "isMerging": True,
            "schedulesByFaults": [1, 10**30],
            "keptApart": [["req-1", "req-3"], ["req-2"]],
            "stepOrdersTried": 14,
            "sampled": {"runs": 5, "distinct": 4, "maxFaults": 3, "maxRedeliveries": 2},
            "worlds": 7,
            "transitions": 8,
            "compared": {"done": 3, "planned": 4},
        },
        "violations": [
            {
                "invariant": "paid-once",
                "claim": "twice",
                "faults": [
                    {
                        "fault": "answer_lost",
                        "activation": "req-1",
                        "effectNumber": 1,
                        "effect": "Fetch:payouts POST",
                        "text": "answer_lost at req-1",
                    }
                ],
                "redelivered": ["req-1"],
                "kept": ["req-1", "req-2"],
                "token": "e1-abc",
                "certificate": "no schedule with fewer faults fails",
                "dependsOn": ["nr_error_cached = false"],
                "others": -5,
                "cause": ["answer_lost at Fetch:payouts POST in fetch of POST"],
                "explanation": {
                    "passing": {
                        "faults": [MOVED_JSON],
                        "redelivered": ["req-1"],
                        "was": MOVED_JSON,
                        "now": MOVED_JSON,
                        "effectsLater": -2,
                        "token": "e1-def",
                    },
                    "moved": 3,
                    "switches": [{"name": "engine_wakes", "value": "true", "isDecisive": True}],
                    "rules": ["R-CR-1", "F-DO-5"],
                },
                "trace": [
                    {
                        "seq": 1,
                        "kind": "effect",
                        "atMs": 9,
                        "activation": "req-1",
                        "effectNumber": 1,
                        "text": "Fetch:payouts POST",
                        "args": {"at": {"$": "date", "of": 0}},
                        "answer": None,
                        "fault": "answer_lost",
                        "place": "worker.ts:1:2",
                    }
                ],
            }
        ],
        "vacuous": ["other"],
        "reasons": ["why"],
        "suspicions": [{"rule": "refused-call", "text": "odd", "place": "worker.ts:3"}],
        "regressions": [
            {"file": "a.json", "state": "still fails", "text": "twice", "token": "e1-abc"}
        ],
    }


@pytest.mark.parametrize(
    "part",
    [
        VERDICT,
        VERDICT.coverage,
        VERDICT.violations[0],
        VERDICT.suspicions[0],
        VERDICT.regressions[0],
    ],
)
def test_the_verdict_above_uses_every_member(part: Any) -> None:
    """A member that is left at its default could be forgotten in the document unnoticed."""
    usual = {"is_merging"}
    for field in fields(part):
        if field.default is not MISSING and field.name not in usual:
            assert getattr(part, field.name) != field.default, field.name
