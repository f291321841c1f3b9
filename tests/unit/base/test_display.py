"""Values must be readable, hide nothing silently, and never act on the terminal."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eutaxy._base.display import BRIEF, FULL, display, iso_date, quoted, visible
from eutaxy._base.value import Plain, Value, encode


@pytest.mark.parametrize(
    ("tagged", "shown"),
    [
        ("null", "null"),
        ("true", "true"),
        ("12.5", "12.5"),
        ('{"$":"undefined"}', "undefined"),
        ('{"$":"number","of":"-0"}', "-0"),
        ('{"$":"bigint","of":"123"}', "123n"),
        ('"it\'s"', '"it\'s"'),
        ('"say \\"hi\\""', "'say \"hi\"'"),
        ('"both \' and \\""', '"both \' and \\""'),
        ('"line\\nnext\\u0000"', '"line\\nnext\\x00"'),
        ("[]", "[]"),
        ("{}", "{}"),
        (
            '{"id":"exp-1","two words":[1,{"deep":null}]}',
            '{id: "exp-1", "two words": [1, {deep: null}]}',
        ),
        ('{"$":"date","of":0}', "Date 1970-01-01T00:00:00.000Z"),
        ('{"$":"date","of":null}', "Date (invalid)"),
        ('{"$":"map","of":[["a",1],[{"k":2},[]]]}', 'Map(2) {"a" => 1, {k: 2} => []}'),
        ('{"$":"set","of":[1,"b"]}', 'Set(2) {1, "b"}'),
        ('{"$":"bytes","as":"Uint8Array","of":"AQL/"}', "Uint8Array(3) <01 02 ff>"),
        ('{"$":"bytes","as":"ArrayBuffer","of":"?"}', 'ArrayBuffer (not base64: "?")'),
        ('{"$":"regexp","source":"a+","flags":"gi"}', "/a+/gi"),
        ('{"$":"error","name":"Error","message":"no"}', "Error: no"),
        (
            '{"$":"error","name":"TypeError","message":"no","class":"TypeError","of":{"code":7}}',
            "TypeError: no {code: 7}",
        ),
        ('{"$":"object","of":[["$","x"],["b",1]]}', '{$: "x", b: 1}'),
    ],
)
def test_each_kind_of_value_reads_like_javascript(tagged: str, shown: str) -> None:
    assert display(Value(tagged)) == shown


def test_references_name_the_object_they_repeat() -> None:
    # Objects in the order they are met: 0 the outer one, 1 the map, 2 its key, 3 its value.
    tree = '{"m":{"$":"map","of":[[{"k":1},{"v":2}]]},"again":{"$":"ref","to":3}}'
    assert display(Value(tree)) == "{m: Map(1) {{k: 1} => <3> {v: 2}}, again: <see 3>}"


def test_a_cycle_is_shown_once() -> None:
    assert display(Value('{"self":{"$":"ref","to":0}}')) == "<0> {self: <see 0>}"


def test_objects_left_out_still_count_for_references() -> None:
    # Object 0 is the outer one, 1 the list, 2 to 14 its items (14 is left out), 15 the last one.
    items = ",".join(["{}"] * 13)
    tree = f'{{"list":[{items}],"last":{{"x":1}},"again":{{"$":"ref","to":15}}}}'
    assert display(Value(tree)).endswith("… 1 more], last: <15> {x: 1}, again: <see 15>}")


def test_brief_values_say_how_much_is_left_out() -> None:
    text = display(encode("x" * 500))
    assert text == '"' + "x" * BRIEF.text_max + '"… (500 characters)'
    assert display(encode(list(range(15)))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … 3 more]"
    assert display(Value("[[[[[[1]]]]]]")) == "[[[[[[…]]]]]]"


def test_full_values_are_whole() -> None:
    assert display(encode("x" * 500), limits=FULL) == '"' + "x" * 500 + '"'
    assert "more" not in display(encode(list(range(15))), limits=FULL)


def test_nesting_without_end_is_no_crash() -> None:
    deep = Value("[" * 900 + "]" * 900)
    assert display(deep, limits=FULL).startswith("[[[[")


@given(st.integers(min_value=0, max_value=253_402_300_799_999))
def test_dates_agree_with_the_standard_library(epoch_ms: int) -> None:
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(
        milliseconds=epoch_ms
    )
    assert iso_date(epoch_ms) == moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("epoch_ms", "text"),
    [
        # The ends of JavaScript's range, and the year 0, as Node prints them.
        (8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"),
        (-8_640_000_000_000_000, "-271821-04-20T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_dates_outside_the_usual_years(epoch_ms: int, text: str) -> None:
    assert iso_date(epoch_ms) == text


@given(st.text())
def test_no_text_can_act_on_the_terminal(text: str) -> None:
    assert visible(text).isprintable()
    assert quoted(text).isprintable()


_TREES: st.SearchStrategy[Plain] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_TREES)
def test_every_tree_has_one_printable_line(tree: Plain) -> None:
    assert display(encode(tree)).isprintable()
    assert display(encode(tree), limits=FULL).isprintable()
