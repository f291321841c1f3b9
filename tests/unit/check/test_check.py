"""Key paths, monitors, and what is judged at rest."""

from __future__ import annotations

import pytest

from eutaxy._base.functions import NoFunctions
from eutaxy._base.note import Match
from eutaxy._base.observation import Happened
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    Keyed,
    Seen,
    Selector,
    Unique,
    WorkflowRows,
)
from eutaxy._base.value import Plain, Value, encode
from eutaxy._check.key_path import find_key
from eutaxy._check.monitors import ALARM, Alarm, Broken, Marks, Monitor
from eutaxy._check.rest import RestFinding, judge_rows
from eutaxy.errors import ScenarioError

ONCE = AtMostOncePerKey(
    name="once",
    what=Keyed(
        selector=Selector(seen=Seen.FETCH, target="pay", operation="POST"),
        key_path="args.body.id",
    ),
    place="x.sim.ts:9:3",
)
ROWS = Unique(name="one", rows=WorkflowRows(binding="W"), key_path="params.id")


def _find(tree: Plain, path: str) -> Value:
    return find_key(tree, path, invariant="once", what="Fetch:pay POST", place="x.sim.ts:9:3")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", '{"b":[10,{"c":null}]}'),
        ("a.b", '[10,{"c":null}]'),
        ("a.b.0", "10"),
        ("a.b.1.c", "null"),
    ],
)
def test_a_key_path_leads_into_objects_and_lists(path: str, found: str) -> None:
    assert _find({"a": {"b": [10, {"c": None}]}}, path) == found


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("x", "there is no 'x' in it; there is 'a'"),
        ("a.x", "there is no 'x' in a; there is 'b'"),
        ("a.b.2", "there is no '2' in a.b; there is a list of 2"),
        ("a.b.-1", "there is a list of 2"),
        ("a.b.0.x", "there is the value 10"),
        ("", "there is no ''"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_is_there(path: str, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        _find({"a": {"b": [10, 11]}}, path)
    assert says in error.value.found
    assert error.value.place == "x.sim.ts:9:3"
    assert "'once'" in error.value.doing


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"$": "bytes", "as": "Uint8Array", "of": "AQI="}, "there is the value Uint8Array(2) <01"),
        ({"$": "undefined"}, "there is the value undefined"),
        (None, "there is the value null"),
    ],
)
def test_a_path_into_a_value_without_names_shows_it(value: Plain, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        _find({"body": value}, "body.id")
    assert says in error.value.found


def _happened(key: Plain, operation: str = "POST") -> Happened:
    return Happened(
        seen=Seen.FETCH,
        target="pay",
        operation=operation,
        path="/pay",
        view=encode({"args": {"body": {"id": key}}, "answer": {}}),
        shown=f"Fetch:pay {operation}",
    )


def test_the_second_effect_of_a_key_breaks_the_claim() -> None:
    monitor = Monitor(ONCE)
    first = monitor.on(monitor.initial(), _happened("a"))
    assert first.out == ()
    assert first.notes == (Match("once", Value('"a"'), "Fetch:pay POST"),)
    other = monitor.on(first.local, _happened("b"))
    assert other.out == ()
    second = monitor.on(other.local, _happened("a"))
    assert second.out == ((ALARM, Broken("once", Value('"a"'))),)


def test_counts_are_saturated_so_that_worlds_stay_finite() -> None:
    monitor = Monitor(ONCE)
    local = monitor.initial()
    seen = []
    for _ in range(4):
        local = monitor.on(local, _happened(1)).local
        seen.append(local)
    assert seen[1] == seen[2] == seen[3] == Marks(((Value("1"), 2),))


def test_keys_of_different_types_are_different_keys() -> None:
    monitor = Monitor(ONCE)
    local = monitor.on(monitor.initial(), _happened(1)).local
    assert monitor.on(local, _happened("1")).out == ()


def test_the_order_of_keys_does_not_matter() -> None:
    monitor = Monitor(ONCE)

    def after(*keys: Plain) -> object:
        local = monitor.initial()
        for key in keys:
            local = monitor.on(local, _happened(key)).local
        return local

    assert after("a", "b") == after("b", "a")


def test_the_alarm_is_the_set_of_what_is_broken() -> None:
    alarm = Alarm()
    broken = alarm.on(alarm.initial(), Broken("b", Value("1"))).local
    both = alarm.on(broken, Broken("a", Value("1"))).local
    assert alarm.initial() == ()
    assert both == (("a", "1"), ("b", "1"))
    assert alarm.on(both, Broken("a", Value("1"))).local == both


def test_monitors_do_nothing_by_themselves() -> None:
    for monitor in (Alarm(), Monitor(ONCE)):
        local = monitor.initial()
        assert monitor.choices(local) == ()
        assert not monitor.is_running(local)
        assert monitor.next_timer(local) is None
        assert monitor.tick(local, 5) == local


def _row(name: str, key: Plain) -> Value:
    return encode({"id": name, "params": {"id": key}})


def _judged(rows: list[Value]) -> tuple[RestFinding | None, int]:
    return judge_rows(ROWS, lambda _: rows, NoFunctions())


def test_two_rows_with_one_key_break_uniqueness() -> None:
    finding, count = _judged([_row("x", 1), _row("y", 2), _row("z", 1)])
    assert count == 3
    assert finding is not None
    assert finding.invariant == "one"
    assert finding.claim == "Workflow:W has two instances with params.id = 1: 'x' and 'z'"


def test_rows_with_different_keys_are_fine() -> None:
    assert _judged([_row("x", 1), _row("y", "1")]) == (None, 2)
    assert _judged([]) == (None, 0)


def test_a_row_without_the_key_is_the_user_s_error() -> None:
    with pytest.raises(ScenarioError, match="a row of W"):
        _judged([encode({"id": "x", "params": {}})])
