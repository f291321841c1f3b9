"""What docs/rules.md says is missing: it is reported, or it has no effect, and never guessed."""

from __future__ import annotations

import pytest

from eutaxy.errors import UnmodelledError
from tests.rules.conftest import Start
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Stream = Program(
    "Stream",
    ts="""
        await step.do("a", async () => new Response("bytes").body);
    """,
)
Plain = Program("Plain", ts="return 1;", py="return 1")


@pytest.mark.node_only("a Python Worker would return a JavaScript object")
def test_a_stream_as_a_result_is_reported(play: Start) -> None:
    with pytest.raises(UnmodelledError, match="ReadableStream") as raised:
        play(Stream).finish()
    assert raised.value.place


def test_subscribing_is_reported(play: Start) -> None:
    with pytest.raises(UnmodelledError, match="subscribe"):
        play(Plain).call("subscribe")


def test_an_ended_instance_stays(play: Start) -> None:
    run = play(Plain).finish().until(60 * 86_400_000)
    assert run.call("get") == {"id": "i"}
    assert run.call("status")["status"] == "complete"
