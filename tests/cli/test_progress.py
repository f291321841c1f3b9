"""The live line, and what Ctrl-C and SIGTERM do to a check that runs."""

from __future__ import annotations

import io
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eutaxy._base.verdict import Level
from eutaxy._cli.live_line import EVERY_S, FIRST_AFTER_S, LiveLine, progress_text, wants_line
from eutaxy._session.watch import Progress

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"
ERASE = "\r\x1b[K"

EUTAXY = [sys.executable, "-m", "eutaxy"]
ENDLESS = ["--max-faults", "30", "--max-concurrent", "3", "--budget", "600000"]
"""Bounds that no search covers in the time of a test."""


def progress(worlds: int = 1, left_ms: int = 2_001) -> Progress:
    return Progress(
        level=Level(faults=1, redeliveries=0),
        worlds=worlds,
        transitions=5_000,
        elapsed_ms=500,
        left_ms=left_ms,
    )


class Terminal(io.StringIO):
    """Something that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# -- the line ---------------------------------------------------------------------------------


def test_the_line_tells_budget_level_worlds_and_speed() -> None:
    assert progress_text(progress()) == (
        "3 s left, at most 1 fault, 0 redeliveries: 1 world, 5,000 transitions (10,000/s)"
    )


def test_a_short_check_shows_nothing() -> None:
    stream, clock = Terminal(), Clock()
    with LiveLine(stream, clock=clock) as line:
        clock.now = FIRST_AFTER_S - 0.01
        line.show(progress())
    assert stream.getvalue() == ""


def test_the_line_is_renewed_now_and_then_and_erased_in_the_end() -> None:
    stream, clock = Terminal(), Clock()
    with LiveLine(stream, clock=clock) as line:
        clock.now = FIRST_AFTER_S
        line.show(progress(1))
        clock.now += EVERY_S / 2
        line.show(progress(2))
        clock.now += EVERY_S
        line.show(progress(3))
    shown = stream.getvalue().split(ERASE)
    assert [re.findall(r"\d+ worlds?", each) for each in shown] == [
        [],
        ["1 world"],
        ["3 worlds"],
        [],
    ]
    assert shown[-1] == ""
    assert "\n" not in stream.getvalue()


def test_the_line_is_erased_before_an_error_is_told() -> None:
    stream, clock = Terminal(), Clock()
    line = LiveLine(stream, clock=clock)
    clock.now = FIRST_AFTER_S
    line.show(progress())
    with pytest.raises(KeyboardInterrupt), line:
        raise KeyboardInterrupt
    assert stream.getvalue().endswith(ERASE)


def test_a_terminal_that_goes_away_is_left_alone() -> None:
    class Gone(Terminal):
        writes = 0

        def write(self, text: str) -> int:
            self.writes += 1
            raise OSError(5, "Input/output error")

    stream, clock = Gone(), Clock()
    with LiveLine(stream, clock=clock) as line:
        for _ in range(3):
            clock.now += FIRST_AFTER_S
            line.show(progress())
    assert stream.writes == 1


@pytest.mark.parametrize(
    ("stream", "ci", "term", "is_wanted"),
    [
        (Terminal(), "", "xterm", True),
        (Terminal(), "false", "xterm", True),
        (Terminal(), "true", "xterm", False),
        (Terminal(), "", "dumb", False),
        (io.StringIO(), "", "xterm", False),
    ],
)
def test_only_people_get_a_line(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, ci: str, term: str, *, is_wanted: bool
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("TERM", term)
    assert wants_line(stream) is is_wanted


# -- a real terminal --------------------------------------------------------------------------


# Keys become signals only on the terminal that belongs to the session.
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def on_terminal(arguments: list[str], *, when: str, keys: bytes) -> tuple[int, int, str]:
    """Run the program on a terminal of its own; press keys once it has shown something.

    Returns:
        Its process id (also of its session), the exit code, and all that it wrote.
    """
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, "-m", "eutaxy", *arguments],
        env={**os.environ, "CI": "", "TERM": "xterm", "NO_COLOR": "1"},
        stdin=other_end,
        stdout=other_end,
        stderr=other_end,
        start_new_session=True,
    )
    os.close(other_end)
    shown, is_pressed = "", False
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break  # How Linux says that nobody has the terminal open any more.
        if not part:
            break
        shown += part.decode()
        if not is_pressed and re.search(when, shown):
            os.write(terminal, keys)
            is_pressed = True
    code = process.wait()
    os.close(terminal)
    assert is_pressed, shown
    return process.pid, code, shown


def screen_of(shown: str) -> str:
    """What stands on the screen in the end."""
    lines = [""]
    for part in re.split(r"(\r\n|\r\x1b\[K)", shown):
        if part == "\r\n":
            lines.append("")
        elif part == ERASE:
            lines[-1] = ""
        else:
            lines[-1] += part
    return "\n".join(lines)


def members_of(session: int) -> list[str]:
    """Processes of a session that still live, where the system tells."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(session) and fields[0] != "Z":
            found.append(stat.parent.name)
    return found


