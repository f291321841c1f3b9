"""Conformance cases K-25 to K-30: errors that are not retried, and what is left of an error."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eutaxy._platform.workflows.profile import PROD
from tests.rules.conftest import Start
from tests.rules.programs import Program

pytestmark = pytest.mark.host

K25 = Program(
    "K25",
    ts="""
        await step.do("a", async () => {
          await write("a");
          throw new NonRetryableError("m");
        });
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")
            raise NonRetryableError("m")
        await a()
    """,
)


def test_k25_a_non_retryable_error_ends_the_instance(play: Start) -> None:
    """R-NR-1, R-NR-2."""
    run = play(K25).finish()
    assert run.writes == [(0, "a")]
    assert run.calls("a") == 1
    assert run.failed("NonRetryableError", "m")
    assert run.ended_ms == 0


@pytest.mark.node_only("what leaves run() of a Python Worker is a PythonError")
def test_k25_its_message_is_hidden_before_may_2026(play: Start) -> None:
    """R-NR-2 without `workflows_preserve_non_retryable_error_message`."""
    run = play(K25, engine={"non_retryable_message_kept": False}).finish()
    assert run.error[0] == "WorkflowFatalError"
    assert run.error[1] != "m"


K26 = Program(
    "K26",
    ts="""
        try {
          await step.do("a", async () => { throw new NonRetryableError("m"); });
        } catch {}
        return await step.do("b", async () => "b");
    """,
    py="""
        @step.do("a")
        async def a():
            raise NonRetryableError("m")

        @step.do("b")
        async def b():
            return "b"
        try:
            await a()
        except NonRetryableError:
            pass
        return await b()
    """,
)


def test_k26_a_caught_one_lets_run_go_on(play: Start) -> None:
    """R-NR-1."""
    run = play(K26).finish()
    assert (run.status, run.output) == ("complete", "b")
    assert [each.step for each in run.attempts] == ["a", "b"]


K27 = Program(
    "K27",
    ts="""
        await step.do("a", { retries: { limit: 2, delay: 0 } }, async () => {
          throw new NonRetryableError("m", "Custom");
        });
    """,
    py="""
        class Custom(NonRetryableError):
            pass

        @step.do("a", config={"retries": {"limit": 2, "delay": 0}})
        async def a():
            raise Custom("m")
        await a()
    """,
)


def test_k27_another_name_is_retried(play: Start) -> None:
    """R-ERR-1."""
    run = play(K27).finish()
    assert run.calls("a") == 3
    assert run.failed("Custom", "m")


K28 = Program(
    "K28",
    ts="""
        try {
          await step.do("a", async () => { await write("a"); throw new NonRetryableError("m"); });
        } catch (error) {
          await write(`caught ${error.message}`);
        }
        await step.sleep("long", "10 minutes");
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")
            raise NonRetryableError("m")
        try:
            await a()
        except NonRetryableError as error:
            await write(f"caught {error}")
        await step.sleep("long", "10 minutes")
    """,
)


def test_k28_a_non_retryable_failure_is_not_stored(play: Start) -> None:
    """R-NR-3, F-DO-11."""
    run = play(K28).finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert [each.number for each in run.attempts] == [1, 2]
    assert run.writes == [(0, "a"), (0, "caught m"), (600_000, "a"), (600_000, "caught m")]


def test_k28_unless_the_engine_does_store_it(play: Start) -> None:
    """DIFF-19."""
    run = play(K28, profile=replace(PROD, non_retryable_is_cached=True)).finish()
    assert run.writes == [(0, "a"), (0, "caught m"), (600_000, "caught m")]


K29 = Program(
    "K29",
    ts="""
        try {
          await step.do("a", { retries: { limit: 0, delay: 0 } }, async () => {
            await write("a");
            throw new Error("no");
          });
        } catch (error) {
          await write(`caught ${error.message}`);
        }
        await step.sleep("long", "10 minutes");
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a():
            await write("a")
            raise Exception("no")
        try:
            await a()
        except Exception as error:
            last = str(error).rstrip().splitlines()[-1]
            await write(f"caught {last.removeprefix('Exception: ')}")
        await step.sleep("long", "10 minutes")
    """,
)


def test_k29_the_error_of_an_exhausted_step_is_stored(play: Start) -> None:
    """R-DO-4."""
    run = play(K29).finish()
    assert (run.status, run.lifetimes, run.calls("a")) == ("complete", 2, 1)
    assert run.writes == [(0, "a"), (0, "caught no"), (600_000, "caught no")]


K30 = Program(
    "K30",
    ts_head="""
        class Refused extends Error {
          name = "Refused";
          constructor(message, code) { super(message); this.code = code; }
        }
    """,
    ts="""
        const once = { retries: { limit: 0, delay: 0 } };
        try {
          await step.do("a", once, async () => { throw new Refused("no", 42); });
        } catch (error) {
          return [error.name, error.message, error.code, error instanceof Refused,
            error instanceof Error];
        }
    """,
    py_head="""
        class Refused(Exception):
            def __init__(self, message, code):
                super().__init__(message)
                self.code = code
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a():
            raise Refused("no", 42)
        try:
            await a()
        except Exception as error:
            last = str(error).rstrip().splitlines()[-1]
            return [type(error).__name__, last.endswith("Refused: no"), hasattr(error, "code")]
    """,
)


@pytest.mark.languages_differ("Python's own classes do not cross: JsException with a traceback")
def test_k30_what_is_left_of_a_custom_error(play: Start) -> None:
    """R-ERR-2."""
    run = play(K30).finish()
    if run.language == "node":
        assert run.output == ["Refused", "no", 42, False, True]
    else:
        assert run.output == ["JsException", True, False]


@pytest.mark.languages_differ("Python's own classes do not cross: JsException with a traceback")
def test_k30_what_was_left_before_april_2026(play: Start) -> None:
    """R-ERR-2 without `enhanced_error_serialization`."""
    run = play(K30, engine={"errors_are_enhanced": False}).finish()
    if run.language == "node":
        assert run.output == ["Error", "Refused: no", {"$": "undefined"}, False, True]
    else:
        assert run.output == ["JsException", True, False]
