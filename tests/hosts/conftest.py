"""Real child processes for the tests of hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.node_world import RunWorld, World, nodes, worlds


@pytest.fixture(params=["path", "wheel"], scope="module")
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


@pytest.fixture(scope="module")
def share_in_node(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorld]:
    """Starts Workers in Node hosts, each Worker once for all tests of a module."""
    shared: dict[str, World] = {}
    with worlds(node, tmp_path_factory.mktemp("shared")) as start:

        def share(code: str, **options: object) -> World:
            key = repr((code, options))
            if key not in shared:
                shared[key] = start(code, **options)
            return shared[key]

        yield share
