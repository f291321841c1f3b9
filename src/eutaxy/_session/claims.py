"""What a broken invariant says, with the seqs of what broke it."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.scenario import Invariant, Never, NotBoth, Ordered
from eutaxy._base.value import Value
from eutaxy._explore.trace import Trace


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken invariant with what happened."""

    invariant: str
    claim: str


def broken_keys(invariant: Invariant | None, name: str, key: Value, trace: Trace) -> Broken:
    """The claim about one key of a broken invariant.

    Args:
        invariant: The declared invariant; None for a built-in one.
        name: Its name.
        key: The key for which it is broken.
        trace: The run.
    """
    seen = trace.matches[name, key]
    last_seq, last, _ = seen[-1]
    if isinstance(invariant, Never):
        return Broken(name, f"{last} happened (seq {last_seq})")
    if isinstance(invariant, Ordered):
        first = invariant.first.selector
        what = " ".join(each for each in (first.target, first.operation) if each)
        claim = f"{last} happened for key {key} (seq {last_seq}) without {what} before it"
        return Broken(name, claim)
    if isinstance(invariant, NotBoth):
        first_seq, first_shown, _ = next(each for each in seen if each[2] != seen[-1][2])
        claim = f"both {first_shown} and {last} happened for key {key}"
        return Broken(name, f"{claim} (seq {first_seq} and {last_seq})")
    if len(seen) == 1:
        return Broken(name, f"{last} (seq {last_seq})")
    times = "twice" if len(seen) == 2 else f"{len(seen)} times"
    seqs = [str(seq) for seq, _, _ in seen]
    listed = f"{', '.join(seqs[:-1])} and {seqs[-1]}"
    if invariant is None:
        claim = f"{seen[0][1]} happened {times} from the same place, without an idempotency key"
        return Broken(name, f"{claim} (seq {listed})")
    return Broken(name, f"{seen[0][1]} happened {times} for key {key} (seq {listed})")
