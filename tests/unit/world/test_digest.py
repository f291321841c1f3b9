"""Numbers of component states: equal states have equal ones, in every process."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field

from eutaxy._base.fault import Fault
from eutaxy._world.digest import digest_of

STATE = (None, True, 7, -1.5, "é\ud800", b"\0", Fault.ANSWER_LOST, frozenset({"a", "b", "c"}))


@dataclass(frozen=True)
class _State:
    name: str
    place: str = field(default="", compare=False)


def test_another_process_with_another_hash_seed_has_the_same_number() -> None:
    code = (
        "from tests.unit.world.test_digest import STATE; from eutaxy._world.digest import digest_of;"
        "print(digest_of(('workflow', 'A'), STATE))"
    )
    for seed in ("1", "2"):
        told = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            check=True,
            capture_output=True,
            text=True,
        )
        assert int(told.stdout) == digest_of(("workflow", "A"), STATE)


def test_equal_states_have_equal_numbers() -> None:
    assert digest_of(("a",), (True, 2.0)) == digest_of(("a",), (1, 2))
    assert digest_of(("a",), _State("x", "here")) == digest_of(("a",), _State("x", "there"))


def test_different_states_and_addresses_have_different_numbers() -> None:
    states = [None, 0, "", b"", (), ((),), ("a", "b"), ("ab",), "None", _State("x"), ("x",), 0.5]
    numbers = {digest_of(address, state) for address in (("a",), ("b",)) for state in states}
    assert len(numbers) == 2 * len(states)
