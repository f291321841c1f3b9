"""Durations, case by case as `ms()` of itty-time 2.0.2 gives them."""

from __future__ import annotations

import math

import pytest

from eutaxy._base.duration import Duration, parse_duration


@pytest.mark.parametrize(
    ("written", "ms"),
    [
        (1500, 1500),
        (-3, -3),
        (2.9, 2),
        ("5", 5),
        ("1e3", 1000),
        ("", 0),
        ("  ", 0),
        (" 12\n", 12),
        ("0x10", 16),
        ("0b11", 3),
        (".5e1", 5),
        ("1 second", 1_000),
        ("10 seconds", 10_000),
        ("7 days", 604_800_000),
        ("2 weeks", 1_209_600_000),
        ("1 month", 2_592_000_000),
        ("1 year", 31_557_600_000),
        ("1.5 hours", 5_400_000),
        ("-1 minute", -60_000),
        ("3    minutes", 180_000),
        ("0x10 seconds", 16_000),
        ("5 ms", 5),
    ],
)
def test_known(written: float | str, ms: int) -> None:
    assert parse_duration(written) == Duration(ms=ms)


@pytest.mark.parametrize(
    ("written", "ms", "unit"),
    [
        ("5 s", 5, "s"),
        ("5 m", 5, "m"),
        ("10 sec", 10, "sec"),
        ("10 secs", 10, "sec"),
        ("5 Minutes", 5, "Minute"),
        ("5 mins", 5, "min"),
        ("5 secondss", 5, "seconds"),
        ("1.5 fortnights", 1, "fortnight"),
    ],
)
def test_unknown_unit_counts_as_milliseconds(written: str, ms: int, unit: str) -> None:
    assert parse_duration(written) == Duration(ms=ms, unknown_unit=unit)


@pytest.mark.parametrize(
    "written",
    [
        "5m",
        "5minutes",
        "soon",
        "five minutes",
        "5 minutes 3 seconds",
        "5\tminutes",
        " 5 minutes",
        "5 minutes ",
        "1_000",
        "-0x10",
        "infinity",
        "Infinity",
        "-Infinity seconds",
        "\u0665",
        "5 \u017f minutes",
        math.nan,
        math.inf,
    ],
)
def test_no_duration(written: float | str) -> None:
    assert parse_duration(written).ms is None
