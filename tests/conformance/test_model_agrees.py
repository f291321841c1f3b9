"""The model, with the profile of the recorded engine, does what the real engine did.

Each program of conformance/ runs on the model: bundled by eutaxy, its code evaluated in the real
Node host, time virtual. Outcomes of the drive, calls by host in their order, marks of the driver's
clock among them, and final statuses must be those of the recording.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy.errors import UnmodelledError
from tests.conformance.exceptions import EXCEPTIONS
from tests.conformance.model_runner import run_on_model
from tests.conformance.programs import (
    differences,
    program_names,
    read_program,
    read_recording,
)

AGREEING = [name for name in program_names() if name not in EXCEPTIONS]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for bundles."""
    return tmp_path_factory.mktemp("bundles")


@pytest.mark.host
@pytest.mark.parametrize("name", AGREEING)
def test_the_model_agrees_with_the_recording(name: str, bundles: Path) -> None:
    observed = run_on_model(read_program(name), bundles)
    assert differences(read_recording(name), observed) == []


@pytest.mark.host
@pytest.mark.parametrize("name", EXCEPTIONS)
def test_what_is_left_out_still_differs(name: str, bundles: Path) -> None:
    left = EXCEPTIONS[name]
    if left.reports:
        with pytest.raises(UnmodelledError, match=left.reports):
            run_on_model(read_program(name), bundles)
        return
    observed = run_on_model(read_program(name), bundles)
    assert differences(read_recording(name), observed) == [left.differs]


def test_nothing_is_left_out_that_does_not_exist() -> None:
    assert set(EXCEPTIONS) <= set(program_names())


def test_differences_are_found_wherever_they_are() -> None:
    """The comparison itself: numbers and truth, order of lists, missing and extra members."""
    recorded = {"a": [1, {"b": True}], "c": "x"}
    assert differences(recorded, {"a": [1, {"b": True}], "c": "x"}) == []
    for other in (
        {"a": [1, {"b": 1}], "c": "x"},
        {"a": [{"b": True}, 1], "c": "x"},
        {"a": [1, {"b": True}, 2], "c": "x"},
        {"a": [1], "c": "x"},
        {"a": [1, {"b": True}]},
        {"a": [1, {"b": True}], "c": "x", "d": None},
    ):
        assert len(differences(recorded, other)) == 1, other
