"""docs/conformance.md is current."""

from __future__ import annotations

from tools.conformance_table import PAGE, page


def test_the_page_is_current() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "run `make docs`"
