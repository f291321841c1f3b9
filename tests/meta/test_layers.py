"""Who may import whom: the contracts of pyproject.toml, as a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.meta.tree import PACKAGE, PURE_PACKAGES, ROOT

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def test_every_contract_is_kept() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LINT, "pyproject.toml", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "0 broken" in ended.stdout


def test_the_alarm_works(tmp_path: Path) -> None:
    """An import that a contract forbids is found, in a small package under the same rules."""
    package = tmp_path / "eutaxy_canary"
    for name in ("_base", "_world"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "_base" / "__init__.py").write_text("import eutaxy_canary._world\nimport time\n")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.importlinter]\n"
        "root_package = 'eutaxy_canary'\n"
        "include_external_packages = true\n"
        "[[tool.importlinter.contracts]]\n"
        "name = 'layers'\ntype = 'layers'\ncontainers = ['eutaxy_canary']\n"
        "exhaustive = true\nlayers = ['_world', '_base']\n"
        "[[tool.importlinter.contracts]]\n"
        "name = 'forbidden'\ntype = 'forbidden'\n"
        "source_modules = ['eutaxy_canary._base']\nforbidden_modules = ['time']\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", LINT, "pyproject.toml", "--no-cache"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "2 broken" in ended.stdout


def test_every_folder_is_a_package_and_every_pure_package_exists() -> None:
    without = [
        folder.relative_to(PACKAGE).as_posix()
        for folder in sorted(PACKAGE.rglob("*"))
        if folder.is_dir()
        and folder.name != "__pycache__"
        and any(folder.glob("*.py"))
        and not (folder / "__init__.py").exists()
    ]
    assert without == []
    assert [name for name in PURE_PACKAGES if not (PACKAGE / name / "__init__.py").exists()] == []
