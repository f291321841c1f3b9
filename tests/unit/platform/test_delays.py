"""Delay functions (spec section 2.3, K-11 ... K-13, R-DLY)."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy.testing import Failed, step, timer
from tests.unit.platform.lab import fails, gives, run

S = 1_000


def failing_step(delay: Any, *, limit: int = 2, backoff: str | None = None) -> Any:
    """A step that always fails, with a delay function."""

    def flow(_: Any) -> Any:
        config: dict[str, Any] = {"retries": {"limit": limit}}
        if backoff is not None:
            config["retries"]["backoff"] = backoff
        yield step("s", fails(), config, delay=delay)

    return flow


def test_k_11_the_returned_delay_is_still_multiplied_by_the_backoff() -> None:
    """R-DLY-1, R-DLY-2: asked once for each failed attempt that will be retried."""
    asked: list[Any] = []

    def delay(given: Any) -> Any:
        asked.append((given["ctx"]["attempt"], "delay" in given["ctx"]["config"]["retries"]))
        return "10 seconds"

    ran = run(failing_step(delay))
    assert ran.calls("s") == [0, 10 * S, 30 * S]
    assert ran.end_ms == 30 * S
    assert sorted(set(asked)) == [(1, False), (2, False)]


def test_r_dly_2_with_a_constant_backoff_values_are_taken_as_they_are() -> None:
    ran = run(failing_step(gives(7_000), backoff="constant"))
    assert ran.calls("s") == [0, 7 * S, 14 * S]


def test_r_dly_1_the_function_is_given_the_error() -> None:
    def delay(given: Any) -> Any:
        return 1_000 if given["error"]["message"] == "no" else 5_000

    assert run(failing_step(delay, limit=1)).calls("s") == [0, 1 * S]


def test_k_12_a_delay_function_that_throws_fails_the_step_at_once() -> None:
    """R-DLY-3."""
    ran = run(failing_step(fails("broken")))
    assert ran.calls("s") == [0]
    assert ran.error["name"] == "NonRetryableDelayError"
    assert ran.end_ms == 0


def test_k_13_one_that_never_settles_fails_it_after_five_seconds() -> None:
    """R-DLY-3."""

    def never(_: Any) -> Any:
        yield timer(1_000_000)

    ran = run(failing_step(never))
    assert ran.calls("s") == [0]
    assert ran.error["name"] == "NonRetryableDelayError"
    assert ran.end_ms == 5 * S


def test_r_dly_3_one_that_takes_its_time_delays_the_delay() -> None:
    def slow(_: Any) -> Any:
        yield timer(4 * S)
        return 1_000

    assert run(failing_step(slow, limit=1)).calls("s") == [0, 5 * S]


@pytest.mark.parametrize("wrong", ["soon", -1, "-1 second", {"ms": 1}, [1]])
def test_r_dly_4_an_invalid_delay_fails_the_step(wrong: Any) -> None:
    ran = run(failing_step(gives(wrong)))
    assert ran.calls("s") == [0]
    assert ran.error["name"] == "NonRetryableDelayError"


@pytest.mark.parametrize("nothing", ["", 0])
def test_r_dly_4_nothing_counts_as_no_delay(nothing: Any) -> None:
    ran = run(failing_step(gives(nothing), limit=1))
    assert ran.calls("s") == [0, 0]


def test_the_failure_of_a_delay_function_can_be_caught() -> None:
    def flow(_: Any) -> Any:
        try:
            yield step("s", fails(), {"retries": {"limit": 1}}, delay=fails())
        except Failed as failed:
            return failed.name

    assert run(flow).output == "NonRetryableDelayError"
