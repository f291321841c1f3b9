"""Which platform behaviour is modelled: a profile is a set of switches.

`prod` is documented production behaviour; where the documentation is silent it is what the local engine
does, without bugs that are known to be local.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Switches of the Workflows engine.

    Args:
        name: As printed.
        retry_delay_ms: Default delay before a retry (DIFF-03).
        hibernate_after_ms: A wait at least this long ends the lifetime (R-HIB-1, R-HIB-4); None:
            never (DIFF-06).
        result_bytes_max: Largest step result, in bytes of its encoded form (R-RES-4, DIFF-11).
        is_terminal_send_refused: `sendEvent` to a terminal instance rejects (R-EV-8, DIFF-08).
        is_non_retryable_cached: A non-retryable failure is remembered (R-NR-3, DIFF-19).
        steps_max: Most `do` calls in one lifetime (R-LIM-1).
    """

    name: str = "prod"
    retry_delay_ms: int = 10_000
    hibernate_after_ms: int | None = 300_000
    result_bytes_max: int = 2**20
    is_terminal_send_refused: bool = True
    is_non_retryable_cached: bool = False
    steps_max: int = 10_000


PROD = Profile()
