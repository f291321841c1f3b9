"""What the user declares, as plain frozen data; the same whether written in TypeScript or
Python."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.bounds import Bounds
from eutaxy._base.value import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowSetup:
    """One Workflow binding and the class that its instances run.

    `place` (here and below) is where the user wrote it, "expenses.sim.ts:18:10", for messages.
    """

    binding: str
    class_name: str
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One driver request. `url` is absolute; header names are lower case; body is text, bytes or
    null as a value. `after_ms` is the virtual time since the previous driver event; `has_time`
    tells whether the user named it (else events are a second apart, or overlap)."""

    name: str
    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: Value
    after_ms: int = 1_000
    has_time: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CannedResponse:
    """An answer that an external gives: `body` is text (with `content-type` already in `headers`).

    `once` is a request ("POST /charges") that the service must have applied before it answers so;
    empty when there is no such condition. The first response that matches is given.
    """

    method: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    once: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A service outside, known by host name. `dedupe_by` is the lower-case name of the request
    header whose value it deduplicates by; None when it promises nothing."""

    name: str
    host: str
    dedupe_by: str | None
    responses: tuple[CannedResponse, ...]
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchCallSelector:
    """Requests applied by an external, by method (None: any)."""

    external: str
    method: str | None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRows:
    """The instances of a Workflow at the end of the run, one row each:
    {"id", "status", "params", "output", "error"}."""

    binding: str
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMostOncePerKey:
    """For each value at `key_path` ("args.body.expenseId"), at most one selected effect happens."""

    name: str
    selector: FetchCallSelector
    key_path: str
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique:
    """At rest, no two rows have the same value at `key_path`."""

    name: str
    rows: WorkflowRows
    key_path: str
    place: str = ""


Invariant = AtMostOncePerKey | Unique


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A whole scenario.

    Args:
        name: As printed; also the default seed.
        path: The scenario file, as the user named it.
        entry: Absolute path of the Worker's entry file.
        config: Absolute path of wrangler.jsonc / wrangler.toml.
        setup: Bindings that exist in the model.
        drive: What the outside does, in order.
        externals: Declared services.
        invariants: Claims to check.
        bounds: Limits.
        downtime_ms: Virtual time until a crashed activation comes back.
    """

    name: str
    path: str
    entry: str
    config: str
    setup: tuple[WorkflowSetup, ...]
    drive: tuple[HttpRequest, ...]
    externals: tuple[External, ...]
    invariants: tuple[Invariant, ...]
    bounds: Bounds
    downtime_ms: int = 1_000
