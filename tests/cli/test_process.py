"""The program as a process: what only a real process shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eutaxy import __version__


def command(*arguments: str) -> list[str]:
    code = "from eutaxy._cli.main import main; main()"
    return [sys.executable, "-c", code, *arguments]


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
