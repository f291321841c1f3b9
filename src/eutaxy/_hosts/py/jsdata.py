"""Binary data and dates of JavaScript: buffers with their typed views, `Date`."""
# ruff: noqa: N802, N815 - names of JavaScript's own methods and properties

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from eutaxy._hosts.py.jserrors import js_error
from eutaxy._hosts.py.jsvalues import JsConstructor, JsProxy
from eutaxy._hosts.py.reports import Unmodelled

VIEW_FORMATS = {
    "ArrayBuffer": "B",
    "DataView": "B",
    "Uint8Array": "B",
    "Uint8ClampedArray": "B",
    "Int8Array": "b",
    "Uint16Array": "H",
    "Int16Array": "h",
    "Uint32Array": "I",
    "Int32Array": "i",
    "Float32Array": "f",
    "Float64Array": "d",
    "BigUint64Array": "Q",
    "BigInt64Array": "q",
}
"""Every kind of binary value, with the `struct` format of its elements."""


class JsBuffer(JsProxy):
    """An ArrayBuffer, a typed array or a DataView; each has its own bytes.

    Args:
        data: The bytes.
        kind: Which of `VIEW_FORMATS`.
    """

    def __init__(self, data: bytes | bytearray | memoryview, kind: str = "Uint8Array") -> None:
        self.data = bytearray(data)
        self.kind = kind

    @property
    def constructor(self) -> Any:
        """The class of its kind."""
        return BUFFER_CONSTRUCTORS[self.kind]

    @property
    def byteLength(self) -> int:
        """Number of bytes."""
        return len(self.data)

    @property
    def length(self) -> int:
        """Number of elements."""
        return len(self._view())

    @property
    def buffer(self) -> JsBuffer:
        """The bytes as an ArrayBuffer (a copy)."""
        return JsBuffer(self.data, "ArrayBuffer")

    def _view(self) -> memoryview[Any]:
        return _viewed(self.data, self.kind)

    def to_memoryview(self) -> memoryview[Any]:
        """A copy as a Python memoryview with the elements' format."""
        return _viewed(bytearray(self.data), self.kind)

    def to_bytes(self) -> bytes:
        """A copy as bytes."""
        return bytes(self.data)

    tobytes = to_bytes

    def to_string(self, encoding: str = "utf-8") -> str:
        """Decode the bytes as text."""
        return self.data.decode(encoding)

    def assign(self, source: Any) -> None:
        """Overwrite all bytes from a buffer."""
        self.data[:] = memoryview(source).cast("B")

    def slice(self, start: int = 0, end: int | None = None) -> JsBuffer:
        """A copy of some elements."""
        return JsBuffer(self._view()[start:end].tobytes(), self.kind)

    def __bytes__(self) -> bytes:
        return bytes(self.data)

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        return iter(self._view().tolist())

    def __getitem__(self, index: int) -> Any:
        return self._view()[index]

    def __setitem__(self, index: int, value: Any) -> None:
        self._view()[index] = value


def _viewed(data: bytearray, kind: str) -> memoryview[Any]:
    code: Any = VIEW_FORMATS[kind]
    return memoryview(data).cast(code)


def _make_buffer(kind: str) -> Any:
    def make(source: Any = 0, *rest: Any) -> JsBuffer:
        if rest:
            raise Unmodelled(f"js.{kind}.new with an offset", "slice the bytes in Python")
        if isinstance(source, int):
            width = _viewed(bytearray(8), kind).itemsize
            return JsBuffer(bytes(source * width), kind)
        if isinstance(source, JsBuffer):
            if kind == "DataView" or source.kind == "ArrayBuffer":
                return JsBuffer(source.data, kind)
            source = list(source)
        elif isinstance(source, bytes | bytearray | memoryview):
            source = list(memoryview(source))
        result = JsBuffer(_viewed(bytearray(8), kind)[:1].tobytes() * len(source), kind)
        for index, element in enumerate(source):
            result[index] = element
        return result

    return make


