"""Remembering a bundle for as long as bundling again would give the same.

A remembered bundle is used only when every file that it was made of has the same content, and
nothing around those files that steers how imports are resolved has changed: the names in their
folders, and in every folder above them package.json, tsconfig.json, jsconfig.json, Plug'n'Play
manifests, and what node_modules holds (with the targets of links). When that cannot be told for
sure (a tsconfig.json that extends another one), the bundle is not remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from eutaxy._hosts.cache_folder import publish_text, read_text_if_there

_STEERING_FILES = (
    ".pnp.cjs",
    ".pnp.data.json",
    ".pnp.js",
    "jsconfig.json",
    "package.json",
    "tsconfig.json",
)
_STALE_AFTER_S = 24 * 3600.0


def file_digest(path: str | Path) -> str:
    """Digest of the content of a file; empty when it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def text_digest(*texts: str) -> str:
    """Digest of some texts, which are told apart."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def recall(home: Path) -> tuple[Path, tuple[str, ...]] | None:
    """The remembered bundle folder in `home` and its inputs; None when there is none that holds."""
    text = read_text_if_there(home / "manifest.json")
    if text is None:
        return None
    try:
        manifest = json.loads(text)
        inputs: dict[str, str] = manifest["inputs"]
        folder = home / manifest["folder"]
        surroundings: str = manifest["surroundings"]
    except (ValueError, KeyError, TypeError):
        return None
    if not folder.is_dir():
        return None
    for path, digest in inputs.items():
        if file_digest(path) != digest:
            return None
    if surroundings_digest(inputs) != surroundings:
        return None
    return folder, tuple(inputs)


def remember(home: Path, folder: Path, inputs: Iterable[str], *, started_ns: int) -> None:
    """Remember that `inputs` give the bundle in `folder`, if that can be told for sure.

    Args:
        home: Folder of all bundles of one entry with one set of options.
        folder: Bundle folder, inside `home`.
        inputs: Absolute paths of the files that it was made of.
        started_ns: When bundling started; a file changed since then makes the bundle doubtful.
    """
    digests = {path: file_digest(path) for path in inputs}
    surroundings = surroundings_digest(digests)
    is_sure = surroundings is not None and all(digests.values())
    if not is_sure or any(Path(path).stat().st_mtime_ns >= started_ns for path in digests):
        return
    manifest = {"folder": folder.name, "inputs": digests, "surroundings": surroundings}
    publish_text(home / "manifest.json", json.dumps(manifest, indent=1))


def forget_stale(home: Path, current: Path) -> None:
    """Delete superseded bundles in `home` that no running process can still need."""
    oldest = time.time() - _STALE_AFTER_S
    for folder in home.iterdir():
        if folder.is_dir() and folder != current and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def surroundings_digest(inputs: Iterable[str]) -> str | None:
    """Digest of what steers resolution around `inputs`; None when not all of it is known."""
    holders = {Path(path).parent for path in inputs}
    lines = [f"{holder}: {_names_in(holder)}" for holder in sorted(holders)]
    for folder in sorted(holders.union(*(holder.parents for holder in holders))):
        for name in _STEERING_FILES:
            path = folder / name
            digest = file_digest(path)
            if digest and name.endswith("sconfig.json") and _extends_another(path):
                return None
            lines.append(f"{path}: {digest}")
        lines.append(f"{folder}: {_packages_in(folder / 'node_modules')}")
    return text_digest(*lines)


def _extends_another(config: Path) -> bool:
    return '"extends"' in config.read_text(encoding="utf-8", errors="replace")


def _names_in(folder: Path) -> list[str]:
    """What a folder holds, sorted; links with their targets."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                f"{entry.name} -> {Path(entry.path).readlink()}"
                if entry.is_symlink()
                else entry.name
                for entry in entries
            )
    except OSError:
        return []


def _packages_in(node_modules: Path) -> list[str]:
    """The packages in a node_modules folder, those with a scope too."""
    packages: list[str] = []
    for name in _names_in(node_modules):
        packages.append(name)
        if name.startswith("@"):
            packages += _names_in(node_modules / name)
    return packages
