"""Ids that are free again tell a planted program from its twin (R-RUN-5)."""

from __future__ import annotations

from typing import Any

from eutaxy._base.scenario import FunctionRef, RowsHold, WorkflowRows
from eutaxy._base.verdict import VerdictKind
from eutaxy.testing import step
from tests.features.feature import (
    FLOW,
    ONCE,
    Feature,
    Functions,
    Programs,
    answer,
    assert_told_apart,
    check,
    create,
    direct,
    pause,
    post,
    scenario,
    worker,
)

HOUR = 3_600_000
TWICE = 'Fetch:bank POST happened twice for key "o-1" (seq 6 and 17)'
KEPT = direct("call-1", "create", options={"id": "a", "retention": {"successRetention": HOUR}})


def paying(key: str) -> Programs:
    """The Workflow pays, with an idempotency key or without."""

    def pay(_: Any) -> Any:
        yield post(key=key)

    def flow(_: Any) -> Any:
        yield step("pay", pay)

    return worker(answer, flow=flow)


def test_r_run_5_an_id_that_is_used_again_after_its_retention() -> None:
    """R-RUN-5: without any fault, an hour later the same id does the same work again."""
    drive = (KEPT, pause(HOUR), create("call-2"))
    assert_told_apart(
        Feature(
            planted=paying(""),
            fixed=paying("a"),
            scenario=scenario(*drive, invariants=(ONCE,), faults=0),
            invariant="once",
            witnesses=(((), TWICE),),
            fixed_faults=1,
        )
    )


def test_r_run_5_what_is_forgotten_is_no_row() -> None:
    """R-RUN-5: after the retention the instance is gone from the rows."""
    none = RowsHold(
        name="none", rows=WorkflowRows(binding=FLOW), function=FunctionRef(0), is_always=False
    )

    def verdict(wanted: int) -> VerdictKind:
        given = scenario(KEPT, pause(HOUR), invariants=(none,), faults=0)
        functions = Functions(lambda rows: len(rows) == wanted)
        return check(paying("a"), given, functions).kind

    assert verdict(0) is not VerdictKind.VIOLATED
    assert verdict(1) is VerdictKind.VIOLATED
