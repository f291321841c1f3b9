"""Programs on which the model does not agree with the real local engine, and why.

Each must still differ just so: an entry whose program agrees by now has to go.
"""

from __future__ import annotations

from dataclasses import dataclass


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
