"""A verdict as the text that people read.

The text depends on the verdict alone: no time of day, no duration, no machine, so two runs of the
same check can be compared byte for byte.
"""

from __future__ import annotations

from collections import Counter
from typing import assert_never

from eutaxy._base.bounds import Bounds
from eutaxy._base.display import visible
from eutaxy._base.verdict import Coverage, Level, Verdict, VerdictKind, Violation
from eutaxy._report.causes import by_cause
from eutaxy._report.explanation import explanation_paragraphs
from eutaxy._report.regressions import regression_lines


def verdict_text(verdict: Verdict, *, replay_path: str) -> str:
    """Write the whole report of one check.

    Args:
        verdict: What the check says.
        replay_path: The scenario file as it is written on a command line, quoted for the shell; it
            goes into the command that repeats a violation.

    Returns:
        Lines, the last one ended too.
    """
    name, seed = visible(verdict.scenario), visible(verdict.seed)
    paragraphs = [[f"{verdict.kind.value}  {name}  (seed {seed})"]]
    match verdict.kind:
        case VerdictKind.VIOLATED:
            printed = Counter(violation.invariant for violation in verdict.violations)
            for violation, heading in by_cause(verdict.violations):
                siblings = printed[violation.invariant] - 1
                paragraphs += [heading, *_violation(violation, siblings, replay_path)]
            paragraphs.append(_vacuous(verdict))
        case VerdictKind.BOUNDED:
            paragraphs += [_bounded(verdict), _vacuous(verdict), _coverage(verdict)]
        case VerdictKind.INCONCLUSIVE:
            paragraphs += [_inconclusive(verdict), _vacuous(verdict), _coverage(verdict)]
        case VerdictKind.UNFAITHFUL:
            paragraphs.append(["No claim can be made about this code:", *_reasons(verdict)])
        case _:
            assert_never(verdict.kind)
    paragraphs += [regression_lines(verdict), _suspicions(verdict)]
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines) + "\n"


