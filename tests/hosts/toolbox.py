"""What tests of the toolchain share: a cache directory of their own, with the pinned esbuild in it."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from eutaxy._hosts.cache_folder import cache_folder
from eutaxy._hosts.pinned_esbuild import pinned_esbuild
from eutaxy._hosts.toolchain import Esbuild


def own_cache(folder: Path) -> Path:
    """An empty cache directory that shares only the esbuild of the user's cache."""
    pinned_esbuild(os.environ, lambda _: None)
    cache = folder / "cache"
    cache.mkdir()
    (cache / "esbuild").symlink_to(cache_folder() / "esbuild")
    return cache


def esbuild() -> Esbuild:
    """The pinned esbuild."""
    return pinned_esbuild(os.environ, lambda _: None)


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files, by path relative to `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def placeless(tree: Any) -> Any:
    """Parts of a scenario without where they were written."""
    if isinstance(tree, tuple):
        return tuple(placeless(each) for each in tree)
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    changed = {field.name: placeless(getattr(tree, field.name)) for field in fields(tree)}
    return replace(tree, **{**changed, "place": ""} if "place" in changed else changed)
