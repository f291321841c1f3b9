"""The scenario API in Python: its examples, and the places that it notes."""

from __future__ import annotations

import doctest
from pathlib import Path

from eutaxy import cloudflare
from eutaxy._base.declaration import Declaration
from eutaxy._declare import drive, externals, invariants, scenario, selectors


def test_the_examples_run() -> None:
    for module in (cloudflare, drive, externals, invariants, scenario, selectors):
        result = doctest.testmod(module)
        assert result.attempted >= 1
        assert result.failed == 0


def test_a_call_notes_where_it_begins() -> None:
    text = "x = [\n  workflow(\n    'A',\n    'B',\n  ),\n  http([]), workflow_rows('A')\n]\n"
    names = dict(vars(cloudflare))
    exec(compile(text, "/somewhere/a.py", "exec"), names)  # noqa: S102 - text of this test
    places = [declared.place for declared in names["x"]]
    assert places == ["/somewhere/a.py:2:3", "/somewhere/a.py:6:3", "/somewhere/a.py:6:13"]


def test_members_have_the_names_of_typescript() -> None:
    rows = cloudflare.workflow_rows("ORDERS")
    assert cloudflare.unique("one-run", rows, "params.id")[::2] == (
        "unique",
        {"name": "one-run", "rows": rows, "keyPath": "params.id"},
    )


def test_bodies_do_not_change_what_was_given() -> None:
    request: cloudflare.Request = {"path": "/", "body": {"id": 1}}
    drive: Declaration = cloudflare.http([request])
    assert request == {"path": "/", "body": {"id": 1}}
    assert drive.members == {"requests": [{"path": "/", "body": {"json": '{"id":1}'}}]}
    assert Path(drive.place.rsplit(":", 2)[0]) == Path(__file__)
