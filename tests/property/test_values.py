"""The tagged codec and durations, on arbitrary values."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from eutaxy._base.duration import UNITS_MS, parse_duration
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._base.value_parts import compose, part

texts = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=8)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2**53), 2**53).filter(lambda x: x != 0)
    | texts
)
plains: st.SearchStrategy[Plain] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def _joined(plain: Plain) -> Plain:
    """Surrogate halves that meet are one character, as in JavaScript."""
    if isinstance(plain, str):
        return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(plain, list):
        return [_joined(item) for item in plain]
    if isinstance(plain, dict):
        return {str(_joined(key)): _joined(item) for key, item in plain.items()}
    return plain


@given(plain=plains)
def test_a_value_is_read_back_as_it_was_written(plain: Plain) -> None:
    assert decode(encode(plain)) == _joined(plain)


@given(plain=plains)
def test_writing_is_canonical_and_fits_any_pipe(plain: Plain) -> None:
    value = encode(plain)
    assert encode(decode(value)) == value
    assert value.encode().decode() == value
    assert "\n" not in value


@given(plain=plains)
def test_integral_numbers_have_no_fraction(plain: Plain) -> None:
    if isinstance(plain, float) and plain.is_integer() and abs(plain) < 2**53:
        assert encode(plain) == encode(int(plain))


names = st.lists(st.text(max_size=4), min_size=1, max_size=3, unique=True)

shared = st.sampled_from(
    [
        Value('[[1],{"$":"ref","to":1}]'),
        Value('{"a":{"b":[]},"c":{"$":"ref","to":2}}'),
        Value('{"self":{"$":"ref","to":0}}'),
    ]
)


@given(given_names=names, data=st.data())
def test_parts_that_were_put_together_come_out_as_they_were(
    given_names: list[str], data: st.DataObject
) -> None:
    """Also with references inside them, which count the objects of the whole value."""
    parts = [(name, data.draw(plains.map(encode) | shared)) for name in given_names]
    whole = compose(parts)
    for name, value in parts:
        if "$" in value and '"ref"' not in value:
            continue  # text that only looks like a tag
        assert part(whole, name) == value
    assert part(whole, "\x00 no such name") is None


@given(number=st.integers(0, 10**6), unit=st.sampled_from(sorted(UNITS_MS)), plural=st.booleans())
def test_a_number_and_a_unit(number: int, unit: str, *, plural: bool) -> None:
    written = f"{number} {unit}{'s' if plural else ''}"
    duration = parse_duration(written)
    assert duration.ms == number * UNITS_MS[unit]
    assert duration.unknown_unit == ""


@given(number=st.floats())
def test_a_number_is_milliseconds(number: float) -> None:
    expected = int(number) if math.isfinite(number) else None
    assert parse_duration(number).ms == expected


@given(text=st.text(max_size=20))
def test_any_text_is_a_duration_or_is_not(text: str) -> None:
    ms = parse_duration(text).ms
    assert ms is None or isinstance(ms, int)
