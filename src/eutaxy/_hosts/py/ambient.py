"""Clocks and randomness as user code sees them: virtual time, and generators seeded by the parent.

The functions are replaced once, when the child starts, before anything else can have taken them by
name. They ask `moment` what time it is and the current fiber for chance. Code of the standard
library asks for its own purposes (a log record's time, a timeout's deadline); only what reaches the
project's or a package's code counts as a read.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from types import FrameType
from typing import Any

from eutaxy._hosts.py.fibers import fiber_if_any
from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.reports import Abandoned, Unmodelled
from eutaxy._hosts.py.sources import Whose, calling_frame

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER_USERS = ("asyncio", "logging")


def clock_ms() -> int:
    """Virtual time in ms since 1970, without counting as a read.

    While a module is loaded the platform's clock stands at zero.
    """
    if moment.phase is Phase.IMPORT:
        return 0
    return moment.epoch_ms + moment.now_ms


def read_clock_ms() -> int:
    """Virtual time in ms since 1970, read by user code."""
    moment.read("clock")
    return clock_ms()


def _note_clock(frame: FrameType | None) -> None:
    if moment.phase is not Phase.RUN or frame is None:
        return
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    is_own_purpose = package in _NEVER_USERS
    if not is_own_purpose and not _is_loading_package(frame):
        moment.read("clock")


def _is_loading_package(frame: FrameType | None) -> bool:
    """Whether a module outside the project is being loaded; that happens once, whoever comes
    first."""
    while frame is not None:
        if moment.sources.of(frame.f_code.co_filename).whose is Whose.USER:
            return False
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def _now(cls: type[datetime], tz: tzinfo | None = None) -> datetime:
    _note_clock(calling_frame())
    moment_utc = _EPOCH + timedelta(milliseconds=clock_ms())
    if tz is None:
        return cls.fromtimestamp(moment_utc.timestamp())
    return cls.fromtimestamp(moment_utc.timestamp(), tz)


def _utcnow(cls: type[datetime]) -> datetime:
    _note_clock(calling_frame())
    shown = _EPOCH + timedelta(milliseconds=clock_ms())
    return cls.fromtimestamp(shown.timestamp(), UTC).replace(tzinfo=None)


def replace_clocks() -> None:
    """Make every clock of the interpreter show virtual time."""
    _replace_time_functions()
    _replace_datetime_methods()


def _replace_time_functions() -> None:
    def seconds() -> float:
        _note_clock(calling_frame())
        return clock_ms() / 1000

    def nanoseconds() -> int:
        _note_clock(calling_frame())
        return clock_ms() * 1_000_000

    def since_start() -> float:
        _note_clock(calling_frame())
        return moment.now_ms / 1000

    def since_start_ns() -> int:
        _note_clock(calling_frame())
        return moment.now_ms * 1_000_000

    time.time, time.time_ns = seconds, nanoseconds
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, since_start)
        setattr(time, f"{name}_ns", since_start_ns)
    for name in ("clock_gettime", "clock_gettime_ns"):
        if hasattr(time, name):
            setattr(time, name, _refuse(f"time.{name}", "use time.time"))
    time.sleep = _refuse(
        "time.sleep", "use `await asyncio.sleep(...)`, or step.sleep in a Workflow"
    )
    _default_to_now("localtime", 0)
    _default_to_now("gmtime", 0)
    _default_to_now("ctime", 0)
    local = time.localtime
    for name, index in (("asctime", 0), ("strftime", 1)):
        _default_to(name, index, local)


def _default_to_now(name: str, index: int) -> None:
    def now() -> float:
        return clock_ms() / 1000

    _default_to(name, index, now)


def _default_to(name: str, index: int, default: Callable[[], Any]) -> None:
    """Pass the argument that the function would otherwise take from the machine's clock."""
    real = getattr(time, name)

    def replacement(*args: Any) -> Any:
        if len(args) > index and args[index] is not None:
            return real(*args)
        _note_clock(calling_frame())
        return real(*args[:index], default())

    setattr(time, name, replacement)


