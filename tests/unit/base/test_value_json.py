"""The JSON form of values. Expected values were computed with Node 20."""

from __future__ import annotations

import json

import pytest

from eutaxy._base.value import Plain, encode
from eutaxy._base.value_json import UNDEFINED_TREE, Circular, circle_in, iso_date, json_form

FORMS: list[tuple[Plain, Plain]] = [
    (None, None),
    ("text", "text"),
    (1.5, 1.5),
    (True, True),
    ({"$": "undefined"}, UNDEFINED_TREE),
    ({"$": "number", "of": "NaN"}, None),
    ({"$": "number", "of": "-Infinity"}, None),
    ({"$": "number", "of": "-0"}, 0),
    ({"$": "bigint", "of": "5"}, "[BigInt(5)]"),
    ({"$": "date", "of": 1000}, "1970-01-01T00:00:01.000Z"),
    ({"$": "date", "of": None}, None),
    ({"$": "map", "of": [["k", 1]]}, {}),
    ({"$": "set", "of": [1]}, {}),
    ({"$": "regexp", "source": "a", "flags": ""}, {}),
    ({"$": "boxed", "of": 7}, 7),
    ({"$": "bytes", "as": "Uint8Array", "of": "AQI="}, "[Uint8Array(2 bytes)]"),
    ({"$": "bytes", "as": "ArrayBuffer", "of": ""}, "[ArrayBuffer(0 bytes)]"),
    ({"$": "bytes", "as": "DataView", "of": "AQ=="}, {}),
    ({"$": "error", "name": "Error", "message": "m"}, {}),
    ({"$": "error", "name": "Error", "message": "m", "of": {"code": 7}}, {"code": 7}),
    ({"$": "object", "of": [["$", "date"], ["n", 1]]}, {"$": "date", "n": 1}),
    ([1, {"$": "undefined"}, [{"$": "undefined"}]], [1, None, [None]]),
    ({"a": {"$": "undefined"}, "b": {"c": {"$": "undefined"}}}, {"b": {}}),
    # Shared, not circular: the list is number 0, its first object 1.
    ([{"n": 1}, {"$": "ref", "to": 1}], [{"n": 1}, {"n": 1}]),
]


@pytest.mark.parametrize(("tree", "form"), FORMS, ids=[json.dumps(each) for each, _ in FORMS])
def test_the_form_of_a_value(tree: Plain, form: Plain) -> None:
    assert json.dumps(json_form(encode(tree))) == json.dumps(form)


@pytest.mark.parametrize(
    ("epoch_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_767_225_600_000, "2026-01-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_iso_dates(epoch_ms: int, text: str) -> None:
    assert iso_date(epoch_ms) == text


CIRCLES: list[tuple[Plain, list[str]]] = [
    (
        {"self": {"$": "ref", "to": 0}},
        [
            "--> starting at object with constructor 'Object'",
            "--- property 'self' closes the circle",
        ],
    ),
    (
        {"a": [1, {"b": {"$": "ref", "to": 1}}]},
        [
            "--> starting at object with constructor 'Array'",
            "|     index 1 -> object with constructor 'Object'",
            "--- property 'b' closes the circle",
        ],
    ),
    (
        {"a": {"b": {"c": {"d": {"e": {"$": "ref", "to": 0}}}}}},
        [
            "--> starting at object with constructor 'Object'",
            "|     property 'a' -> object with constructor 'Object'",
            "|     property 'b' -> object with constructor 'Object'",
            "|     ...",
            "|     property 'd' -> object with constructor 'Object'",
            "--- property 'e' closes the circle",
        ],
    ),
]


@pytest.mark.parametrize(("tree", "lines"), CIRCLES)
def test_circles_have_no_form(tree: Plain, lines: list[str]) -> None:
    said = "\n    ".join(["Converting circular structure to JSON", *lines])
    with pytest.raises(Circular) as raised:
        json_form(encode(tree))
    assert str(raised.value) == said
    assert circle_in(encode(tree)) == said


def test_what_is_shared_is_no_circle() -> None:
    assert circle_in(encode([{"n": 1}, {"$": "ref", "to": 1}])) is None
    # A Map is written as {}, whatever it holds.
    assert circle_in(encode({"m": {"$": "map", "of": [["k", {"$": "ref", "to": 0}]]}})) is None
