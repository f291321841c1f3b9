"""How twins are compared: what is the same in both languages, and what is noticed."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import NULL, UNDEFINED, encode, error_value
from tests.rules.play import differences, normal_form

STEP = Record(
    seq=1,
    kind=RecordKind.EFFECT,
    at_ms=0,
    activation="workflow:A:i#0",
    effect_number=1,
    text="Workflow:A step_result",
    args=encode({"step": "a", "count": 1, "attempt": 1}),
    answer=UNDEFINED,
    place="1:2",
)
PYTHON_ERROR = 'Traceback (most recent call last):\n  File "worker.py", line 3\nValueError: no\n'


def test_places_nothing_and_error_classes_belong_to_the_language() -> None:
    assert normal_form([STEP]) == normal_form([replace(STEP, place="worker.py:3", answer=NULL)])
    mine = replace(STEP, answer=error_value("Error", "no"))
    theirs = replace(STEP, answer=error_value("PythonError", PYTHON_ERROR))
    assert normal_form([mine]) == normal_form([theirs])


def test_blanks_in_json_belong_to_the_language_too() -> None:
    mine = replace(STEP, answer=encode({"status": 200, "body": '{"a":1}'}))
    theirs = replace(STEP, answer=encode({"status": 200, "body": '{"a": 1}'}))
    assert normal_form([mine]) == normal_form([theirs])


def test_the_passing_of_time_is_told_by_what_happens_in_it() -> None:
    clock = replace(STEP, kind=RecordKind.CLOCK, text="5")
    assert normal_form([clock, STEP]) == normal_form([STEP])


def test_everything_else_is_noticed() -> None:
    for other in (
        replace(STEP, text="Workflow:A step_start"),
        replace(STEP, at_ms=1),
        replace(STEP, activation="workflow:A:i#1"),
        replace(STEP, args=encode({"step": "a", "count": 2, "attempt": 1})),
        replace(STEP, answer=encode(1)),
        replace(STEP, answer=error_value("Error", "other")),
    ):
        [pair] = differences([normal_form([STEP])], [normal_form([other])])
        assert pair[0] != pair[1]
    assert list(differences([normal_form([STEP])], [normal_form([])])) != []
    assert list(differences([normal_form([STEP])], [])) != []
