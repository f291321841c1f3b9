"""What a broken invariant says, with the seqs of what broke it."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.scenario import Invariant, Never, NotBoth, Ordered
from eutaxy._base.value import Value
from eutaxy._check.monitors import RepeatMonitor
from eutaxy._explore.trace import Trace


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken invariant with what happened.

    Args:
        invariant: Its name.
        claim: What happened.
        reason: The same without seqs, equal in runs that break it in the same way; None where that
            cannot be told: for predicates.
    """

    invariant: str
    claim: str
    reason: str | None


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
        return _broken(name, f"{last} happened", [last_seq])
    if isinstance(invariant, Ordered):
        return _too_early(invariant, key, seen)
    if isinstance(invariant, NotBoth):
        first_seq, first_shown, _ = next(each for each in seen if each[2] != seen[-1][2])
        reason = f"both {first_shown} and {last} happened for key {key}"
        return _broken(name, reason, [first_seq, last_seq])
    counted = [each for each in seen if each[2] == 0]
    times = "twice" if len(counted) == 2 else f"{len(counted)} times"
    seqs = [seq for seq, _, _ in counted]
    if invariant is not None:
        return _broken(name, f"{counted[0][1]} happened {times} for key {key}", seqs)
    if name != RepeatMonitor.name:
        return _broken(name, last, [last_seq])
    told = f"{last} happened {times} from the same place, without an idempotency key"
    return _broken(name, told, seqs)


def _too_early(invariant: Ordered, key: Value, seen: list[tuple[int, str, int]]) -> Broken:
    seq, shown, _ = next(each for each in seen if each[2] == 1)
    first = invariant.first.selector
    what = " ".join(each for each in (first.target, first.operation) if each) or "the response"
    happened, missing = f"{shown} happened for key {key}", f"without {what} before it"
    return Broken(invariant.name, f"{happened} (seq {seq}) {missing}", f"{happened} {missing}")


def _broken(name: str, reason: str, seqs: list[int]) -> Broken:
    listed = ", ".join(str(seq) for seq in seqs[:-1])
    shown = f"{listed} and {seqs[-1]}" if listed else f"{seqs[-1]}"
    return Broken(name, f"{reason} (seq {shown})", reason)
