"""Fault points of rollback (4.2), which Python Workers do not have."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Play
from tests.rules.programs import Program

pytestmark = [
    pytest.mark.host,
    pytest.mark.node_only("the Python SDK has no rollback options"),
]

_UNDO = """
    const undo = {
      rollback: async ({ output, stepName }) => { await write(`undo ${stepName} ${output}`); },
    };
    const once = { retries: { limit: 0, delay: 0 } };
    const isLater = Date.now() - event.timestamp.getTime() > 4000;
"""

Fails = Program(
    "Fails",
    ts=f"""
        {_UNDO}
        await step.do("a", async () => 1, undo);
        await step.do("b", once, async () => {{ throw new Error("b"); }}, undo);
    """,
)


def _writes(run: Play) -> list[str]:
    return [text for _, text in run.writes]


@pytest.mark.parametrize(
    ("fault", "effect"), [("crash_after", "run_result"), ("crash_before", "rollback_start")]
)
def test_f_rb_1_crash_before_the_first_handler(play: Start, fault: str, effect: str) -> None:
    """F-RB-1: the stored error fails `run` again, and everything is undone."""
    run = play(Fails).strike(fault, effect).finish()
    assert _writes(run) == ["undo b-1 undefined", "undo a-1 1"]
    assert run.failed("Error", "b")
    assert (run.calls("b"), run.lifetimes) == (1, 2)


Unreached = Program(
    "Unreached",
    ts=f"""
        {_UNDO}
        await step.do("a", async () => 1, undo);
        if (!isLater) await step.do("b", async () => 2, undo);
        await step.do("c", once, async () => {{ throw new Error("c"); }}, undo);
    """,
)


def test_f_rb_6_a_handler_that_replay_does_not_reach(play: Start) -> None:
    """F-RB-6, R-RB-8: the chain ends at the step whose handler is missing."""
    run = play(Unreached, down_ms=5_000).strike("crash_after", "rollback_start", step="c").finish()
    assert _writes(run) == ["undo c-1 undefined"]
    assert run.failed("Error", "c")
    assert run.rollback["outcome"] == "failed"
    assert "b" in run.rollback["error"]["message"]


Interrupted = Program(
    "Interrupted",
    ts=f"""
        {_UNDO}
        await Promise.all([
          step.do("a", async () => {{ await write("a"); await pause(60_000); return 1; }}, undo),
          step.do("b", once, async () => {{ await pause(100); throw new Error("b"); }}),
        ]);
    """,
)


def test_f_rb_7_a_step_that_was_interrupted(play: Start) -> None:
    """F-RB-7, R-RB-1: its effects are there, its output is not."""
    run = play(Interrupted).finish()
    assert _writes(run) == ["a", "undo a-1 undefined"]
    assert run.failed("Error", "b")


Zombie = Program(
    "Zombie",
    ts=f"""
        {_UNDO}
        const short = {{ ...once, timeout: "1 second" }};
        await step.do("a", short, async () => {{ await pause(3000); await write("a"); }}, undo);
    """,
)


def test_f_rb_8_a_late_effect_after_its_compensation(play: Start) -> None:
    """F-RB-8, R-TO-3."""
    run = play(Zombie).finish()
    assert run.writes == [(1_000, "undo a-1 undefined"), (3_000, "a")]
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 1000ms")


Terminated = Program(
    "Terminated",
    ts=f"""
        {_UNDO}
        await step.do("a", async () => 1, undo);
        await step.do("b", async () => 2, undo);
        await step.sleep("s", "1 minute");
        return "forward";
    """,
)


def test_f_rb_9_crash_in_the_rollback_of_a_terminate(play: Start) -> None:
    """F-RB-9: the request is not stored, so the next lifetime goes forward."""
    run = play(Terminated).until(1_000)
    run.call("terminate", {"rollback": True})
    run.strike("crash_after", "rollback_result", step="a").finish()
    assert _writes(run) == ["undo b-1 2", "undo a-1 1"]
    assert (run.status, run.output) == ("complete", "forward")
    assert "R-RB-9" in {each.rule for each in run.diagnostics}
