"""Values as they cross: Python to JavaScript and back, in the one text form that all hosts share."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eutaxy._hosts.py import codec
from eutaxy._hosts.py.jsnumbers import number_text
from eutaxy._hosts.py.jsvalues import in_property_order
from tests.hosts import cpython_world, node_world
from tests.hosts.cpython_world import RunWorker, workers, workflow
from tests.hosts.node_world import effects, outcome, returned

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


OUTGOING = [
    ("None", "null"),
    (
        "[None, True, 'é\\n\\ud800', 1, 1.0, -1.5, 1e21, 1e-7, 2**53 - 1]",
        '[null,true,"é\\n\\ud800",1,1,-1.5,1e+21,1e-7,9007199254740991]',
    ),
    ("2**53", '{"$":"bigint","of":"9007199254740992"}'),
    ("float('nan')", '{"$":"number","of":"NaN"}'),
    ("float('-inf')", '{"$":"number","of":"-Infinity"}'),
    ("-0.0", '{"$":"number","of":"-0"}'),
    ("{'b': 1, '10': 2, '9': 3, 'a': None}", '{"9":3,"10":2,"b":1,"a":null}'),
    ("{1: 'one', None: 2}", '{"1":"one","undefined":2}'),
    ("{'$': 1}", '{"$":"object","of":[["$",1]]}'),
    ("{'x'}", '{"$":"set","of":["x"]}'),
    ("b'ab'", '{"$":"bytes","as":"Uint8Array","of":"YWI="}'),
    ("memoryview(b'ab')", '{"$":"bytes","as":"Uint8Array","of":"YWI="}'),
    ("datetime.datetime(2026, 10, 1, 8, 0, 0, 999999)", '{"$":"date","of":1790841600999}'),
    ("ValueError('v')", '{"$":"error","name":"Error","message":"v"}'),
    # The SDK copies dictionaries, so one that occurs twice arrives as two.
    ("[same, same]", '[{"k":1},{"k":1}]'),
    ("[shared, shared]", '[{"k":1},{"$":"ref","to":2}]'),
    ("js.Map.new([[1, 'a'], ['1', 2]])", '{"$":"map","of":[[1,"a"],["1",2]]}'),
    ("js.Error.new('e')", '{"$":"error","name":"Error","message":"e"}'),
    ("js.TypeError.new('e')", '{"$":"error","name":"TypeError","message":"e","class":"TypeError"}'),
]


@pytest.mark.parametrize(("expression", "text"), OUTGOING)
def test_what_python_values_become(run_worker: RunWorker, expression: str, text: str) -> None:
    before = """
