"""Files of regressions: what they look like, and what is said of others."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eutaxy._session.regressions.anchored import After, Turn
from eutaxy._session.regressions.file import (
    Regression,
    Unreadable,
    read_regression,
    regression_text,
)
from eutaxy._session.regressions.folder import SavedFile, folder_of, read_folder, write_file
from eutaxy._session.regressions.moment import Moment

PAID = Moment("workflow:FLOW:a", "pay out", "Fetch:payouts POST")
WHOLE = Regression(
    scenario="s",
    invariant="paid once",
    claim="it happened twice (seq 3 and 7)",
    events=("req-1",),
    redeliveries_max=2,
    concurrent_max=1,
    profile="prod",
    turns=(
        Turn("answer_late", PAID, 1),
        Turn("go first", Moment("req-2", "", "deliver"), 1, 2, After(PAID, 1, 0)),
    ),
)

TEXT = """{
  "format": "eutaxy-regression/1",
  "scenario": "s",
  "invariant": "paid once",
  "claim": "it happened twice (seq 3 and 7)",
  "events": [
    "req-1"
  ],
  "bounds": {
    "maxRedeliveries": 2,
    "maxConcurrent": 1
  },
  "profile": "prod",
  "schedule": [
    {
      "do": "answer_late",
      "activation": "workflow:FLOW:a",
      "step": "pay out",
      "what": "Fetch:payouts POST",
      "occurrence": 1
    },
    {
      "do": "go first",
      "activation": "req-2",
      "what": "deliver",
      "occurrence": 1,
      "which": 2,
      "after": {
        "activation": "workflow:FLOW:a",
        "step": "pay out",
        "what": "Fetch:payouts POST",
        "occurrence": 1,
        "waits": 0
      }
    }
  ]
}
"""


def test_a_file_can_be_read_by_people_and_back() -> None:
    assert regression_text(WHOLE) == TEXT
    assert read_regression(TEXT) == WHOLE


def test_a_name_tells_the_invariant_and_the_cause() -> None:
    assert WHOLE.file_name == "paid-once.answer_late-pay-out.5e67e5.json"


GONE = object()


def changed(path: str, value: Any) -> str:
    """The text with another value at a path; without it, for `GONE`."""
    document = json.loads(TEXT)
    *outer, last = [int(name) if name.isdigit() else name for name in path.split("/")]
    part = document
    for name in outer:
        part = part[name]
    if value is GONE:
        del part[last]
    else:
        part[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is no JSON"),
        ("<<<<<<< HEAD\n" + TEXT, "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("[]", "it is no JSON object"),
        ("{}", 'its format is null, and not "eutaxy-regression/1"'),
        (
            changed("format", "eutaxy-regression/2"),
            'its format is "eutaxy-regression/2", and not "eutaxy-regression/1"',
        ),
        (changed("invariant", GONE), '"invariant" is missing'),
        (changed("events", [1]), '"events" is not a list of texts'),
        (changed("bounds", 7), "bounds is no JSON object"),
        (changed("bounds/maxConcurrent", 0), 'bounds."maxConcurrent" is not a number from 1'),
        (
            changed("bounds/maxConcurrent", value=True),
            'bounds."maxConcurrent" is not a number from 1',
        ),
        (changed("schedule", {}), '"schedule" is not a list'),
        (changed("schedule/0/do", GONE), 'schedule[0]."do" is missing'),
        (changed("schedule/1/which", "2"), 'schedule[1]."which" is not a number from 1'),
        (changed("schedule/1/after/waits", GONE), 'schedule[1].after."waits" is missing'),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(Unreadable) as told:
        read_regression(text)
    assert str(told.value) == reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
PATHS = ["scenario", "events", "bounds", "profile", "schedule", "schedule/0", "schedule/1/after"]


@given(path=st.sampled_from([*PATHS, "schedule/0/step", "schedule/1/after/occurrence"]), value=JSON)
def test_only_one_error_comes_out(path: str, value: Any) -> None:
    with contextlib.suppress(Unreadable):
        assert read_regression(changed(path, value)).invariant == "paid once"


# -- the folder ---------------------------------------------------------------------------------


def test_the_folder_lies_beside_the_scenario() -> None:
    assert folder_of("sub/a.sim.ts") == Path("sub/.eutaxy/a.sim.ts")


def test_no_folder_holds_nothing(tmp_path: Path) -> None:
    assert read_folder(tmp_path / "gone") == ()


def test_all_files_are_read_by_name_and_foreign_ones_are_told_of(tmp_path: Path) -> None:
    write_file(tmp_path / "b.json", TEXT)
    (tmp_path / "a.json").write_bytes(b"\xff")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "c.json").mkdir()
    (tmp_path / ".hidden").write_text("not ours")
    assert read_folder(tmp_path) == (
        SavedFile(str(tmp_path / "a.json"), "it is no UTF-8 text"),
        SavedFile(str(tmp_path / "b.json"), WHOLE),
        SavedFile(str(tmp_path / "c.json"), "Is a directory"),
        SavedFile(str(tmp_path / "notes.txt"), "it does not end with .json"),
    )


def test_writing_leaves_nothing_else_behind(tmp_path: Path) -> None:
    write_file(tmp_path / "x" / "y" / "a.json", TEXT)
    assert [each.name for each in (tmp_path / "x" / "y").iterdir()] == ["a.json"]
    assert (tmp_path / "x" / "y" / "a.json").read_bytes() == TEXT.encode()
