"""The canonical text of values, written as JavaScript writes it."""

from __future__ import annotations

import pytest

from eutaxy._base.value import Plain, decode, encode

WRITTEN = [
    (1e-7, "1e-7"),
    (0.000001, "0.000001"),
    (1.5e-5, "0.000015"),
    (1e21, "1e+21"),
    (1e16, "10000000000000000"),
    (2**53 + 1, "9007199254740992"),
    (10**25, "1e+25"),
    (12.5, "12.5"),
    (-3.0, "-3"),
    (-0.0, '{"$":"number","of":"-0"}'),
    (float("-inf"), '{"$":"number","of":"-Infinity"}'),
    ("a\ud800", '"a\\ud800"'),
    ("\udfff\U0001f600", '"\\udfff\U0001f600"'),
    ("\ud83d\ude00", '"\U0001f600"'),
    ('\u2028\x7f\x01"', '"\u2028\x7f\\u0001\\""'),
    ({"k\ud800": [True, None]}, '{"k\\ud800":[true,null]}'),
]


@pytest.mark.parametrize(("plain", "text"), WRITTEN, ids=[text for _, text in WRITTEN])
def test_values_are_written_as_javascript_writes_them(plain: Plain, text: str) -> None:
    assert encode(plain) == text
    assert encode(decode(encode(plain))) == text