def _replace_datetime_methods() -> None:
    """Change `datetime.now` and `datetime.utcnow` in place.

    A subclass in its stead would be another class to every C extension that makes datetimes, so the
    dictionary of the class itself is changed. `date.today` asks `time.time` and needs nothing.

    Raises:
        Failure: This interpreter does not let it be changed.
    """
    (members,) = gc.get_referents(datetime.__dict__)
    members["now"] = classmethod(_now)
    members["utcnow"] = classmethod(_utcnow)
    # The interpreter remembers where methods were found; make it look again.
    forget = getattr(sys, "_clear_internal_caches", None)
    if forget is not None:
        forget()
    sys._clear_type_cache()  # noqa: SLF001 - the only way to tell it that a built-in class changed
    assert datetime.now(UTC) == _EPOCH + timedelta(milliseconds=clock_ms())


def _refuse(what: str, remedy: str) -> Callable[..., Any]:
    def refused(*_args: Any, **_options: Any) -> Any:
        if not moment.is_user_running:
            raise RuntimeError(f"{what} inside the host")
        moment.stop(Unmodelled(what, remedy))

    return refused


# -- randomness -----------------------------------------------------------------------------------


class _Chance(random.Random):
    """The module-level generator of `random`: draws from the current fiber's own."""

    def __init__(self) -> None:
        super().__init__(0)

    def random(self) -> float:
        """A float in [0, 1)."""
        return _draw().random()

    def getrandbits(self, k: int, /) -> int:
        """`k` random bits."""
        return _draw().getrandbits(k)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the current fiber's generator; without a seed nothing changes."""
        fiber = fiber_if_any()
        if a is not None and fiber is not None:
            fiber.chance.seed(a, version)
            fiber.is_seeded_by_user = True

    def getstate(self) -> Any:
        """State of the current fiber's generator."""
        return _draw().getstate()

    def setstate(self, state: Any) -> None:
        """Set the state of the current fiber's generator."""
        _draw().setstate(state)


_module_chance = random.Random("module")  # noqa: S311 - it must be repeatable


def _draw() -> random.Random:
    """The generator to draw from; counts as a read unless user code has seeded it itself."""
    if moment.phase is Phase.DISPOSE:
        raise Abandoned
    fiber = fiber_if_any()
    if fiber is None or _is_loading_package(calling_frame(1)):
        caller = moment.sources.caller_of_standard_code(calling_frame(1))
        if moment.phase is Phase.IMPORT and caller is not None and caller.whose is Whose.USER:
            raise RuntimeError(
                "Randomness is not available while the module is loaded: Workers allow it only "
                "inside a handler or a step"
            )
        return _module_chance
    if not fiber.is_seeded_by_user:
        moment.read("random")
    return fiber.chance


def random_bytes(count: int) -> bytes:
    """Bytes from the current fiber's generator."""
    return _draw().randbytes(count)


def random_fraction() -> float:
    """`Math.random()`."""
    return _draw().random()


def replace_randomness() -> None:
    """Make everything that is random in the interpreter draw from the current fiber's generator."""

    def urandom(size: int, /) -> bytes:
        return random_bytes(size)

    def getrandom(size: int, flags: int = 0) -> bytes:
        return random_bytes(size)

    os.urandom = urandom
    if hasattr(os, "getrandom"):
        os.getrandom = getrandom
    random._urandom = urandom  # type: ignore[attr-defined]  # noqa: SLF001 - it took it by name
    chance = _Chance()
    random._inst = chance  # noqa: SLF001 - the module-level generator
    for name in dir(chance):
        if not name.startswith("_") and name in vars(random) and callable(getattr(chance, name)):
            setattr(random, name, getattr(chance, name))
    real_seed = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None and type(self) is random.Random and moment.is_user_running:
            a = _draw().getrandbits(128)
        real_seed(self, a, version)

    random.Random.seed = seed  # type: ignore[method-assign]


def replace_identity() -> None:
    """Make process numbers the same everywhere; the platform has one process."""
    os.getpid = lambda: 42
    os.getppid = lambda: 1
