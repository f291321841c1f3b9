"""Tokens that were cut, garbled or made by something else: each is read, or refused as a token."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

import pytest

from eutaxy._explore.token import PREFIX, Schedule, read_token, write_token
from eutaxy.errors import ReplayError

SCHEDULE = Schedule(
    scenario=b"abc",
    kept=(True, False, True),
    redeliveries_max=1,
    concurrent_max=2,
    profile="local-2026-11",
    path=(0, 0, 3, 0, 200, 1, 0),
    prints=b"\x00\x80\xff\x7f123",
)
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def content_of(token: str) -> bytes:
    text = token.removeprefix(PREFIX).upper()
    return base64.b32decode(text + "=" * (-len(text) % 8))[:-2]


def token_of(content: bytes) -> str:
    """A token of any content, with the check that goes with it."""
    body = content + hashlib.blake2b(content, digest_size=2).digest()
    return PREFIX + base64.b32encode(body).decode().rstrip("=").lower()


def is_read(token: str) -> bool:
    """Whether a token is read; if not, it is refused as one."""
    try:
        schedule = read_token(token)
    except ReplayError:
        return False
    assert len(schedule.prints) == len(schedule.path)
    return True


def test_every_truncation_is_refused() -> None:
    token = write_token(SCHEDULE)
    assert is_read(token)
    assert not any(is_read(token[:length]) for length in range(len(token)))


def test_every_change_of_one_character_is_read_or_refused() -> None:
    token = write_token(SCHEDULE)
    for at in range(len(PREFIX), len(token)):
        for typed in ALPHABET:
            is_read(token[:at] + typed + token[at + 1 :])


# The check of two bytes keeps garbled content out by chance only, and not what another version
# of eutaxy wrote.
def test_every_truncation_with_a_check_that_fits_is_refused() -> None:
    content = content_of(write_token(SCHEDULE))
    assert is_read(token_of(content))
    assert not any(is_read(token_of(content[:length])) for length in range(len(content)))
    assert not is_read(token_of(content + b"x"))


def test_every_changed_byte_with_a_check_that_fits_is_read_or_refused() -> None:
    content = content_of(write_token(SCHEDULE))
    count = sum(
        is_read(token_of(content[:at] + bytes([byte]) + content[at + 1 :]))
        for at in range(len(content))
        for byte in range(256)
    )
    assert 0 < count < 256 * len(content)


@pytest.mark.parametrize("at", range(3, 9))
def test_numbers_that_no_run_has_take_no_memory(at: int) -> None:
    content = content_of(write_token(SCHEDULE))
    huge = b"\xff" * 9 + b"\x01"
    assert not is_read(token_of(content[:at] + huge + content[at + 1 :])) or at == 4


def test_a_bound_that_no_check_has_is_refused() -> None:
    assert not is_read(write_token(replace(SCHEDULE, concurrent_max=0)))
    assert not is_read(write_token(replace(SCHEDULE, redeliveries_max=101)))
