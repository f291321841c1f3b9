"""Which platform behaviour is modelled: a profile is a set of named switches.

`prod` is documented production behaviour; where the documentation is silent it is what the local
engine does, without the bugs that are known to be local. The `local-...` profiles are published
versions of the local engine, bugs included. `UNKNOWN` lists the switches whose production value
nobody has published; their default is the adversarial one, and a violation that depends on one
says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eutaxy.errors import ScenarioError


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Switches of the Workflows engine.

    Args:
        name: As printed.
        retry_delay_ms: Default delay before a retry (DIFF-03).
        hibernate_after_ms: A wait at least this long ends the lifetime (R-HIB-1, R-HIB-4,
            DIFF-06); None:
            never.
        result_bytes_max: Largest step result, in bytes of its encoded form (R-RES-4, DIFF-11).
        create_refuses_existing: `create` with a used id rejects (R-CR-2, R-CR-3, DIFF-01).
        sleep_key_has_duration: The duration is part of a sleep's identity, and `sleepUntil` is
            computed
            anew in each lifetime (R-ID-2, R-SL-5, DIFF-04).
        pause_is_visible: Pausing throws an abort error into user code (R-LC-5, DIFF-05).
        consumed_events_stay: A consumed event is delivered again after a new lifetime (R-EV-10,
            DIFF-07).
        terminal_send_refused: `sendEvent` to an ended instance rejects (R-EV-8, DIFF-08).
        engine_wakes: Timers and crashes start an engine by themselves (R-HIB-2, DIFF-09).
        unserialisable_is_fatal: Every result that cannot be stored ends the instance (R-RES-3,
            DIFF-10);
            otherwise only functions, responses and stubs do.
        names_are_checked: Names of sleeps and waits and event types are validated (DIFF-12).
        status_is_local: `status()` has the local shape (DIFF-15).
        waiting_is_reported: A suspended instance is `waiting` (DIFF-17); otherwise `running`.
        non_retryable_is_cached: A non-retryable failure is remembered (R-NR-3, DIFF-19). Unknown.
        restart_is_atomic: Restarting from inside a step works (R-LC-10, DIFF-21). Unknown.
        recovery_checks_limit: After a crash in the last allowed attempt the step fails instead of
            getting one attempt more (R-RT-4). Unknown.
        oversize_is_retried: A too large result is a failure like any other (R-RES-4). Unknown.
        callbacks_outlive_abort: Calls under way may land after the engine was aborted (DIFF-22).
        kinds_share_keys: Steps, sleeps and waits whose names happen to spell the same key share a
            record (R-ID-4, DIFF-16).
        steps_outlive_run: A step left behind when `run` ended goes on, retries included (R-RUN-1).
        step_dies_with_run: Steps called while handlers undo what a failed `run` did meet a
            disposed stub (1.7); otherwise they are refused.
        undefined_timeout_fails: `timeout: undefined` in a step config makes each attempt fail
            (1.5).
        non_retryable_keeps_permit: A step that ended by a NonRetryableError counts as running for
            the rest of the lifetime, so that no pause takes effect (R-LC-2).
        thrown_objects_are_marked: A thrown object that is no error gets the properties `remote` and
            `durableObjectId` on its way (R-ERR-2).
        interruptions_are_logged: Subscriptions hear of an attempt that a crash cut off as of one
            that failed (DIFF-18).
        retention_ends: An instance is forgotten when the retention that `create` was given is over
            (R-RUN-5).
        bigint_breaks_log: A BigInt breaks the log as a value that contains itself does (R-RES-1).
        run_result_is_loose: An instance whose `run` returns a function or a Response is complete
            (R-RES-6).
        batch_is_list: `createBatch` takes a list and nothing else, of any length (R-CR-8, R-CR-9,
            DIFF-13).
        steps_max: Most `do` calls in one lifetime (R-LIM-1), unless the config says otherwise.
    """

    name: str = "prod"
    retry_delay_ms: int = 10_000
    hibernate_after_ms: int | None = 300_000
    result_bytes_max: int = 2**20
    create_refuses_existing: bool = True
    sleep_key_has_duration: bool = False
    pause_is_visible: bool = False
    consumed_events_stay: bool = False
    terminal_send_refused: bool = True
    engine_wakes: bool = True
    unserialisable_is_fatal: bool = True
    names_are_checked: bool = True
    status_is_local: bool = False
    waiting_is_reported: bool = True
    non_retryable_is_cached: bool = False
    restart_is_atomic: bool = True
    recovery_checks_limit: bool = False
    oversize_is_retried: bool = True
    callbacks_outlive_abort: bool = True
    kinds_share_keys: bool = False
    steps_outlive_run: bool = False
    step_dies_with_run: bool = False
    undefined_timeout_fails: bool = False
    non_retryable_keeps_permit: bool = False
    thrown_objects_are_marked: bool = False
    interruptions_are_logged: bool = True
    retention_ends: bool = True
    bigint_breaks_log: bool = False
    run_result_is_loose: bool = False
    batch_is_list: bool = False
    steps_max: int = 10_000


