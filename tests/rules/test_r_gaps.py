"""What docs/rules.md says is missing: it is reported, or it has no effect, and never guessed."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Plain = Program("Plain", ts="return 1;", py="return 1")


def test_an_ended_instance_stays(play: Start) -> None:
    run = play(Plain).finish().until(60 * 86_400_000)
    assert run.call("get") == {"id": "i"}
    assert run.call("status")["status"] == "complete"
