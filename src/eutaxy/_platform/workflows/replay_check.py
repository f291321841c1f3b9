"""Would a replay come to where this lifetime is? (R-PAR-2, F-RUN-3, F-RUN-4)

A replay is given what is stored in the order of the calls, not in the order in which it came.
`run` that depends on the latter, such as a `Promise.race` over steps, may decide differently; so
may one whose step names depend on something that changes. The check runs `run` once more over the
stored results, as a new lifetime would, and compares what was called.
"""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.note import Diagnostic
from eutaxy._platform.workflows.engine import begin
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.state import BODY, Instance, Live, Status
from eutaxy._platform.workflows.turn import Turn


def diagnose_replay(instance: Instance, identity: Identity) -> tuple[Diagnostic, ...]:
    """What a replay from here would do otherwise.

    Args:
        instance: A state with a lifetime that goes on.
        identity: What stays the same for it.
    """
    live = instance.live
    if live is None or live.rollback is not None or instance.status is not Status.RUNNING:
        return ()
    if any(record.has_failed for record in instance.steps):
        # A failure that is not remembered runs again on replay; that is R-NR-3, not a race.
        return ()
    trial = Turn(replace(instance, live=None, back_ms=0), identity)
    begin(trial)
    if BODY in trial.fibers and trial.fibers[BODY].pending:
        # It waits for a call outside of steps, whose answer no replay remembers.
        return ()
    mine = _called(live)
    again = {key: count for key, count in trial.counts.items() if key[1]}
    if mine == again or not trial.is_live:
        return ()
    missing = [key[1] for key, count in mine.items() if again.get(key, 0) < count]
    extra = [key[1] for key, count in again.items() if mine.get(key, 0) < count]
    parts = [f"would not come to {', '.join(map(repr, missing))}"] if missing else []
    parts += [f"would come to {', '.join(map(repr, extra))}"] if extra else []
    text = (
        f"{identity.class_name}: a replay {' and '.join(parts)}: run() depends on the order in "
        "which steps ended, or on something that changes (a Promise.race over steps belongs "
        "inside one step)"
    )
    return (Diagnostic(rule="R-PAR-2", text=text, subject=identity.class_name),)


def _called(live: Live) -> dict[tuple[str, str], int]:
    return {(kind, name): count for kind, name, count in live.counts if name}
