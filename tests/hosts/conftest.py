"""Real child processes for the tests of hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.node_world import RunWorld, nodes, worlds


@pytest.fixture(params=["path", "wheel"])
def node(request: pytest.FixtureRequest) -> str:
    """The path of a Node; tests that ask for it run on every Node at hand."""
    path = nodes().get(request.param)
    if path is None:
        pytest.skip(f"no Node from {request.param}")
    return path


@pytest.fixture
def run_in_node(node: str, tmp_path: Path) -> Iterator[RunWorld]:
    """Starts Workers in Node hosts."""
    with worlds(node, tmp_path) as start:
        yield start
