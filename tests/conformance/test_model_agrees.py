"""The model, with the profile of the recorded engine, does what the real engine did.

Each program of conformance/ runs on the model: bundled by eutaxy, its code evaluated in the real
Node host, time virtual. Outcomes of the drive, calls by host in their order, marks of the driver's
clock among them, and final statuses must be those of the recording.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from eutaxy._platform.workflows.profile import LOCAL_2026_11, PROD, Profile
from eutaxy.errors import UnmodelledError
from tests.conformance.exceptions import EXCEPTIONS
from tests.conformance.model_runner import run_on_model
from tests.conformance.programs import (
    differences,
    program_names,
    read_program,
    read_recording,
)
from tests.conformance.stage import Stuck

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


EVIDENCE = {
    "retry_delay_ms": "003-default-config",
    "result_bytes_max": "085-large-payloads",
    "create_refuses_existing": "170-create-twice",
    "sleep_key_has_duration": "116-sleep-until-replayed",
    "pause_is_visible": "156-pause-in-sleep",
    "consumed_events_stay": "133-event-consumed-comes-again",
    "terminal_send_refused": "132-event-after-end",
    "engine_wakes": "210-crash-replay",
    "unserialisable_is_fatal": "073-cycle",
    "names_are_checked": "118-sleep-names",
    "status_is_local": "001-one-step",
    "non_retryable_is_cached": "093-non-retryable-replayed",
    "restart_is_atomic": "151-restart-self",
    "recovery_checks_limit": "211-crash-in-step-limit-zero",
    "oversize_is_retried": "076-too-large",
    "callbacks_outlive_abort": "142-terminate-in-step",
    "kinds_share_keys": "047-kinds-collide",
    "steps_outlive_run": "061-dangling-retries",
    "step_dies_with_run": "199-rollback-steps-inside",
    "undefined_timeout_fails": "049-timeout-undefined",
    "non_retryable_keeps_permit": "101-pause-after-non-retryable",
    "thrown_objects_are_marked": "095-error-identity",
    "interruptions_are_logged": "239-subscribe-crash",
    "retention_ends": "243-retention",
    "bigint_breaks_log": "070-values-cross",
    "run_result_is_loose": "080-run-output-impossible",
    "batch_is_list": "177-create-batch-reserved",
}
"""Switch of the engine to a program that shows which way it is."""

UNSEEN = {
    "hibernate_after_ms": "no recording waits for five minutes",
    "waiting_is_reported": "without hibernation nothing is reported as waiting",
    "steps_max": "the limit of a whole profile would take ten thousand steps",
}
"""Switches that no recording shows, and why."""


@pytest.mark.host
@pytest.mark.parametrize("switch", EVIDENCE)
def test_a_recording_tells_which_way_a_switch_is(switch: str, bundles: Path) -> None:
    name = EVIDENCE[switch]
    was, other = getattr(LOCAL_2026_11, switch), getattr(PROD, switch)
    if was == other:
        assert isinstance(was, bool)
        other = not was
    profile = replace(LOCAL_2026_11, **{switch: other})
    try:
        observed = run_on_model(read_program(name), bundles, profile)
    except Stuck:
        return
    assert differences(read_recording(name), observed) != []


def test_every_switch_has_its_evidence() -> None:
    switches = {each.name for each in fields(Profile)} - {"name"}
    assert switches == {*EVIDENCE, *UNSEEN}


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
