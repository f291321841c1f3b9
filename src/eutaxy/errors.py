"""The public error tree and the exit codes.

Every message has three parts, kept as attributes: what was being done, what was found (against
what was expected), and what to do next. A violated invariant is a verdict, not an error.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the `eutaxy` command returns to the shell."""

    BOUNDED = 0
    VIOLATED = 1
    USAGE = 2
    INCONCLUSIVE = 3
    UNFAITHFUL = 4
    REFUTED = 5
    INTERNAL = 70


class EutaxyError(Exception):
    """The root of all errors that eutaxy raises on purpose.

    Args:
        doing: What was being done, to which thing ("loading ./expenses.sim.ts").
        found: What was found, and what was expected instead, with the alternatives.
        remedy: What the reader can do next; a setting, a command or an edit.
        place: File and position of the cause ("worker.ts:12:5"); empty when there is none.
    """

    exit_code = ExitCode.INTERNAL

    def __init__(self, doing: str, found: str, remedy: str, *, place: str = "") -> None:
        self.doing = doing
        self.found = found
        self.remedy = remedy
        self.place = place
        super().__init__(doing, found, remedy)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.doing}: {self.found}\n  {self.remedy}"


class ScenarioError(EutaxyError):
    """The user's input cannot be used: a scenario, a config, a Worker or an option."""

    exit_code = ExitCode.USAGE


class LedgerError(EutaxyError):
    """A ledger cannot be written or read, or something in it does not hold.

    Args:
        is_refuted: It was read, and does not hold.
    """

    exit_code = ExitCode.USAGE

    def __init__(
        self, doing: str, found: str, remedy: str, *, place: str = "", is_refuted: bool = False
    ) -> None:
        super().__init__(doing, found, remedy, place=place)
        if is_refuted:
            self.exit_code = ExitCode.REFUTED


class ReplayError(EutaxyError):
    """A token does not fit the scenario or the code that it is replayed on."""

    exit_code = ExitCode.USAGE


class HostError(EutaxyError):
    """The process that runs user code failed: it died, hung, or broke the protocol."""

    exit_code = ExitCode.UNFAITHFUL


class ProtocolError(HostError):
    """A host answered with something the contract does not allow; our bug, or a broken host."""

    exit_code = ExitCode.INTERNAL


class UnmodelledError(EutaxyError):
    """User code used something that the model lacks. It is never guessed silently."""

    exit_code = ExitCode.UNFAITHFUL


class UnfaithfulError(EutaxyError):
    """User code is not a pure function of what it observed (two evaluations differed)."""

    exit_code = ExitCode.UNFAITHFUL


class InternalError(EutaxyError):
    """A bug in eutaxy itself."""

    exit_code = ExitCode.INTERNAL
