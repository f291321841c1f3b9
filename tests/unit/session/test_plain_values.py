"""Values as functions of Python scenarios get them, and what they may return."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from eutaxy._session.py.plain_values import NotWritable, read, write

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOON_MS = 1_767_268_800_000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":[1,2.5,"x",true,null]}', {"a": [1, 2.5, "x", True, None]}),
        ('{"$":"undefined"}', None),
        ('{"$":"bigint","of":"12345678901234567890"}', 12345678901234567890),
        ('{"$":"number","of":"-Infinity"}', float("-inf")),
        (f'{{"$":"date","of":{NOON_MS}}}', NOON),
        ('{"$":"date","of":null}', None),
        ('{"$":"bytes","as":"Uint8Array","of":"AAE="}', b"\x00\x01"),
        ('{"$":"map","of":[["k",1],[{"a":1},2]]}', {"k": 1, '{"a": 1}': 2}),
        ('{"$":"set","of":[1,2]}', [1, 2]),
        ('{"$":"object","of":[["$","x"]]}', {"$": "x"}),
        ('{"$":"regexp","source":"a","flags":"g"}', "/a/g"),
        (
            '{"$":"error","name":"E","message":"m","of":{"code":5}}',
            {"name": "E", "message": "m", "code": 5},
        ),
    ],
)
def test_reading(text: str, value: Any) -> None:
    assert read(text) == value


def test_reading_keeps_what_is_one_thing_one_thing() -> None:
    told = read('[{"$":"date","of":0},{"a":1},{"$":"ref","to":2},{"$":"ref","to":0}]')
    assert told[2] is told[1]
    assert told[3] is told
    assert read('{"$":"number","of":"NaN"}') != 0
    assert str(read('{"$":"number","of":"-0"}')) == "-0.0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": (1, 2.0, "é", None, True)}, '{"a":[1,2,"é",null,true]}'),
        (NOON, f'{{"$":"date","of":{NOON_MS}}}'),
        (b"\x00\x01", '{"$":"bytes","as":"Uint8Array","of":"AAE="}'),
        ({"$": "x"}, '{"$":"object","of":[["$","x"]]}'),
    ],
)
def test_writing(value: object, text: str) -> None:
    assert write(value) == text


def test_what_cannot_be_written_is_named() -> None:
    own: list[object] = []
    own.append(own)
    for value, what in (
        ([object()], "a object"),
        ({"a": {1: 2}}, "the key 1"),
        (float("nan"), "nan"),
        (own, "an object that contains itself"),
    ):
        with pytest.raises(NotWritable) as caught:
            write(value)
        assert caught.value.what == what
