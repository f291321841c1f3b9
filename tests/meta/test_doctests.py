"""Examples in docstrings run as they stand."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from tests.meta.tree import PACKAGE, package_modules

WITH_EXAMPLES = [
    path for path in package_modules() if "\n    >>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize(
    "path", WITH_EXAMPLES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_examples_of_a_module(path: Path) -> None:
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
