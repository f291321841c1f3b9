"""Conformance cases K-64 to K-70: rollback, which Python Workers do not have."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Play
from tests.rules.programs import Program

pytestmark = [
    pytest.mark.host,
    pytest.mark.node_only("the Python SDK has no rollback options"),
]

# Steps s1, s2 and s3, whose handlers write what they are given.
_UNDO = """
    const undo = (name, rollbackConfig) => ({
      rollback: async ({ ctx, error, output, stepName }) => {
        await write(`undo ${name} ${ctx.attempt} ${error.message} ${output} ${stepName}`);
        if (event.payload === `bad ${name}`) throw new Error(`${name} stays`);
      },
      rollbackConfig,
    });
    const once = { retries: { limit: 0, delay: 0 } };
"""
_FIRST_TWO = """
    await step.do("s1", async () => "one", undo("s1"));
    await step.do("s2", async () => "two", undo("s2", once));
"""

K64 = Program(
    "K64",
    ts=f"""
        {_UNDO} {_FIRST_TWO}
        await step.do("s3", once, async () => {{ throw new Error("three"); }}, undo("s3"));
    """,
)


def _undone(run: Play) -> list[str]:
    return [each.step for each in run.undone]


def test_k64_everything_that_started_is_undone(play: Start) -> None:
    """R-RB-1, R-RB-2, R-RB-3, R-RB-4, R-RB-6."""
    run = play(K64).finish()
    assert [text for _, text in run.writes] == [
        "undo s3 1 three undefined s3-1",
        "undo s2 1 three two s2-1",
        "undo s1 1 three one s1-1",
    ]
    assert run.failed("Error", "three")
    assert run.rollback == {"outcome": "complete", "error": None}


def test_k65_a_handler_that_fails_ends_the_rollback(play: Start) -> None:
    """R-RB-5, R-RB-6, F-RB-4."""
    run = play(K64, params="bad s2").finish()
    assert _undone(run) == ["s3", "s2"]
    assert run.failed("Error", "three")
    assert run.rollback == {
        "outcome": "failed",
        "error": {"name": "Error", "message": "s2 stays"},
    }


K66 = Program(
    "K66",
    ts=f"""
        {_UNDO} {_FIRST_TWO}
        try {{
          await step.do("s3", once, async () => {{ throw new Error("three"); }}, undo("s3"));
        }} catch {{}}
        throw new Error("top");
    """,
)


def test_k66_a_failed_and_caught_step_is_undone_too(play: Start) -> None:
    """R-RB-1, R-RB-4."""
    run = play(K66).finish()
    assert [text for _, text in run.writes] == [
        "undo s3 1 top undefined s3-1",
        "undo s2 1 top two s2-1",
        "undo s1 1 top one s1-1",
    ]
    assert run.failed("Error", "top")


K67 = Program(
    "K67",
    ts=f"""
        {_UNDO} {_FIRST_TWO}
        try {{
          await step.do("s3", once, async () => {{ throw new Error("three"); }}, undo("s3"));
        }} catch {{}}
    """,
)


def test_k67_a_caught_error_undoes_nothing(play: Start) -> None:
    """R-RB-2."""
    run = play(K67).finish()
    assert (run.status, run.undone, run.writes) == ("complete", [], [])
    assert run.rollback is None


def test_k68_a_crash_repeats_the_handler_under_way(play: Start) -> None:
    """R-RB-7, F-RB-2."""
    run = play(K64).strike("crash_after", "rollback_start", step="s1").finish()
    assert _undone(run) == ["s3", "s2", "s1", "s1"]
    assert [each.number for each in run.undone] == [1, 1, 1, 2]
    assert run.failed("Error", "three")
    assert run.rollback == {"outcome": "complete", "error": None}


def test_k68_a_handler_whose_success_was_not_stored_runs_again(play: Start) -> None:
    """R-RB-7, F-RB-3."""
    run = play(K64).strike("crash_after", "rollback_result", step="s1").finish()
    assert [text.split()[1] for _, text in run.writes] == ["s3", "s2", "s1", "s1"]
    assert run.rollback == {"outcome": "complete", "error": None}


K69 = Program(
    "K69",
    ts=f"""
        {_UNDO} {_FIRST_TWO}
        await step.do("s3", async (ctx) => {{
          if (ctx.attempt === 1) throw new NonRetryableError("three");
        }}, undo("s3"));
        return "forward";
    """,
)


def test_k69_a_replay_that_does_not_fail_goes_forward(play: Start) -> None:
    """R-RB-9, R-NR-3, F-RB-5."""
    run = play(K69).strike("crash_after", "rollback_start", step="s1").finish()
    assert (run.status, run.output) == ("complete", "forward")
    assert _undone(run) == ["s3", "s2", "s1"]
    assert [text.split()[1] for _, text in run.writes] == ["s3", "s2"]
    assert [each.step for each in run.attempts] == ["s1", "s2", "s3", "s3"]


def test_k69_and_the_partial_compensation_is_reported(play: Start) -> None:
    """R-RB-9: goes forward although s2 and s3 were undone."""
    run = play(K69).strike("crash_after", "rollback_start", step="s1").finish()
    told = [each.text for each in run.diagnostics if each.rule == "R-RB-9"]
    assert len(told) == 1
    assert "s2" in told[0]
    assert "s3" in told[0]


K70 = Program(
    "K70",
    ts=f"""
        {_UNDO} {_FIRST_TWO}
        await step.sleep("s", "1 minute");
    """,
)


def test_k70_terminating_with_rollback(play: Start) -> None:
    """R-LC-7, R-RB-2, R-RB-4."""
    run = play(K70).until(1_000)
    run.call("terminate", {"rollback": True})
    run.finish()
    assert run.status == "terminated"
    assert _undone(run) == ["s2", "s1"]
    [two, one] = [text for _, text in run.writes]
    assert two.startswith("undo s2 1 ")
    assert two.endswith(" two s2-1")
    assert one.startswith("undo s1 1 ")
    shown = run.call("status")
    assert (shown["rollback"], shown.get("output")) == (
        {"outcome": "complete", "error": None},
        None,
    )


K70Name = Program(
    "K70Name",
    ts="""
        await step.do("s1", async () => 1, {
          rollback: async ({ error }) => { await write(error.name); },
        });
        await step.sleep("s", "1 hour");
    """,
)


def test_k70_also_when_nothing_is_in_memory(play: Start) -> None:
    """R-LC-7: a replay registers the handlers; the error is called Terminated."""
    run = play(K70Name).until(1_000)
    assert run.status == "waiting"
    run.call("terminate", {"rollback": True})
    run.finish()
    assert run.status == "terminated"
    assert [text for _, text in run.writes] == ["Terminated"]
    assert run.calls("s1") == 1
