"""docs/model.md names every fault that the search may inject."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import Fault
from tests.meta.tree import ROOT

MODEL = ROOT / "docs" / "model.md"


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_documented(fault: Fault) -> None:
    assert f"`{fault.value}`" in MODEL.read_text(encoding="utf-8")
