"""The same checks in processes with different hash seeds print the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _printed(hash_seed: str) -> bytes:
    source = os.pathsep.join(each for each in (str(ROOT), *sys.path) if each)
    done = subprocess.run(
        [sys.executable, "-m", "tests.oracles.print_everything"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": source},
        capture_output=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.slow
def test_two_processes_print_the_same_bytes() -> None:
    first = _printed("0")
    assert b"VIOLATED" in first
    assert b"BOUNDED" in first
    assert first.count(b"\n") > 1_000
    for hash_seed in ("1", "random"):
        again = _printed(hash_seed)
        assert hashlib.sha256(again).hexdigest() == hashlib.sha256(first).hexdigest()