def _suspicions(verdict: Verdict) -> list[str]:
    """What looked wrong on the way; beside the verdict, never part of it."""
    lines: list[str] = []
    for each in verdict.suspicions:
        where = f"{visible(each.place)}: " if each.place else ""
        lines.append(f"Suspicious ({each.rule}): {where}{visible(each.text)}")
    if lines:
        lines.append('(silence a rule with silenced: ["RULE"] in the scenario)')
    return lines


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 fault`, `26,364 worlds`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _violation(violation: Violation, siblings: int, replay_path: str) -> list[list[str]]:
    kept = ", ".join(visible(name) for name in violation.kept) or "none"
    lines = [f"Schedule (run seed {violation.token}), events kept: {kept}"]
    lines += [f"  {visible(mark.text)}" for mark in violation.faults]
    lines += [f"  redelivery of {visible(name)}" for name in violation.redelivered]
    if not violation.faults and not violation.redelivered:
        lines.append("  no fault: this is what happens when nothing goes wrong")
    tail: list[str] = []
    if violation.certificate:
        tail.append(f"Certificate: {violation.certificate}")
    tail += [
        f"Depends on: {visible(name)} (nobody has published it)" for name in violation.depends_on
    ]
    tail += _others(violation.others, siblings)
    tail.append(f"Replay: eutaxy replay {replay_path} {violation.token}")
    return [
        [f"Invariant {visible(violation.invariant)} is violated: {visible(violation.claim)}"],
        lines,
        *explanation_paragraphs(violation.explanation),
        tail,
    ]


def _others(others: int, siblings: int) -> list[str]:
    """Tell of minimal violations of the same invariant that are not in this report."""
    hidden = abs(others) - siblings
    if hidden <= 0:
        return ["Not printed: perhaps others (not all were counted)"] if others < 0 else []
    found = counted(hidden, "other minimal violation")
    at_least = "at least " if others < 0 else ""
    return [f"Not printed: {at_least}{found} (--all shows {'it' if hidden == 1 else 'them'})"]


def _bounded(verdict: Verdict) -> list[str]:
    if not verdict.coverage.compared.is_whole:
        claim = (
            "No schedule up to the complete level violates an invariant, if steps share no "
            "variables: the budget ended before that was seen."
        )
    elif verdict.coverage.is_whole and verdict.coverage.is_reduced:
        claim = (
            "No schedule within the bounds violates an invariant; of those that differ only in "
            "the order of what shares nothing, one was covered."
        )
    elif verdict.coverage.is_whole:
        claim = "No schedule within the bounds violates an invariant; every one was covered."
    else:
        claim = (
            "No schedule up to the complete level violates an invariant. Beyond it the bounds "
            "were not covered."
        )
    return [claim, *_reasons(verdict)]


def _inconclusive(verdict: Verdict) -> list[str]:
    reasons = _reasons(verdict)
    if not reasons and verdict.coverage.complete is None:
        reasons.append("  not even the schedules without faults were covered")
    return ["No violation was found, but no claim can be made:", *reasons] if reasons else []


def _reasons(verdict: Verdict) -> list[str]:
    return [f"  {visible(line)}" for reason in verdict.reasons for line in reason.splitlines()]


def _vacuous(verdict: Verdict) -> list[str]:
    return [
        f"Invariant {visible(name)} is vacuous: it never matched anything, so it was not tested"
        for name in verdict.vacuous
    ]


def _coverage(verdict: Verdict) -> list[str]:
    coverage = verdict.coverage
    lines = [
        f"Bounds          {_bounds(verdict.bounds)}",
        f"Complete level  {_level(coverage)}",
        f"Schedules       {_schedules(coverage)}",
        f"Worlds          {coverage.worlds:,} ({counted(coverage.transitions, 'transition')})",
    ]
    if not coverage.compared.is_whole:
        done, planned = coverage.compared.done, coverage.compared.planned
        lines.append(
            f"Compared        {done:,} of {planned:,} runs, to see that steps share no variables"
        )
    if coverage.apart:
        groups = "; ".join(", ".join(map(visible, group)) for group in coverage.apart)
        lines.append(f"Kept apart      {groups}: they share nothing, so one order stands for all")
    if coverage.orders:
        lines.append(
            "One by one      steps beside each other share nothing, so they were not interleaved; "
            f"run() heard their ends in {counted(coverage.orders, 'other order')}"
        )
    if coverage.sampled is not None:
        sampled = coverage.sampled
        level = at_most(Level(faults=sampled.faults, redeliveries=sampled.redeliveries))
        lines.append(
            f"Drawn           {counted(sampled.runs, 'schedule')} at random with {level}, "
            f"{sampled.distinct:,} different (this covers nothing)"
        )
    if not coverage.is_merging:
        lines.append("Merging         off: an invariant reads the whole trace")
    return lines


def _bounds(bounds: Bounds) -> str:
    level = at_most(Level(faults=bounds.max_faults, redeliveries=bounds.max_redeliveries))
    invocations = counted(bounds.max_concurrent, "invocation")
    return f"{level}, {invocations} at a time; budget {bounds.budget_ms:,} ms"


def _level(coverage: Coverage) -> str:
    if coverage.complete is None:
        return "none"
    level = at_most(coverage.complete)
    return f"{level} (all of the bounds)" if coverage.is_whole else level


def at_most(level: Level) -> str:
    """Write a level: `at most 1 fault, 2 redeliveries`."""
    faults = counted(level.faults, "fault")
    return f"at most {faults}, {counted(level.redeliveries, 'redelivery', 'redeliveries')}"


def _schedules(coverage: Coverage) -> str:
    by_faults = "; ".join(
        f"{counted(faults, 'fault')}: {number:,}"
        for faults, number in enumerate(coverage.schedules)
    )
    total = f"{sum(coverage.schedules):,}"
    return f"{total} ({by_faults})" if by_faults else total
