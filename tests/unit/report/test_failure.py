"""Errors tell what was being done, what was found and what to do; and where."""

from __future__ import annotations

import pytest

from eutaxy import errors
from eutaxy._report.failure import failure_text


def test_the_three_parts_and_the_place() -> None:
    error = errors.ScenarioError(
        "loading ./expenses.sim.ts",
        'setup names the binding "APPROVAL"\nwrangler.jsonc has: APPROVALS',
        'write workflow("APPROVALS", ...)',
        place="expenses.sim.ts:15:11",
    )
    assert failure_text(error) == (
        "ERROR while loading ./expenses.sim.ts\n"
        "  at    expenses.sim.ts:15:11\n"
        '  found setup names the binding "APPROVAL"\n'
        "        wrangler.jsonc has: APPROVALS\n"
        '  help  write workflow("APPROVALS", ...)\n'
    )


@pytest.mark.parametrize(
    ("kind", "heading"),
    [
        (errors.ScenarioError, "ERROR"),
        (errors.ReplayError, "CANNOT REPLAY"),
        (errors.HostError, "USER CODE FAILED"),
        (errors.ProtocolError, "ERROR"),
        (errors.UnmodelledError, "NOT MODELLED"),
        (errors.UnfaithfulError, "UNFAITHFUL"),
    ],
)
def test_the_heading_says_whose_matter_it_is(kind: type[errors.EutaxyError], heading: str) -> None:
    assert failure_text(kind("doing it", "this", "that")).startswith(f"{heading} while doing it\n")


def test_without_place_there_is_no_such_line() -> None:
    assert "  at " not in failure_text(errors.ScenarioError("doing it", "this", "that"))


def test_messages_cannot_act_on_the_terminal() -> None:
    assert "\x1b" not in failure_text(errors.ScenarioError("a\x1b[2J", "b\x1b[2J", "c\x1b[2J"))
