"""Programs on which the model does not agree with the real local engine, and why.

Each must still differ just so: an entry whose program agrees by now has to go.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.conformance.programs import program_names


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Why a program is left out.

    Args:
        rule: Id of the rule that it is about.
        reason: What the model lacks, and why.
        differs: The one difference that is found.
        reports: In place of `differs`: part of the report that the model gives.
    """

    rule: str
    reason: str
    differs: str = ""
    reports: str = ""


EXCEPTIONS: dict[str, LeftOut] = {
    "184-class-fields": LeftOut(
        rule="R-HIB-3",
        reason="variables of a module live on between lifetimes in one process; the model gives "
        "every lifetime a fresh module, as after an eviction",
        differs=".instances.FLOW/a.output[1]: recorded 2, the model says 1",
    ),
}

OLDER_UNRECORDED = {
    "172-create-params": "a BigInt as payload never arrives, and the drive waits for it",
    "175-create-batch-object": "`createBatch` takes no object, and the drive waits for an instance",
    "176-create-batch-count": "`createBatch` takes no object, and the drive waits for instances",
    "244-create-batch-invalid": "whether the valid entry is created is a matter of chance",
    **{
        name: "there is no `subscribe`; the model has it with every profile"
        for name in program_names()
        if "-subscribe" in name
    },
}
"""Programs for which there is no recording of the engine of August 2026, and why."""
