"""Retention: instances that have ended are forgotten after a time, and their ids are free again
(R-RUN-5).

Only a retention that `create` was given is counted down; that of the account or of the config is
days long, and is over only as a fault (F-CR-8). Counting lets no time pass by itself: what nobody
asks for later need not be forgotten.
"""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.duration import parse_duration
from eutaxy._base.value import UNDEFINED, Plain, Value, decode
from eutaxy._base.value_json import UNDEFINED_TREE
from eutaxy._platform.workflows.state import Instance, Retention, Status


def is_retention(tree: Plain) -> bool:
    """Whether that may be the `retention` of an instance: positive durations (1.2)."""
    if tree in (None, UNDEFINED_TREE):
        return True
    if not isinstance(tree, dict) or not set(tree) <= {"successRetention", "errorRetention"}:
        return False
    return all(each == UNDEFINED_TREE or _ms(each) is not None for each in tree.values())


def read_retention(written: Value | None) -> Retention | None:
    """The retention that `create` was given, if it was given any."""
    tree = decode(written or UNDEFINED)
    if not isinstance(tree, dict) or not is_retention(tree):
        return None
    read = Retention(_ms(tree.get("successRetention")), _ms(tree.get("errorRetention")))
    return None if read == Retention() else read


def retained(local: Instance) -> Instance:
    """The instance after a transition: once it has ended, its retention begins."""
    if local.retention is None:
        return local
    if not local.status.is_terminal:
        return local if local.kept_ms is None else replace(local, kept_ms=None)
    if local.kept_ms is not None:
        return local
    is_success = local.status is Status.COMPLETE
    kept_ms = local.retention.success_ms if is_success else local.retention.error_ms
    return replace(local, kept_ms=kept_ms)


def is_forgotten(local: Instance) -> bool:
    """Whether its retention is over."""
    return local.kept_ms == 0


def _ms(written: Plain) -> int | None:
    if isinstance(written, bool) or not isinstance(written, int | str):
        return None
    ms = parse_duration(written).ms
    return ms if ms is not None and ms > 0 else None