import datetime
import js
same = {"k": 1}
shared = js.Object.fromEntries([["k", 1]])
"""
    code = workflow(f"return [{expression}]", before=before)
    (reaction,) = run_worker(code).job()["reactions"]
    assert reaction["returned"] == f"[{text}]"


REFUSED = [
    ("(1, 2)", "TypeError: <class 'tuple'> cannot be sent over RPC."),
    ("[bytearray()]", "TypeError: <class 'bytearray'> cannot be sent over RPC."),
    ("{'a': {'b': (1,)}}", "TypeError: <class 'tuple'> cannot be sent over RPC."),
]


@pytest.mark.parametrize(("expression", "last_line"), REFUSED)
def test_what_the_sdk_refuses(run_worker: RunWorker, expression: str, last_line: str) -> None:
    kind, error = outcome(run_worker(workflow(f"return {expression}")).job())
    assert kind == "threw"
    assert error["message"].rstrip().splitlines()[-1] == last_line


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("[print]", "function print"),
        ("complex(1)", "a Python object of class complex"),
        ("{'a': object()}", "a Python object of class object"),
        ("js.URL.new('https://a.example')", "an object of class URL"),
    ],
)
def test_what_cannot_be_cloned(run_worker: RunWorker, expression: str, what: str) -> None:
    code = workflow(f"return {expression}", before="import js")
    kind, error = outcome(run_worker(code).job())
    assert (kind, error["name"], error["of"]) == (
        "threw",
        "DataCloneError",
        {"notCloneable": what},
    )


INCOMING: list[tuple[Any, str]] = [
    (None, "None"),
    ({"$": "undefined"}, "None"),
    ([1.5, 1, True, "t"], "[1.5, 1, True, 't']"),
    ({"a": {"b": None}}, "{'a': {'b': None}}"),
    ({"$": "bigint", "of": "9007199254740993"}, "9007199254740993"),
    ({"$": "number", "of": "-Infinity"}, "-inf"),
    ({"$": "number", "of": "-0"}, "0"),
    ({"$": "date", "of": 1_790_841_600_999}, "datetime.datetime(2026, 10, 1, 8, 0, 0, 999000)"),
    ({"$": "map", "of": [["k", 1]]}, "{'k': 1}"),
    ({"$": "set", "of": ["k"]}, "{'k'}"),
    ({"$": "object", "of": [["$", 1]]}, "{'$': 1}"),
    ({"$": "error", "name": "Error", "message": "m"}, "Exception('Error: m')"),
    # Objects are counted from the event, which holds the list, which holds the first one.
    ([{"a": 1}, {"$": "ref", "to": 2}], "[{'a': 1}, {'a': 1}]"),
]


@pytest.mark.parametrize(("tree", "shown"), INCOMING)
def test_what_python_code_gets(run_worker: RunWorker, tree: Any, shown: str) -> None:
    world = run_worker(workflow("return repr(event['payload'])"))
    assert outcome(world.job(payload=tree)) == ("returned", shown)


def test_bytes_arrive_as_a_memoryview(run_worker: RunWorker) -> None:
    world = run_worker(workflow("return [type(event.payload).__name__, bytes(event.payload)]"))
    value = outcome(world.job(payload={"$": "bytes", "as": "ArrayBuffer", "of": "YWI="}))[1]
    assert value == ["memoryview", {"$": "bytes", "as": "Uint8Array", "of": "YWI="}]


def test_a_step_gives_the_same_types_when_its_value_comes_from_the_engine(
    run_worker: RunWorker,
) -> None:
    body = """
    @step.do("s")
    async def s(): return {"n": 1.0, "none": None, "raw": b"x"}
    value = await s()
    return [repr(value["n"]), value["none"] is None, type(value["raw"]).__name__, value.n]
    """
    world = run_worker(workflow(body))
    raw = {"$": "bytes", "as": "Uint8Array", "of": "eA=="}
    value = outcome(world.job(returned(0, 1, {"n": 1, "none": None, "raw": raw})))[1]
    assert value == ["1", True, "memoryview", 1]


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.text()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | st.integers().map(lambda n: {"$": "bigint", "of": str(n)})
    | st.integers(-(10**12), 10**12).map(lambda n: {"$": "date", "of": n})
    | st.binary().map(lambda b: {"$": "bytes", "as": "Uint8Array", "of": _base64(b)}),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text().filter(lambda key: key != "$"), inner)
        | st.lists(st.tuples(st.text(), inner), unique_by=lambda pair: pair[0]).map(
            lambda pairs: {"$": "map", "of": [list(pair) for pair in pairs]}
        )
    ),
    max_leaves=20,
)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _ordered(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_ordered(item) for item in tree]
    if isinstance(tree, dict):
        return {key: _ordered(tree[key]) for key in in_property_order(tree)}
    return tree


@given(TREES)
def test_reading_and_writing_a_value_changes_nothing(tree: Any) -> None:
    written = codec.encode(codec.from_tree(tree))
    assert json.loads(written) == tree
    if isinstance(tree, dict):
        assert list(json.loads(written)) == list(_ordered(tree))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_written_as_javascript_does_reads_back_the_same(number: float) -> None:
    assert float(number_text(number)) == number


def test_numbers_and_text_are_written_as_node_writes_them(
    tmp_path_factory: pytest.TempPathFactory, run_worker: RunWorker
) -> None:
    numbers = [0.1, 1e21, 1e20, 123456789012345680000, 1e-6, 1e-7, 5e-324, 1.5e300, -2.5e-9, 0.5]
    texts = ['\u2028é\x7f\x00"\\/', "\ud83d\ude00"]
    payload = {"numbers": numbers, "texts": texts, "2": 1, "1": 2}
    node = next(iter(node_world.nodes().values()))
    with node_world.worlds(node, tmp_path_factory.mktemp("node")) as start:
        script = (
            "exports.Job = class extends WorkflowEntrypoint { async run(e) { return e.payload; } };"
        )
        theirs = start(script).job(payload=payload)["reactions"]
    mine = run_worker(workflow("return event['payload']")).job(payload=payload)["reactions"]
    assert mine == theirs


def test_fetch_arguments_are_written_as_values(run_worker: RunWorker) -> None:
    code = cpython_world.answering('await fetch("https://a.example", method="DELETE")')
    (effect,) = effects(run_worker(code).request())
    assert effect["args"]["body"] is None
