"""Cron expressions of schedules: what they mean, and when they next come due.

The syntax is that of Cloudflare's Cron Triggers: five fields (minute, hour, day of the month,
month, day of the week), in UTC. A field is `*` or a list of values, ranges (`a-b`, which may wrap
around) and steps (`a-b/n`). Days of the week are 1 (Sunday) to 7, months and days of the week have
names of three letters. A day of the month may also be `L` (the last), `LW` (the last from Monday to
Friday), `L-3` (three before the last) or `15W` (the day from Monday to Friday that is nearest); a
day of the week `6L` (the last Friday) or `6#2` (the second). When both kinds of days are given, one
of them is enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTHS = {
    "JAN": 1,
    "FEB": 2,
    "MAR": 3,
    "APR": 4,
    "MAY": 5,
    "JUN": 6,
    "JUL": 7,
    "AUG": 8,
    "SEP": 9,
    "OCT": 10,
    "NOV": 11,
    "DEC": 12,
}
_DAYS = {"SUN": 1, "MON": 2, "TUE": 3, "WED": 4, "THU": 5, "FRI": 6, "SAT": 7}
_ITEM = re.compile(r"(\*|\w+)(?:-(\w+))?(?:/(\d+))?")
_DAYS_AHEAD = 366 * 9
"""How far to look: 29 February may be eight years away."""

_SUNDAY, _SATURDAY = 1, 7

CRON_LENGTH_MAX = 256
"""Longest expression that the platform takes (2.17)."""


class NoCron(ValueError):
    """A text is no cron expression; says why."""


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression.

    Args:
        text: As written, with single spaces.
        minutes: Minutes of the hour.
        hours: Hours of the day.
        months: Months of the year.
        is_day: Whether it comes due on a date.
    """

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    months: frozenset[int]
    is_day: Callable[[datetime], bool]

    def next_ms(self, from_ms: int) -> int | None:
        """The first moment, not before `from_ms`, at which it comes due; None when there is none.

        Both are in ms since 1970.
        """
        start = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=from_ms)
        day = start.replace(hour=0, minute=0, second=0, microsecond=0)
        for _ in range(_DAYS_AHEAD):
            if day.month in self.months and self.is_day(day):
                for hour in sorted(self.hours):
                    for minute in sorted(self.minutes):
                        moment = day.replace(hour=hour, minute=minute)
                        if moment >= start:
                            return round(moment.timestamp() * 1000)
            day += timedelta(days=1)
        return None


def read_cron(text: str) -> Cron:
    """Read a cron expression.

    Raises:
        NoCron: It is none.
    """
    fields = text.split()
    if len(fields) != 5:
        raise NoCron(f"it has {len(fields)} fields, but must have five")
    if len(text) > CRON_LENGTH_MAX:
        raise NoCron(f"it has more than {CRON_LENGTH_MAX} characters")
    minute, hour, day, month, weekday = fields
    return Cron(
        text=" ".join(fields),
        minutes=_values(minute, "minute", 0, 59),
        hours=_values(hour, "hour", 0, 23),
        months=_values(month, "month", 1, 12, _MONTHS),
        is_day=_days(day, weekday),
    )


def _values(
    field: str, what: str, least: int, most: int, names: dict[str, int] | None = None
) -> frozenset[int]:
    found: list[int] = []
    for item in field.split(","):
        match = _ITEM.fullmatch(item)
        if match is None or (match[1] == "*" and match[2]):
            raise NoCron(f'"{item}" is no {what}')
        first, last, step = match.groups()
        start = least if first == "*" else _value(first, what, least, most, names)
        is_open = first == "*" or (step is not None and last is None)
        end = most if is_open else _value(last or first, what, least, most, names)
        by = int(step or 1)
        if not 1 <= by <= most - least:
            raise NoCron(f'"{item}" has a step of {by}, but a {what} has 1 to {most - least}')
        whole = range(start, end + 1)
        wrapped = [*range(start, most + 1), *range(least, end + 1)]
        found += [*(whole if start <= end else wrapped)][::by]
    return frozenset(found)


def _value(text: str, what: str, least: int, most: int, names: dict[str, int] | None) -> int:
    value = (names or {}).get(text.upper())
    if value is None and text.isascii() and text.isdigit():
        value = int(text)
    if value is None or not least <= value <= most:
        raise NoCron(f'"{text}" is no {what} ({least} to {most})')
    return value


def _days(day: str, weekday: str) -> Callable[[datetime], bool]:
    is_date, is_weekday = _dates(day), _weekdays(weekday)
    if day == "*" or weekday == "*":
        return lambda date: is_date(date) and is_weekday(date)
    return lambda date: is_date(date) or is_weekday(date)


def _dates(field: str) -> Callable[[datetime], bool]:
    last = re.fullmatch(r"L(?:-(\d+))?(W?)", field.upper())
    near = re.fullmatch(r"(\d+)W", field.upper())
    if last is not None:
        back = int(last[1] or 0)
        if back > 30:
            raise NoCron(f'"{field}" is no day of the month')
        if last[2]:
            return lambda date: date.day == _workday(date, _length(date) - back)
        return lambda date: date.day == _length(date) - back
    if near is not None:
        wanted = _value(near[1], "day of the month", 1, 31, None)
        return lambda date: wanted <= _length(date) and date.day == _workday(date, wanted)
    days = _values(field, "day of the month", 1, 31)
    return lambda date: date.day in days


def _weekdays(field: str) -> Callable[[datetime], bool]:
    special = re.fullmatch(r"([1-7]|[A-Z]{3})(?:L|#([1-5]))", field.upper())
    if special is not None:
        return _nth(_value(special[1], "day of the week", 1, 7, _DAYS), special[2])
    days = _values(field, "day of the week", 1, 7, _DAYS)
    return lambda date: _weekday(date) in days


def _nth(wanted: int, count: str | None) -> Callable[[datetime], bool]:
    """The n-th such day of the month, or the last one."""
    if count is None:
        return lambda date: _weekday(date) == wanted and date.day + 7 > _length(date)
    return lambda date: _weekday(date) == wanted and (date.day - 1) // 7 + 1 == int(count)


def _weekday(date: datetime) -> int:
    """1 (Sunday) to 7."""
    return date.isoweekday() % 7 + 1


def _length(date: datetime) -> int:
    """Days of the month."""
    following = (date.replace(day=28) + timedelta(days=4)).replace(day=1)
    return (following - timedelta(days=1)).day


def _workday(date: datetime, day: int) -> int:
    """The day from Monday to Friday in that month that is nearest to `day`."""
    if day < 1:
        return 0
    weekday = _weekday(date.replace(day=day))
    if weekday == _SATURDAY:
        return day - 1 if day > 1 else day + 2
    if weekday == _SUNDAY:
        return day + 1 if day < _length(date) else day - 2
    return day
