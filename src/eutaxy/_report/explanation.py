"""What else is known of a violation, as text and for programs."""

from __future__ import annotations

from eutaxy._base.display import visible
from eutaxy._base.value import Plain
from eutaxy._base.verdict import Explanation, FaultMark, Passing


def explanation_paragraphs(explanation: Explanation | None) -> list[list[str]]:
    """The paragraphs below the schedule; none when nothing was asked for or nothing is known."""
    if explanation is None:
        return []
    return [_nearest(explanation), _model(explanation)]


def _model(explanation: Explanation) -> list[str]:
    """What of the model of the platform the schedule rests on."""
    decisive = [f"{each.name} = {each.value}" for each in explanation.switches if each.is_decisive]
    lines: list[str] = []
    if explanation.rules:
        lines.append(f"Rules in play: {', '.join(explanation.rules)}")
    if decisive:
        lines.append(f"With other switches it goes otherwise: {', '.join(decisive)}")
    return lines


def _nearest(explanation: Explanation) -> list[str]:
    passing = explanation.passing
    if passing is not None:
        lines = [f"It passes {_how(passing)} (run seed {passing.token})"]
        lines += [f"  {visible(mark.text)}" for mark in passing.faults]
        return lines + [f"  redelivery of {visible(name)}" for name in passing.redelivered]
    if explanation.moved == 1:
        return ["It fails too with a fault moved to the one other effect that was tried"]
    if explanation.moved:
        return [f"It fails too in each of {explanation.moved} schedules with one fault moved"]
    return []


def _how(passing: Passing) -> str:
    what = passing.was.fault.value
    number = abs(passing.effects)
    if not number:
        return f"with the {what} on the other side of effect #{passing.now.effect_number}"
    effects = "1 effect" if number == 1 else f"{number} effects"
    return f"with the {what} {effects} {'later' if passing.effects > 0 else 'earlier'}"


def explanation_json(explanation: Explanation | None) -> Plain:
    """The same for programs; null when nothing was asked for."""
    if explanation is None:
        return None
    passing = explanation.passing
    return {
        "passing": None if passing is None else _passing(passing),
        "moved": explanation.moved,
        "switches": [
            {"name": each.name, "value": each.value, "isDecisive": each.is_decisive}
            for each in explanation.switches
        ],
        "rules": list(explanation.rules),
    }


def _passing(passing: Passing) -> Plain:
    return {
        "faults": [fault_json(mark) for mark in passing.faults],
        "redelivered": list(passing.redelivered),
        "was": fault_json(passing.was),
        "now": fault_json(passing.now),
        "effectsLater": passing.effects,
        "token": passing.token,
    }


def fault_json(mark: FaultMark) -> Plain:
    """A fault and where it struck."""
    return {
        "fault": mark.fault.value,
        "activation": mark.activation,
        "effectNumber": mark.effect_number,
        "effect": mark.effect,
        "text": mark.text,
    }