PROD = Profile()

LOCAL_2026_11 = Profile(
    name="local-2026-11",
    retry_delay_ms=1_000,
    hibernate_after_ms=None,
    result_bytes_max=16 * 2**20,
    sleep_key_has_duration=True,
    pause_is_visible=True,
    consumed_events_stay=True,
    terminal_send_refused=False,
    engine_wakes=False,
    unserialisable_is_fatal=False,
    names_are_checked=False,
    status_is_local=True,
    waiting_is_reported=False,
    restart_is_atomic=False,
    callbacks_outlive_abort=False,
    kinds_share_keys=True,
    steps_outlive_run=True,
    step_dies_with_run=True,
    undefined_timeout_fails=True,
    non_retryable_keeps_permit=True,
    thrown_objects_are_marked=True,
    interruptions_are_logged=False,
    retention_ends=False,
)

LOCAL_2026_08 = replace(
    LOCAL_2026_11,
    name="local-2026-08",
    result_bytes_max=4 * 2**20,
    create_refuses_existing=False,
    bigint_breaks_log=True,
    run_result_is_loose=True,
    batch_is_list=True,
)

PROFILES = {each.name: each for each in (PROD, LOCAL_2026_08, LOCAL_2026_11)}

UNKNOWN = (
    "non_retryable_is_cached",
    "restart_is_atomic",
    "recovery_checks_limit",
    "oversize_is_retried",
)
"""Switches whose production value is unknown (section 3.4 of the catalogue)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The Workflows engine of one Worker: a profile, and what the Worker's config says.

    Args:
        profile: Behaviour of the platform.
        names: Binding to the configured name of its Workflow; a missing one is called as its
            binding.
        steps_max: Binding to its configured `limits.steps`.
        errors_are_enhanced: Errors keep name and properties across steps (R-ERR-2).
        non_retryable_message_kept: An instance shows the message of its NonRetryableError (R-NR-2).
        one_by_one: Steps that run beside each other are taken one after another (`step_order`).
    """

    profile: Profile = PROD
    names: Mapping[str, str] = field(default_factory=dict)
    steps_max: Mapping[str, int] = field(default_factory=dict)
    errors_are_enhanced: bool = True
    non_retryable_message_kept: bool = True
    one_by_one: bool = False


def flipped(profile: Profile, name: str) -> Profile:
    """The profile with one of the `UNKNOWN` switches the other way round."""
    match name:
        case "non_retryable_is_cached":
            return replace(profile, non_retryable_is_cached=not profile.non_retryable_is_cached)
        case "restart_is_atomic":
            return replace(profile, restart_is_atomic=not profile.restart_is_atomic)
        case "recovery_checks_limit":
            return replace(profile, recovery_checks_limit=not profile.recovery_checks_limit)
        case _:
            assert name == "oversize_is_retried"
            return replace(profile, oversize_is_retried=not profile.oversize_is_retried)


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        ScenarioError: There is none.
    """
    if name not in PROFILES:
        raise ScenarioError(
            f"choosing the profile {name!r}",
            f"there is no such profile; there are {', '.join(PROFILES)}",
            "use one of these names",
        )
    return PROFILES[name]
