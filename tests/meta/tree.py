"""The files of this repository, as the meta tests look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "eutaxy"
PURE_PACKAGES = ("_base", "_world", "_platform", "_explore", "_check", "_evidence", "_report")

_IGNORED_FOLDERS = {
    "__pycache__",
    "node_modules",
    "build",
    "dist",
}
_TEXT_SUFFIXES = {
    ".cjs",
    ".cfg",
    ".css",
    ".html",
    ".js",
    ".json",
    ".jsonc",
    ".md",
    ".mjs",
    ".py",
    ".pyi",
    ".sh",
    ".toml",
    ".ts",
    ".txt",
    ".yaml",
    ".yml",
}


def package_modules() -> list[Path]:
    """List our own Python modules, in a fixed order."""
    return sorted(path for path in PACKAGE.rglob("*.py") if not _is_ignored(path))


def pure_modules() -> list[Path]:
    """List the modules of the pure packages."""
    return [
        path for path in package_modules() if path.relative_to(PACKAGE).parts[0] in PURE_PACKAGES
    ]


def python_files() -> list[Path]:
    """List our modules, tests, tools and benchmarks."""
    folders = ("src", "tests", "tools", "benchmarks", "examples")
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if not _is_ignored(path)
    )


def text_files() -> Iterator[Path]:
    """Yield every text file that people write: code, docs, configuration."""
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and not _is_ignored(path) and _is_text(path):
            yield path


def name_of(path: Path) -> str:
    """Name a file as messages do, from the root of the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """Parse a module once."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _is_text(path: Path) -> bool:
    return path.suffix in _TEXT_SUFFIXES or path.name in {"Makefile", "run", "make-venv"}


def _is_ignored(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    hidden = any(part.startswith(".") and part != ".ci" for part in parts)
    return hidden or not _IGNORED_FOLDERS.isdisjoint(parts)
