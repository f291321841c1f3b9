"""Exact counts of toys: closed formula, brute force and the search over merged worlds agree."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import Fault
from eutaxy._base.verdict import Level
from eutaxy._explore.count import Livelock, count_schedules
from eutaxy._explore.search import Limits, Search
from eutaxy._world.component import Gate
from eutaxy.testing import Counters, Machine, Move, Toy
from eutaxy.testing.toys import At
from tests.oracles.agreement import assert_agree
from tests.oracles.unmerged import grow_tree

CRASH = Fault.CRASH_AFTER
LOST = Fault.REQUEST_LOST
TWO_KINDS = (Fault.REQUEST_LOST, Fault.ANSWER_LOST)


def test_the_formula_gives_the_counts_of_the_hand_made_list() -> None:
    # The list is in eutaxy/testing/toys.py.
    counters = Counters(counters=2, effects=1)
    assert [counters.schedules(faults) for faults in range(3)] == [2, 6, 14]


def test_one_counter_by_hand() -> None:
    # Effects a b, hits x: ab | xab axb | xxab xaxb axxb.
    counters = Counters(counters=1, effects=2)
    assert [counters.schedules(faults) for faults in range(3)] == [1, 2, 3]
    assert assert_agree(counters.toy(), 2).schedules == (1, 2, 3)


@pytest.mark.parametrize("is_remembering", [False, True])
@pytest.mark.parametrize(
    ("counters", "effects", "kinds", "faults"),
    [(1, 3, 2, 3), (2, 1, 1, 3), (2, 2, 1, 3), (2, 3, 2, 2), (3, 2, 1, 2), (3, 1, 2, 2)],
)
def test_formula_brute_force_and_search_agree(
    counters: int, effects: int, kinds: int, faults: int, *, is_remembering: bool
) -> None:
    toy = Counters(
        counters=counters,
        effects=effects,
        kinds=TWO_KINDS[:kinds],
        is_remembering=is_remembering,
    )
    both = assert_agree(toy.toy(), faults)
    assert both.schedules == tuple(toy.schedules(each) for each in range(faults + 1))
    assert len(both.found.graph.worlds) == toy.worlds(faults)


def test_schedules_that_no_tree_could_hold_are_counted_exactly() -> None:
    toy = Counters(counters=2, effects=20, kinds=TWO_KINDS)
    found = Search(toy.toy(), Limits(3, 0)).run()
    assert len(found.graph.worlds) == 441
    counts = count_schedules(found.graph, 3, 0)
    assert counts == tuple(toy.schedules(faults) for faults in range(4))
    assert counts[0] == 137_846_528_820  # 40 choose 20
    assert counts[3] == 94_366_094_045_932_800


def _crashing(effects: int, checkpoint: int) -> Machine:
    """Effects of which every `checkpoint`-th is durable; a crash goes back to the last durable."""
    moves = {}
    for done in range(effects):
        durable = done - done % checkpoint
        moves[done] = (Move(done + 1), Move(durable, CRASH))
    return Machine(moves)


def test_crashes_that_erase_progress_by_hand() -> None:
    # Three effects a b c, durable after b; x is the crash:
    # abc | xabc axabc abxc | with two: xxabc xaxabc xabxc axxabc axaxabc axabxc abxxc.
    toy = Toy({("machine",): _crashing(3, 2)})
    assert assert_agree(toy, 2).schedules == (1, 3, 7)


def test_crashes_that_erase_progress_meet_worlds_again() -> None:
    toy = Toy({("a",): _crashing(5, 2), ("b",): _crashing(4, 3)})
    both = assert_agree(toy, 2)
    # The crash leads back to worlds that were there before it: no fault adds a world.
    assert len(both.found.graph.worlds) == 6 * 5
    assert both.schedules[0] == 126  # 9 choose 4


def _redelivered(times: int) -> Machine:
    """An event of two effects; once it has begun it may begin again. State: 3 * used + done."""
    moves = {}
    for used in range(times + 1):
        for done in range(2):
            again = [Move(3 * (used + 1) + done, gate=Gate.AGAIN)] if used < times and done else []
            moves[3 * used + done] = (Move(3 * used + done + 1), *again)
        if used < times:
            moves[3 * used + 2] = (Move(3 * (used + 1), gate=Gate.AGAIN),)
    return Machine(moves)


def test_redeliveries_by_hand() -> None:
    # While the event is under way no slot is free, so it comes again only after its end: ab, abab,
    # ababab.
    toy = Toy({("driver",): _redelivered(2)}, slots_max=1)
    both = assert_agree(toy, 0, 2)
    assert both.schedules == (3,)
    assert dict(both.tree.leaves) == {(0, 0): 1, (0, 1): 1, (0, 2): 1}


def test_redeliveries_and_faults_together() -> None:
    toy = Toy(
        {("driver",): _redelivered(2), ("worker",): _crashing(3, 2)},
        slots_max=1,
    )
    both = assert_agree(toy, 2, 2)
    assert len(both.schedules) == 3
    assert both.found.complete == Level(faults=2, redeliveries=2)


def _first_over_a_fault() -> Toy:
    """State 2 is met over a fault from 0 and, a step later, without one from 1.

    From 2 on there is one fault more (3, 4), which only the cheaper way can afford.
    """
    return Toy(
        {
            ("machine",): Machine(
                {
                    0: (Move(2, LOST), Move(1)),
                    1: (Move(2),),
                    2: (Move(3, LOST), Move(5)),
                    3: (Move(4),),
                }
            )
        },
    )


def test_a_world_first_met_over_a_fault_moves_to_the_lower_level() -> None:
    # By hand: 0-1-2-5 without fault; 0*2-5 and 0-1-2*3-4 with one; 0*2*3-4 with two.
    both = assert_agree(_first_over_a_fault(), 1)
    assert both.schedules == (1, 2)
    assert len(both.tree.worlds) == 6
    assert assert_agree(_first_over_a_fault(), 2).schedules == (1, 2, 1)


def test_a_violation_behind_such_a_world_is_found_with_fewest_faults() -> None:
    toy = Toy(
        {
            ("machine",): Machine(
                {0: (Move(2, LOST), Move(1)), 1: (Move(2),), 2: (Move(3, LOST), Move(4))}
            )
        },
        is_bad=lambda states: _state(states[0]) == 3,
    )
    both = assert_agree(toy, 2)
    assert both.found.bad_level == Level(faults=1, redeliveries=0)


def test_a_cycle_without_faults_is_a_livelock() -> None:
    toy = Toy({("machine",): Machine({0: (Move(1),), 1: (Move(0), Move(2))})})
    found = Search(toy, Limits(0, 0)).run()
    with pytest.raises(Livelock):
        count_schedules(found.graph, 0, 0)


def test_a_cycle_over_a_fault_is_none() -> None:
    # 0-1-2 | 0-1*0-1-2 | twice
    toy = Toy({("machine",): Machine({0: (Move(1),), 1: (Move(2), Move(0, CRASH))})})
    assert assert_agree(toy, 3).schedules == (1, 1, 1, 1)


def test_a_bad_world_ends_its_schedules() -> None:
    # Two machines of one effect, a and b; bad as soon as b has happened: b | ab.
    toy = Counters(counters=2, effects=1).toy()
    bad = Toy(
        {("counter", "00"): Machine({0: (Move(1),)}), ("counter", "01"): Machine({0: (Move(1),)})},
        is_bad=lambda states: _state(states[1]) == 1,
    )
    assert grow_tree(toy, 0, 0).schedules(0) == (2,)
    both = assert_agree(bad, 0)
    assert both.schedules == (2,)
    assert both.found.bad_level == Level(faults=0, redeliveries=0)
    assert len(both.found.bad) == 2


def test_a_world_that_is_bad_only_at_rest_ends_nothing() -> None:
    toy = Toy(
        {("machine",): Machine({0: (Move(1),), 1: (Move(2, gate=Gate.AGAIN),), 2: (Move(3),)})},
        is_bad_at_rest=lambda states: _state(states[0]) == 3,
    )
    both = assert_agree(toy, 0, 1)
    assert both.found.bad_level == Level(faults=0, redeliveries=1)
    assert both.schedules == (2,)


def _state(local: object) -> int:
    assert isinstance(local, At)
    return local.state
