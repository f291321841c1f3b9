"""Both hosts and the model write every value in the same way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eutaxy._base.value import Value, decode, encode
from tests.hosts.cpython_world import worker, workers
from tests.hosts.node_world import RunWorld, only, request_entry

pytestmark = pytest.mark.host

# A surrogate or two, and what JSON escapes, more often than chance would bring them.
TEXTS = st.text(st.characters() | st.sampled_from('\ud800\udfff"\\\n\u2028\x00'), max_size=6)
FLOATS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from(
    [1e-7, 1e21, 1e16, 1.5e-5]
)
LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | FLOATS | TEXTS
# Members whose names are array indices come first in JavaScript; "$" marks what is tagged.
NAMES = TEXTS.filter(lambda name: name not in {"$", "__proto__"} and not name.isdigit())
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
VALUES = TREES.map(encode)

IN_NODE = """
exports.default = { async fetch(request, env) {
  const job = await env.JOBS.get("a");
  await env.JOBS.create({ params: await job.status() });
  return new Response();
} };
"""
IN_PYTHON = """
    class Default(WorkerEntrypoint):
        async def fetch(self, request):
            jobs = self.env._env.JOBS
            job = await jobs.get("a")
            await jobs.create(params=await job.status())
            return Response("")
"""


def _echo(world: Any, value: str) -> str:
    """The value, after user code was given it and has handed it back."""
    moves = [
        {"fiber": 0, "answer": 1, "returned": '{"id":"a"}', "now": 0},
        {"fiber": 0, "answer": 2, "returned": value, "now": 0},
    ]
    told = world.host.evaluate(request_entry(), moves)
    args = only(only(told["reactions"])["effects"])["args"]
    prefix, suffix = '{"options":{"params":', "}}"
    assert args.startswith(prefix), args
    assert args.endswith(suffix), args
    return str(args[len(prefix) : -len(suffix)])


@given(VALUES)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_node_writes_values_as_the_model_does(echo_in_node: Any, value: Value) -> None:
    assert _echo(echo_in_node, value) == value
    assert encode(decode(value)) == value


@given(VALUES)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_python_writes_values_as_the_model_does(echo_in_python: Any, value: Value) -> None:
    # Python has one zero: Pyodide makes an int of the negative one.
    expected = value.replace(json.dumps({"$": "number", "of": "-0"}, separators=(",", ":")), "0")
    assert _echo(echo_in_python, value) == expected


@pytest.fixture(scope="module")
def echo_in_node(share_in_node: RunWorld) -> Any:
    return share_in_node(IN_NODE)


@pytest.fixture(scope="module")
def echo_in_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with workers(tmp_path_factory.mktemp("python")) as start:
        yield start(worker(IN_PYTHON))
