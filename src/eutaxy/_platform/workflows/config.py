"""Step configuration: what users may pass, merged with the defaults (1.5)."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.duration import parse_duration
from eutaxy._base.value import Plain
from eutaxy._platform.workflows.profile import Profile

UNDEFINED: dict[str, Plain] = {"$": "undefined"}

BACKOFFS = ("constant", "linear", "exponential")

DEFAULT_LIMIT = 5
RETRIES_MAX = 10_000
"""Most retries that production allows (R-RT-6)."""
DEFAULT_TIMEOUT = "10 minutes"
DEFAULT_TIMEOUT_MS = 600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StepConfig:
    """A resolved configuration.

    Args:
        limit: Retries allowed (R-RT-1); fractions are legal.
        delay: The delay as written (number of ms or text); None when it is a function.
        delay_ms: The delay in ms; None when it is a function.
        backoff: "constant", "linear" or "exponential"; None when written as undefined (R-RT-3).
        timeout: The timeout as written; None when written as undefined, where that fails (1.5).
        timeout_ms: The timeout in ms; None likewise.
        is_sensitive: `sensitive: "output"` was given.
    """

    limit: float
    delay: int | float | str | None
    delay_ms: int | None
    backoff: str | None
    timeout: int | float | str | None
    timeout_ms: int | None
    is_sensitive: bool = False

    def shown(self) -> dict[str, Plain]:
        """The configuration as `ctx.config` shows it (1.5): no `delay` when it is a function."""
        retries: dict[str, Plain] = {"limit": self.limit}
        retries["backoff"] = self.backoff if self.backoff is not None else UNDEFINED
        if self.delay is not None:
            retries["delay"] = self.delay
        timeout = UNDEFINED if self.timeout is None else self.timeout
        tree: dict[str, Plain] = {"retries": retries, "timeout": timeout}
        if self.is_sensitive:
            tree["sensitive"] = "output"
        return tree

    def delay_after(self, attempt: int, base_ms: int) -> int:
        """Delay after failed attempt number `attempt` (R-RT-2, R-RT-3)."""
        if self.backoff == "exponential":
            return int(base_ms * 2 ** (attempt - 1))
        if self.backoff == "linear":
            return base_ms * attempt
        return base_ms


def resolve_config(
    written: Plain, *, has_delay_function: bool, profile: Profile
) -> StepConfig | None:
    """Merge a user's configuration with the defaults; None when it is invalid.

    Args:
        written: Decoded `config` (undefined and null count as empty); a function delay is left out.
        has_delay_function: Whether `retries.delay` is a function.
        profile: For the default delay (DIFF-03).
    """
    if written is None or written == UNDEFINED:
        written = {}
    if not isinstance(written, dict) or not set(written) <= {"retries", "timeout", "sensitive"}:
        return None
    retries = written.get("retries", UNDEFINED)
    limit: float = DEFAULT_LIMIT
    delay: int | float | str | None = profile.retry_delay_ms
    delay_ms: int | None = profile.retry_delay_ms
    backoff: str | None = "exponential"
    if retries != UNDEFINED:
        if not isinstance(retries, dict) or not set(retries) <= {"limit", "delay", "backoff"}:
            return None
        found = retries.get("limit", UNDEFINED)
        if isinstance(found, bool) or not isinstance(found, int | float) or found < 0:
            return None
        if found > RETRIES_MAX and profile.names_are_checked:
            return None
        limit = found
        if has_delay_function:
            delay = delay_ms = None
        else:
            delay = _duration(retries.get("delay", UNDEFINED), least=0)
            if delay is None:
                return None
            delay_ms = parse_duration(delay).ms
        if "backoff" in retries:
            found = retries["backoff"]
            if found == UNDEFINED:
                backoff = None
            elif isinstance(found, str) and found in BACKOFFS:
                backoff = found
            else:
                return None
    timeout: int | float | str | None = DEFAULT_TIMEOUT
    timeout_ms: int | None = DEFAULT_TIMEOUT_MS
    if "timeout" in written and profile.undefined_timeout_fails:
        timeout = timeout_ms = None
    if written.get("timeout", UNDEFINED) != UNDEFINED:
        found_timeout = _duration(written["timeout"], least=1)
        if found_timeout is None:
            return None
        timeout = found_timeout
        timeout_ms = parse_duration(timeout).ms
    sensitive = written.get("sensitive", UNDEFINED)
    if sensitive not in (UNDEFINED, "output"):
        return None
    return StepConfig(
        limit=limit,
        delay=delay,
        delay_ms=delay_ms,
        backoff=backoff,
        timeout=timeout,
        timeout_ms=timeout_ms,
        is_sensitive=sensitive == "output",
    )


def _duration(found: Plain, *, least: int) -> int | float | str | None:
    if isinstance(found, bool):
        return None
    if isinstance(found, int | float):
        return found if found >= least else None
    if isinstance(found, str) and parse_duration(found).ms is not None:
        return found
    return None
