"""The process of a host: what it leaves open, what its frames carry, how long it may take."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from eutaxy._hosts.process import DEADLINE_S, HostDied, HostProcess
from eutaxy._session.hosts import deadline_s
from eutaxy.errors import HostError, ScenarioError

OPEN = Path("/proc/self/fd")

ECHO = """
import os, sys
read_fd, write_fd = map(int, sys.argv[1:])
length = int.from_bytes(os.read(read_fd, 4), "big")
body = os.read(read_fd, length)
os.write(write_fd, len(body).to_bytes(4, "big") + body)
"""


@pytest.mark.skipif(not OPEN.is_dir(), reason="counts open files in /proc")
def test_a_program_that_cannot_start_leaves_nothing_open() -> None:
    before = sorted(OPEN.iterdir())
    with pytest.raises(HostError, match="No such file"):
        HostProcess("a host", ["/nowhere/node"], {}).ask({})
    assert sorted(OPEN.iterdir()) == before


@pytest.mark.host
@pytest.mark.parametrize("text", ["\ud800", "a\udfff\U0001f600", "\u00e9"])
def test_frames_carry_lone_surrogates(text: str) -> None:
    process = HostProcess("a host", [sys.executable, "-c", ECHO], {})
    try:
        assert process.ask({"text": text}) == {"text": text}
    finally:
        process.close()


def test_the_deadline_is_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EUTAXY_DEADLINE_S", raising=False)
    assert deadline_s() == DEADLINE_S == 5
    monkeypatch.setenv("EUTAXY_DEADLINE_S", "2.5")
    assert deadline_s() == 2.5


@pytest.mark.parametrize("said", ["soon", "0", "-1", "nan", "inf"])
def test_a_deadline_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("EUTAXY_DEADLINE_S", said)
    with pytest.raises(ScenarioError, match="EUTAXY_DEADLINE_S") as raised:
        deadline_s()
    assert said in raised.value.found


def test_a_child_that_is_killed_from_outside_may_have_been_short_of_memory() -> None:
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(HostDied, match="memory of the machine"):
        HostProcess("a host", [sys.executable, "-c", killed], {}).ask({})
