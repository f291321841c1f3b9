"""Tokens: what is written is read back; what is no token is refused and nothing else happens."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eutaxy._base.bounds import COUNT_MAX
from eutaxy._explore.path import first_path
from eutaxy._explore.token import (
    PREFIX,
    Schedule,
    name_print,
    prints_of,
    read_token,
    replay_schedule,
    write_token,
)
from eutaxy._explore.trace import trace_of
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy.errors import ReplayError
from eutaxy.testing import scripted
from tests.planted import expenses


@st.composite
def _schedules(draw: st.DrawFn) -> Schedule:
    path = draw(st.lists(st.integers(0, 5) | st.integers(0, 100_000), max_size=60).map(tuple))
    return Schedule(
        scenario=draw(st.binary(min_size=3, max_size=3)),
        kept=draw(st.lists(st.booleans(), max_size=70).map(tuple)),
        redeliveries_max=draw(st.integers(0, COUNT_MAX)),
        concurrent_max=draw(st.integers(1, COUNT_MAX)),
        profile=draw(st.sampled_from(("", "local-2026-11"))),
        path=path,
        prints=draw(st.binary(min_size=len(path), max_size=len(path))),
    )


schedules = _schedules()


@given(schedule=schedules)
def test_a_token_is_read_back_as_it_was_written(schedule: Schedule) -> None:
    token = write_token(schedule)
    assert read_token(token) == schedule
    assert token.startswith(PREFIX)
    assert token == token.lower()
    assert all(char.isalnum() or char == "-" for char in token)


@given(text=st.text() | st.text(alphabet="abcdefghijklmnopqrstuvwxyz234567").map("e1-".__add__))
@example("")
@example("e1-")
@example("e1-a")
@example("e1-aaaaaaaa")
@example("e2-aaaaaaaa")
@example("E1-AAAA")
@example("e1-ä")
def test_text_that_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(ReplayError) as refused:
        read_token(text)
    assert refused.value.remedy


@given(schedule=schedules, data=st.data())
def test_a_mistyped_token_is_refused(schedule: Schedule, data: st.DataObject) -> None:
    token = write_token(schedule)
    at = data.draw(st.integers(len(PREFIX), len(token) - 1))
    typed = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz234567").filter(token[at].__ne__))
    wrong = token[:at] + typed + token[at + 1 :]
    try:
        read = read_token(wrong)
    except ReplayError:
        return
    # Two bytes of check find nearly all; and the last letter may carry bits that mean nothing.
    assert at == len(token) - 1 or read != schedule


@given(schedule=schedules, data=st.data())
def test_a_token_that_was_cut_off_is_refused(schedule: Schedule, data: st.DataObject) -> None:
    token = write_token(schedule)
    cut = token[: data.draw(st.integers(0, len(token) - 2))]
    try:
        assert read_token(cut) != schedule
    except ReplayError:
        return


def _model() -> Model:
    programs = expenses.programs(is_fixed=True)
    return Model(expenses.scenario(faults=2, redeliveries=1), scripted(**programs)(), Engine())


@given(data=st.data())
def test_any_run_replays_to_the_same_trace_in_another_model(data: st.DataObject) -> None:
    model, path, world = _model(), [], _model().initial
    for _ in range(40):
        options = model.choices(world)
        if not options:
            break
        number = data.draw(st.integers(0, len(options) - 1))
        path.append(number)
        world = model.step(world, options[number])
    token = write_token(
        Schedule(
            scenario=name_print("expenses"),
            kept=(True, True),
            redeliveries_max=1,
            concurrent_max=1,
            profile="",
            path=tuple(path),
            prints=prints_of(model, path),
        )
    )
    again = replay_schedule(_model(), read_token(token))
    assert again == trace_of(model, path)


def test_the_path_without_faults_is_the_first() -> None:
    model = _model()
    assert set(first_path(model)) == {0}