BUFFER_CONSTRUCTORS = {kind: JsConstructor(kind, _make_buffer(kind)) for kind in VIEW_FORMATS}


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class JsDate(JsProxy):
    """A Date. The time zone of Workers is UTC, so local and UTC getters agree.

    Args:
        ms: Milliseconds since 1970; None for an invalid date.
    """

    def __init__(self, ms: float | None) -> None:
        is_valid = ms is not None and math.isfinite(ms) and abs(ms) <= 8.64e15
        self.ms = int(ms) if is_valid and ms is not None else None

    def getTime(self) -> float:
        """Milliseconds since 1970, or NaN."""
        return math.nan if self.ms is None else self.ms

    valueOf = getTime

    def setTime(self, ms: float) -> float:
        """Move it."""
        self.ms = JsDate(ms).ms
        return self.getTime()

    def _fields(self) -> datetime:
        if self.ms is None:
            raise js_error("RangeError", "Invalid time value")
        return _EPOCH + timedelta(milliseconds=self.ms)

    def toISOString(self) -> str:
        """`2026-10-01T08:00:00.000Z`."""
        fields = self._fields()
        return f"{fields:%Y-%m-%dT%H:%M:%S}.{fields.microsecond // 1000:03d}Z"

    def toJSON(self) -> str | None:
        """As `toISOString`; null when invalid."""
        return None if self.ms is None else self.toISOString()

    def toUTCString(self) -> str:
        """`Thu, 01 Oct 2026 08:00:00 GMT`."""
        fields = self._fields()
        day = "Mon Tue Wed Thu Fri Sat Sun".split()[fields.weekday()]  # noqa: SIM905 - one line
        return f"{day}, {fields.day:02d} {_MONTHS[fields.month - 1]} {fields:%Y %H:%M:%S} GMT"

    def toString(self) -> str:
        """`Thu Oct 01 2026 08:00:00 GMT+0000 (Coordinated Universal Time)`."""
        if self.ms is None:
            return "Invalid Date"
        fields = self._fields()
        day = "Mon Tue Wed Thu Fri Sat Sun".split()[fields.weekday()]  # noqa: SIM905 - one line
        shown = f"{day} {_MONTHS[fields.month - 1]} {fields.day:02d} {fields:%Y %H:%M:%S}"
        return f"{shown} GMT+0000 (Coordinated Universal Time)"

    def getFullYear(self) -> int:
        """The year."""
        return self._fields().year

    def getMonth(self) -> int:
        """The month, from 0."""
        return self._fields().month - 1

    def getDate(self) -> int:
        """The day of the month."""
        return self._fields().day

    def getDay(self) -> int:
        """The day of the week, Sunday is 0."""
        return self._fields().isoweekday() % 7

    def getHours(self) -> int:
        """The hour."""
        return self._fields().hour

    def getMinutes(self) -> int:
        """The minute."""
        return self._fields().minute

    def getSeconds(self) -> int:
        """The second."""
        return self._fields().second

    def getMilliseconds(self) -> int:
        """The millisecond."""
        return self._fields().microsecond // 1000

    def getTimezoneOffset(self) -> int:
        """Always 0: UTC."""
        return 0

    getUTCFullYear = getFullYear
    getUTCMonth = getMonth
    getUTCDate = getDate
    getUTCDay = getDay
    getUTCHours = getHours
    getUTCMinutes = getMinutes
    getUTCSeconds = getSeconds
    getUTCMilliseconds = getMilliseconds


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def parse_date(text: str) -> JsDate:
    """`Date.parse` for ISO 8601 forms.

    Raises:
        Unmodelled: Another form; what JavaScript makes of it differs between engines.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Unmodelled(f"js.Date of {text!r}", "use ISO 8601, or datetime in Python") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return JsDate((moment - _EPOCH) // timedelta(milliseconds=1))


def date_of_fields(*fields: Any) -> JsDate:
    """`new Date(year, month, day, ...)`, month from 0, overflowing as in JavaScript."""
    numbers = [int(each) for each in fields]
    year, month = numbers[0], numbers[1]
    day, hour, minute, second, ms = (*numbers[2:], *(1, 0, 0, 0, 0)[len(numbers) - 2 :])
    start = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    moment = start + timedelta(
        days=day - 1, hours=hour, minutes=minute, seconds=second, milliseconds=ms
    )
    return JsDate((moment - _EPOCH) // timedelta(milliseconds=1))
