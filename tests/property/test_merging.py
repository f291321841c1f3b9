"""Merging equal worlds loses nothing, on random graphs."""

from __future__ import annotations

from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from eutaxy.testing import Toy
from tests.oracles.agreement import assert_agree
from tests.oracles.unmerged import TreeTooLarge
from tests.property.random_toys import toys


@settings(max_examples=200)
@given(toy=toys(), faults=st.integers(0, 2), redeliveries=st.integers(0, 1))
def test_search_and_brute_force_agree(toy: Toy, faults: int, redeliveries: int) -> None:
    try:
        both = assert_agree(toy, faults, redeliveries, leaves_max=3_000)
    except TreeTooLarge:
        reject()
    event(f"bad: {both.found.bad_level is not None}")
    event(f"merged: {both.tree.steps > len(both.tree.worlds)}")
