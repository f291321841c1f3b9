"""What a step call is refused for before anything else happens (2.2 point 1, 1.5).

The texts are those of the platform: user code can see them, and some matches on them.
"""

from __future__ import annotations

import json

from eutaxy._base.code import Effect, Threw
from eutaxy._base.value import Plain
from eutaxy._base.value_json import UNDEFINED_TREE
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.config import StepConfig, resolve_config
from eutaxy._platform.workflows.turn import Turn

NAME_LENGTH_MAX = 256
CALLED = ("called", "")
"""Under this name the step calls of a lifetime are counted (R-LIM-1)."""

_GUIDE = "https://developers.cloudflare.com/workflows/build/sleeping-and-retrying/"


def step_refusal(turn: Turn, effect: Effect, args: dict[str, Plain]) -> Threw | None:
    """Why a `step.do` is refused, in the order of the engine's checks; None when it may run."""
    shown = effect.name
    if args.get("hasCallback") is not True:
        return errors.fatal(f'Step "{shown}" requires a callback function')
    rollback = _rollback_refusal(turn, shown, args)
    if rollback is not None:
        return rollback
    if turn.rollback is not None and turn.profile.step_dies_with_run and not turn.rollback.reply:
        return errors.plain("Attempted to use RPC stub after it has been disposed.")
    if turn.rollback is not None:
        return errors.fatal("Cannot execute steps during rollback phase")
    called = turn.counts.get(CALLED, 0) + 1
    turn.counts[CALLED] = called
    if called > turn.identity.steps_max:
        return errors.fatal(
            f"The limit of {turn.identity.steps_max} steps has been reached. This limit can be "
            "changed in your worker configuration."
        )
    name = named(effect, args)
    if name is None or name == UNDEFINED_TREE:
        what = "null" if name is None else "undefined"
        return errors.plain(f"Cannot read properties of {what} (reading 'length')", "TypeError")
    if isinstance(name, str) and not is_name(name):
        return errors.fatal(
            f'Step name "{name}" exceeds max length ({NAME_LENGTH_MAX} chars) or invalid '
            "characters found"
        )
    if resolved(turn, args) is None:
        return errors.fatal(f'Step config for "{shown}" is in a invalid format. See {_GUIDE}')
    return None


def _rollback_refusal(turn: Turn, shown: str, args: dict[str, Plain]) -> Threw | None:
    rollback = args.get("rollback", UNDEFINED_TREE)
    if args.get("isValidRollback") is False:
        return errors.fatal(f'Rollback options for "{shown}" must be an object')
    if not isinstance(rollback, dict) or rollback == UNDEFINED_TREE:
        return None
    if rollback.get("hasHandler") is not True:
        return errors.fatal(f'Rollback for "{shown}" must be a function')
    if resolved_rollback(turn, rollback) is None:
        return errors.fatal(f'Rollback config for "{shown}" is in a invalid format. See {_GUIDE}')
    return None


def named(effect: Effect, args: dict[str, Plain]) -> Plain:
    """The name that user code gave, also when it was a number, true, null or undefined."""
    if args.get("nameIsText") is not False:
        return effect.name
    if effect.name == "undefined":
        return UNDEFINED_TREE
    try:
        found: Plain = json.loads(effect.name)
    except ValueError:
        return effect.name
    return found


def is_name(name: str) -> bool:
    """Whether text may be a step name (1.5)."""
    return len(name) <= NAME_LENGTH_MAX and not any(char < " " for char in name)


def resolved(turn: Turn, args: dict[str, Plain]) -> StepConfig | None:
    """The configuration of a step call; None when it is invalid."""
    return resolve_config(
        args.get("config"),
        has_delay_function=args.get("hasDelayFunction") is True,
        profile=turn.profile,
    )


def resolved_rollback(turn: Turn, rollback: dict[str, Plain]) -> StepConfig | None:
    """The configuration of a rollback handler; None when it is invalid."""
    return resolve_config(rollback.get("config"), has_delay_function=False, profile=turn.profile)
