"""Helpers for tests: user code written as Python generators, and toy worlds with known answers.

Neither needs a host process. `scripted.py` explains how scripts are written, `toys.py` how the
schedules of the toys are counted by hand.
"""

from __future__ import annotations

from eutaxy.testing.scripted import (
    Ask,
    Failed,
    Many,
    ScriptedCode,
    call,
    draw,
    fetch,
    leave,
    now,
    race,
    scripted,
    sleep,
    sleep_until,
    step,
    timer,
    together,
    wait,
)
from eutaxy.testing.toys import Counters, Machine, Move, Tell, Toy

__all__ = [
    "Ask",
    "Counters",
    "Failed",
    "Machine",
    "Many",
    "Move",
    "ScriptedCode",
    "Tell",
    "Toy",
    "call",
    "draw",
    "fetch",
    "leave",
    "now",
    "race",
    "scripted",
    "sleep",
    "sleep_until",
    "step",
    "timer",
    "together",
    "wait",
]