@pytest.mark.host
@pytest.mark.parametrize("scenario", ["expenses.fixed.sim.ts", "python/expenses_fixed_sim.py"])
def test_ctrl_c_prints_what_was_covered(scenario: str) -> None:
    session, code, shown = on_terminal(
        ["check", str(EXAMPLES / scenario), *ENDLESS],
        # Then the level without faults is complete, so something can be claimed.
        when=r"left, at most [1-9]",
        keys=b"\x03",
    )
    assert code == 130
    screen = screen_of(shown)
    assert screen.startswith("BOUNDED  expenses  (seed expenses)\n")
    assert "the check was interrupted, so its budget was not used up" in screen
    assert re.search(r"\nComplete level  at most \d+ faults?, [0-2] redeliver", screen)
    assert "s left" not in screen
    assert "Traceback" not in shown
    while members_of(session):  # What is told to end needs a moment for it.
        time.sleep(0.01)


@contextmanager
def running(command: list[str], *, cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """A process that does not outlive the test, whatever becomes of it."""
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.host
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_print_what_was_covered_also_without_a_terminal(
    number: signal.Signals, code: int
) -> None:
    command = [*EUTAXY, "check", *ENDLESS, "--json", "--progress", "expenses.fixed.sim.ts"]
    with running(command, cwd=EXAMPLES) as process:
        assert process.stderr is not None
        shown = ""
        while not re.search(r"left, at most [1-9]", shown):
            part = process.stderr.read(1)
            assert part, shown
            shown += part
        process.send_signal(number)
        out, _ = process.communicate()
    assert process.returncode == code
    assert '"verdict": "BOUNDED"' in out
    assert '"isWhole": false' in out


# A search that never looks at its budget, so that only a second signal ends it.
DEAF = """
import sys, time, types
def check(path, *, options):
    options.watch.listen(is_listening=True)
    print("searching", flush=True)
    while not options.watch.is_stopped:
        time.sleep(0.01)
    print("stopped", flush=True)
    while True:
        time.sleep(0.01)
module = types.ModuleType("eutaxy._session.session")
module.check = check
sys.modules["eutaxy._session.session"] = module
from eutaxy.__main__ import main
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_second_signal_ends_the_program_at_once(number: signal.Signals, code: int) -> None:
    with running([sys.executable, "-c", DEAF, "check", "a.ts"]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n"
        process.send_signal(number)
        assert process.stdout.readline() == "stopped\n"
        process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode == code
    assert (out, err) == ("", "interrupted\n")


def test_a_terminal_that_is_closed_ends_the_program_at_once() -> None:
    with running([sys.executable, "-c", DEAF, "check", "a.ts"]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGHUP)
        out, err = process.communicate()
    assert process.returncode == 128 + signal.SIGHUP
    assert (out, err) == ("", "interrupted\n")


# As user code that never ends; the marker tells that it runs.
STUCK = """
import pathlib
pathlib.Path(MARKER).touch()
while True:
    pass
"""


@pytest.mark.host
def test_ctrl_c_before_the_search_takes_the_child_along(tmp_path: Path) -> None:
    marker, scenario = tmp_path / "marker", tmp_path / "stuck_sim.py"
    scenario.write_text(STUCK.replace("MARKER", repr(str(marker))))
    with running([*EUTAXY, "check", str(scenario)]) as process:
        while not marker.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        # Ends only when the child has closed its copies of the pipes, too.
        out, err = process.communicate()
    assert process.returncode == 130
    assert (out, err) == ("", "interrupted\n")


# The signal comes in the middle of an import, whatever the machine's speed.
EARLY = """
import os, signal, sys
signal.signal(signal.SIGINT, {handler})
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["eutaxy", "check", "a.ts"]
from eutaxy.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["click", "eutaxy._cli.main", "eutaxy._session.session"])
def test_ctrl_c_while_modules_are_imported_ends_without_a_traceback(module: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", EARLY.format(module=module, handler="signal.default_int_handler")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGINT
    assert (ended.stdout, ended.stderr) == ("", "")


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    code = EARLY.format(module="eutaxy._session.session", handler="signal.SIG_IGN")
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    # Not interrupted: it goes on to say that there is no such file.
    assert ended.returncode == 2
    assert "a.ts" in ended.stderr


def test_what_is_said_stays_and_shows_control_characters() -> None:
    stream, clock = Terminal(), Clock()
    with LiveLine(stream, clock=clock) as line:
        clock.now = FIRST_AFTER_S
        line.show(progress())
        line.say("found\x1b[2J it")
    assert screen_of(stream.getvalue().replace("\n", "\r\n")) == "found\\x1b[2J it\n"
