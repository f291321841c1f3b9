"""Cron expressions: when they come due, and what is said about those that are none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from eutaxy._session.cron import NoCron, read_cron


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


# 1 January 2026 is a Thursday.
NEXT = [
    ("* * * * *", "2026-01-01T00:00", "2026-01-01T00:00"),
    ("* * * * *", "2026-01-01T00:00:00.001", "2026-01-01T00:01"),
    ("0 3 * * *", "2026-01-01T03:00:01", "2026-01-02T03:00"),
    ("*/20 * * * *", "2026-01-01T00:41", "2026-01-01T01:00"),
    ("5/20 * * * *", "2026-01-01T00:46", "2026-01-01T01:05"),
    ("10-20/5 * * * *", "2026-01-01T00:16", "2026-01-01T00:20"),
    ("0 22-2 * * *", "2026-01-01T03:00", "2026-01-01T22:00"),
    ("0 22-2 * * *", "2026-01-01T00:30", "2026-01-01T01:00"),
    ("0 0 1,15 * *", "2026-01-02T00:00", "2026-01-15T00:00"),
    ("0 0 1 feb *", "2026-01-02T00:00", "2026-02-01T00:00"),
    ("0 0 * * 1", "2026-01-01T00:00", "2026-01-04T00:00"),
    ("0 0 * * SUN", "2026-01-01T00:00", "2026-01-04T00:00"),
    ("0 0 * * MON-FRI", "2026-01-03T00:00", "2026-01-05T00:00"),
    ("0 0 * * FRI-MON", "2026-01-06T00:00", "2026-01-09T00:00"),
    ("0 0 13 * FRI", "2026-01-03T00:00", "2026-01-09T00:00"),
    ("0 0 L * *", "2026-02-01T00:00", "2026-02-28T00:00"),
    ("0 0 L-2 * *", "2026-02-01T00:00", "2026-02-26T00:00"),
    ("0 0 LW * *", "2026-02-01T00:00", "2026-02-27T00:00"),
    ("0 0 1W * *", "2026-02-01T00:00", "2026-02-02T00:00"),
    ("0 0 15W * *", "2026-02-01T00:00", "2026-02-16T00:00"),
    ("0 0 1W * *", "2026-08-01T00:00", "2026-08-03T00:00"),
    ("0 0 * * FRIL", "2026-01-01T00:00", "2026-01-30T00:00"),
    ("0 0 * * 6L", "2026-01-01T00:00", "2026-01-30T00:00"),
    ("0 0 * * MON#2", "2026-01-01T00:00", "2026-01-12T00:00"),
    ("0 0 29 2 *", "2026-01-01T00:00", "2028-02-29T00:00"),
]


@pytest.mark.parametrize(("text", "start", "due"), NEXT)
def test_when_it_comes_due(text: str, start: str, due: str) -> None:
    assert read_cron(text).next_ms(ms(start)) == ms(due)


def test_what_never_comes_due() -> None:
    assert read_cron("0 0 31 2 *").next_ms(ms("2026-01-01T00:00")) is None


def test_spaces_are_joined() -> None:
    assert read_cron(" 0  3 * * * ").text == "0 3 * * *"


WRONG = [
    ("", "0 fields"),
    ("0 3 * *", "4 fields"),
    ("60 3 * * *", '"60" is no minute (0 to 59)'),
    ("0 24 * * *", '"24" is no hour'),
    ("0 0 0 * *", '"0" is no day of the month'),
    ("0 0 * 13 *", '"13" is no month'),
    ("0 0 * * 0", '"0" is no day of the week (1 to 7)'),
    ("0 0 * * MOON", '"MOON" is no day of the week'),
    ("*/0 * * * *", "a step of 0"),
    ("*-3 * * * *", '"*-3" is no minute'),
    ("1,,2 * * * *", '"" is no minute'),
    ("0 0 L-31 * *", '"L-31" is no day of the month'),
    ("0 0 32W * *", '"32" is no day of the month'),
    (f"0 0 * * {','.join(['MON'] * 70)}", "more than 256 characters"),
]


@pytest.mark.parametrize(("text", "why"), WRONG)
def test_what_is_none(text: str, why: str) -> None:
    with pytest.raises(NoCron) as error:
        read_cron(text)
    assert why in str(error.value)
