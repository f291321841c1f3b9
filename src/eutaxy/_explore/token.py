"""Tokens: a schedule as text, for `eutaxy replay`.

A token holds the choices of a run, what decides which choices there are (kept driver events,
bounds), and one byte for each step that fingerprints what happened there. A token that meets
another scenario or changed code is refused at the first step that does not fit.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from eutaxy._base.bounds import COUNT_MAX
from eutaxy._base.note import Note
from eutaxy._explore.path import walk
from eutaxy._explore.trace import Telling, Trace, Tracer
from eutaxy._world.world import Explained
from eutaxy.errors import ReplayError

PREFIX = "e1-"
_EVENTS_MAX = 10_000
"""Most driver events of which a token is believed to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What a token says.

    Args:
        scenario: Fingerprint of the scenario's name.
        kept: For each driver event of the scenario, whether it is kept.
        redeliveries_max: Bound under which the choices were numbered.
        concurrent_max: Bound under which the choices were numbered.
        profile: Platform behaviour under which they were numbered, by name; empty for `prod`.
        path: Index of the choice taken in each world.
        prints: One byte for each step.
    """

    scenario: bytes
    kept: tuple[bool, ...]
    redeliveries_max: int
    concurrent_max: int
    profile: str
    path: tuple[int, ...]
    prints: bytes


def name_print(name: str) -> bytes:
    """Fingerprint of a scenario's name."""
    return hashlib.blake2b(name.encode(), digest_size=3).digest()


def step_print(explained: Explained) -> int:
    """One byte that tells what a step did."""
    digest = hashlib.blake2b(digest_size=1)
    digest.update(str(explained.passed_ms).encode())
    for note in explained.notes:
        if isinstance(note, Note):
            told = (note.kind.value, note.activation, note.text, note.args or "", note.answer or "")
            digest.update("\0".join(told).encode())
    return digest.digest()[0]


def write_token(schedule: Schedule) -> str:
    """A schedule as text."""
    body = bytearray(schedule.scenario)
    for number in (
        len(schedule.kept),
        sum(1 << at for at, is_kept in enumerate(schedule.kept) if is_kept),
        schedule.redeliveries_max,
        schedule.concurrent_max,
        len(schedule.path),
        len(schedule.profile),
    ):
        _write_number(body, number)
    body += schedule.profile.encode()
    turns = [(at, choice) for at, choice in enumerate(schedule.path) if choice]
    _write_number(body, len(turns))
    before = 0
    for at, choice in turns:
        _write_number(body, at - before)
        _write_number(body, choice)
        before = at
    body += schedule.prints
    body += hashlib.blake2b(bytes(body), digest_size=2).digest()
    return PREFIX + base64.b32encode(bytes(body)).decode().rstrip("=").lower()


def read_token(token: str) -> Schedule:
    """Read a token back.

    Raises:
        ReplayError: It is no token of this version, or was cut or mistyped, or says what no run
            can do.
    """
    doing = f"reading token {token[:24]}{'...' if len(token) > 24 else ''}"
    if not token.startswith(PREFIX):
        raise ReplayError(
            doing,
            f"tokens of this version start with {PREFIX!r}",
            "copy the run seed of a report of this version",
        )
    text = token.removeprefix(PREFIX).upper()
    try:
        body = base64.b32decode(text + "=" * (-len(text) % 8))
    except (binascii.Error, ValueError):
        body = b""
    content, check = body[:-2], body[-2:]
    if not content or hashlib.blake2b(content, digest_size=2).digest() != check:
        raise ReplayError(doing, "it is cut off or mistyped", "copy the whole run seed again")
    try:
        return _read_body(content)
    except (IndexError, ValueError):
        raise ReplayError(
            doing,
            "it holds no whole schedule: it is of another version of eutaxy, or was garbled",
            "check the scenario again for a new token",
        ) from None


def _read_body(content: bytes) -> Schedule:
    """What a token says.

    Raises:
        IndexError: It ends too early, or its numbers do not fit one another.
        ValueError: Likewise.
    """
    at = 3

    def take() -> int:
        nonlocal at
        number, at = _read_number(content, at)
        return number

    kept_count, kept_bits, redeliveries, concurrent, length, name_length = (
        take() for _ in range(6)
    )
    profile = content[at : at + name_length].decode()
    at += name_length
    if redeliveries > COUNT_MAX or not 1 <= concurrent <= COUNT_MAX:
        raise ValueError
    # Each step has a byte of its own; a few bytes could ask for more memory than there is.
    if length > len(content) - at or kept_count > _EVENTS_MAX:
        raise ValueError
    turns = take()
    path = [0] * length
    here = 0
    for _ in range(turns):
        here += take()
        path[here] = take()
    if len(content) - at != length:
        raise ValueError
    return Schedule(
        scenario=content[:3],
        kept=tuple(bool(kept_bits >> index & 1) for index in range(kept_count)),
        redeliveries_max=redeliveries,
        concurrent_max=concurrent,
        profile=profile,
        path=tuple(path),
        prints=content[at:],
    )


def prints_of(system: Telling, path: Sequence[int]) -> bytes:
    """Fingerprints of a run."""
    return bytes(step_print(system.explain(world, option)) for world, option in walk(system, path))


def replay_schedule(system: Telling, schedule: Schedule) -> Trace:
    """Execute a schedule strictly.

    Raises:
        ReplayError: A step does not fit; the message tells where, and what the run does instead.
    """
    tracer = Tracer()
    world = system.initial
    for at, number in enumerate(schedule.path):
        options = system.choices(world)
        seq = len(tracer.trace.records)
        if number >= len(options):
            raise _misfit(seq, "the run has no such choice there any more")
        explained = system.explain(world, options[number])
        tracer.take(explained, is_again=options[number].redeliveries > 0)
        if step_print(explained) != schedule.prints[at]:
            told = tracer.trace.records[seq:]
            does = f"{told[0].activation} {told[0].text}" if told else "nothing that is told"
            raise _misfit(seq, f"the code now does {does.strip()}")
        world = explained.world
    return tracer.trace


def _misfit(seq: int, found: str) -> ReplayError:
    return ReplayError(
        f"replaying the token after seq {seq}",
        f"it does not fit this code: {found}",
        "the Worker or the scenario has changed since the report; check it again for a new token",
    )


def _write_number(body: bytearray, number: int) -> None:
    while number > 127:
        body.append(number & 127 | 128)
        number >>= 7
    body.append(number)


def _read_number(content: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = content[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at
