"""Clock and chance fail while a function of a Python scenario runs.

They work while the file itself is executed, which is an ordinary program. Everything is replaced
before that, so that no name of the file leads to the real thing.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

_CLOCKS = (
    "clock_gettime",
    "clock_gettime_ns",
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "process_time",
    "process_time_ns",
    "sleep",
    "thread_time",
    "thread_time_ns",
    "time",
    "time_ns",
)
_TOLD_TIME = {"asctime": 0, "ctime": 0, "gmtime": 0, "localtime": 0, "strftime": 1}
"""Functions of `time` that ask the clock when they get fewer arguments than this plus one."""

_running = [False]


@contextmanager
def in_function() -> Iterator[None]:
    """While a function runs."""
    _running[0] = True
    try:
        yield
    finally:
        _running[0] = False


def forbid_clock_and_chance() -> None:
    """Replace what tells the time or draws at random, once, before the scenario is executed."""
    for name in _CLOCKS:
        if hasattr(time, name):
            setattr(time, name, _refusing(getattr(time, name), f"time.{name}()"))
    for name, at in _TOLD_TIME.items():
        setattr(time, name, _refusing(getattr(time, name), f"time.{name}()", told_at=at))
    for name in random.__all__:
        member = getattr(random, name)
        if callable(member) and not isinstance(member, type):
            setattr(random, name, _refusing(member, f"random.{name}()"))
    urandom = _refusing(os.urandom, "os.urandom()")
    os.urandom = urandom
    random._urandom = urandom  # type: ignore[attr-defined]  # noqa: SLF001 - it took it by name
    for name in ("uuid1", "uuid4"):
        setattr(uuid, name, _refusing(getattr(uuid, name), f"uuid.{name}()"))
    _replace_method(datetime, "now", "datetime.now()")
    _replace_method(datetime, "utcnow", "datetime.utcnow()")
    _replace_method(date, "today", "date.today()")
    real_init = random.Random.__init__

    def init(self: random.Random, x: Any = None) -> None:  # noqa: ANN401 - any seed
        if x is None:
            _refuse("random.Random()")
        real_init(self, x)

    random.Random.__init__ = init  # type: ignore[method-assign]


def _replace_method(owner: type, name: str, shown: str) -> None:
    """Change a class method of a built-in class in place, since any module may know the class."""
    real = owner.__dict__[name]

    def replacement(cls: type, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real one
        _refuse(shown)
        return real.__get__(None, cls)(*args, **options)

    (members,) = gc.get_referents(owner.__dict__)
    members[name] = classmethod(replacement)
    sys._clear_type_cache()  # noqa: SLF001 - the only way to tell it that the class changed


def _refusing(
    real: Callable[..., Any], shown: str, *, told_at: int | None = None
) -> Callable[..., Any]:
    def replacement(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the real one
        is_told = told_at is not None and len(args) > told_at
        if not is_told:
            _refuse(shown)
        return real(*args, **options)

    return replacement


def _refuse(shown: str) -> None:
    if _running[0]:
        raise RuntimeError(
            f"{shown} would make the scenario differ from run to run; "
            "use what the function is given"
        )
