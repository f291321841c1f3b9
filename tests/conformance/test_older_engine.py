"""The model, with the profile `local-2026-08`, does what the engine of August 2026 did.

It ran the same programs. `recordings-2026-08` holds what it did where that differs from the engine
of November; elsewhere both did the same, and one recording stands for both.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eutaxy._platform.workflows.profile import LOCAL_2026_08
from tests.conformance.exceptions import EXCEPTIONS, OLDER_UNRECORDED
from tests.conformance.model_runner import run_on_model
from tests.conformance.programs import (
    FOLDER,
    OLDER,
    differences,
    program_names,
    read_older_recording,
    read_program,
    read_recording,
)

DIFFERING = sorted(path.stem for path in (FOLDER / OLDER).glob("*.json"))
AGREEING = [
    name for name in program_names() if name not in EXCEPTIONS and name not in OLDER_UNRECORDED
]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for bundles."""
    return tmp_path_factory.mktemp("bundles")


@pytest.mark.host
@pytest.mark.parametrize("name", AGREEING)
def test_the_model_agrees_with_the_older_engine(name: str, bundles: Path) -> None:
    observed = run_on_model(read_program(name), bundles, LOCAL_2026_08)
    assert differences(read_older_recording(name), observed) == []


def test_a_recording_is_kept_where_the_engines_differ() -> None:
    assert DIFFERING
    same = [name for name in DIFFERING if read_older_recording(name) == read_recording(name)]
    assert same == []
    assert not set(DIFFERING) & set(OLDER_UNRECORDED)


def test_the_recordings_are_of_the_pinned_engine() -> None:
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    pinned = package["dependencies"]["miniflare-2026-08"]
    for name in DIFFERING:
        text = (FOLDER / OLDER / f"{name}.json").read_text(encoding="utf-8")
        assert pinned == f"npm:miniflare@{json.loads(text)['engine']['miniflare']}"
