"""The program as a process: what only a real process shows."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eutaxy import __version__

# A session that is just what a test needs; the rest of the program is real.
SCRIPTED = """
import sys, types
from eutaxy._session.options import BrokenInvariant, Replayed
from eutaxy._base.record import Record, RecordKind

def check(path, *, options):
    print("checking", flush=True)
    signal.pause()

def replay(path, token, **_):
    record = Record(
        seq=1, kind=RecordKind.NOTE, at_ms=0, activation="req-1", effect_number=0, text="n" * 99
    )
    broken = (BrokenInvariant(invariant="i", claim="c"),)
    return Replayed(scenario="s", token=token, broken=broken, trace=(record,) * int(token))

import signal
module = types.ModuleType("eutaxy._session.session")
module.check, module.replay = check, replay
sys.modules["eutaxy._session.session"] = module
from eutaxy._cli.main import main
main()
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "eutaxy", *arguments]


def test_version_from_any_folder(tmp_path: Path) -> None:
    ended = subprocess.run(
        command("--version"), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ended.stdout == f"eutaxy {__version__}\n"
    assert not list(tmp_path.iterdir())


def test_version_loads_none_of_the_machinery() -> None:
    code = (
        "import sys, contextlib; from eutaxy._cli.main import main\n"
        "with contextlib.suppress(SystemExit): main(['--version'])\n"
        "print(*sorted(name for name in sys.modules))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ended.stdout.split()
    assert "click" in loaded
    heavy = {"json5", "rich", "asyncio", "subprocess", "eutaxy._session.session", "eutaxy._hosts"}
    assert heavy.isdisjoint(loaded)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_the_same_bytes_whatever_the_locale(encoding: str) -> None:
    name = "ü-日本"
    ended = subprocess.run(
        command("check", "a.ts", "--budget", name),
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 2
    assert name.encode() in ended.stderr


def test_interruption_by_the_keyboard() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPTED, "check", "a.ts"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "checking\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert err == "interrupted\n"


EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"


@pytest.mark.host
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("scenario", ["expenses.sim.ts", "python/expenses_sim.py"])
def test_streams_that_are_closed_change_no_verdict(scenario: str, closed: str) -> None:
    program = shlex.join(command("check", str(EXAMPLES / scenario)))
    ended = subprocess.run(
        ["sh", "-c", f"{program} {closed}"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stdout.startswith("VIOLATED") is (">&-" not in closed.replace("2>&-", ""))
    assert ended.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments", [["replay", "a.ts", "10"], ["replay", "a.ts", "20000"], ["--help"]]
)
def test_a_disk_that_is_full_is_said_without_a_traceback(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPTED, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        mute = subprocess.run(
            [sys.executable, "-c", SCRIPTED, *arguments], stdout=full, stderr=full, check=False
        )
    assert ended.returncode == mute.returncode == 2
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "option", ["--max-faults", "--max-redeliveries", "--max-concurrent", "--budget"]
)
def test_numbers_that_no_search_can_cover_are_refused(option: str) -> None:
    ended = subprocess.run(
        command("check", "a.ts", option, "9" * 21), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert option in ended.stderr


def test_a_current_directory_that_is_gone(tmp_path: Path) -> None:
    code = (
        f"import os; os.chdir({str(tmp_path)!r}); os.rmdir({str(tmp_path)!r})\n"
        "from eutaxy._cli.main import main; main(['check', 'a.sim.ts'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "the current directory is no longer there" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.host
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_cache_that_may_not_be_read(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0)
    ended = subprocess.run(
        command("check", str(EXAMPLES / "expenses.sim.ts")),
        env={**os.environ, "EUTAXY_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "EUTAXY_CACHE" in ended.stderr
    assert "Traceback" not in ended.stderr


# Short texts fail when they are flushed, long ones while they are written.
@pytest.mark.parametrize("records", [0, 10, 500, 20_000])
def test_a_reader_that_goes_away_changes_no_verdict_and_makes_no_noise(records: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPTED, "replay", "a.ts", str(records)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 1
    assert err == ""
