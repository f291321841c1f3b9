"""The user's cache directory: where it is, and how things appear in it complete or not at all.

Any number of processes may use it at once. Nothing in it is precious: it may be deleted at any time
between two runs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs

from eutaxy.errors import ScenarioError

CACHE_VARIABLE = "EUTAXY_CACHE"
"""Environment variable that names another cache directory."""


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Absolute path of the cache directory; it need not exist yet."""
    override = (os.environ if environ is None else environ).get(CACHE_VARIABLE)
    return Path(override or platformdirs.user_cache_dir("eutaxy", appauthor=False)).absolute()


def publish_folder(final: Path, fill: Callable[[Path], None]) -> None:
    """Make a directory appear with everything in it.

    Args:
        final: Where it appears. When another process was faster, its directory stays.
        fill: Writes the contents into the directory that it is given (a sibling of `final`).

    Raises:
        ScenarioError: The cache cannot be written.
    """
    temporary: Path | None = None
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{final.name}-", dir=final.parent))
        fill(temporary)
        try:
            temporary.rename(final)
        except OSError:
            if not final.is_dir():
                raise
    except OSError as error:
        raise _unwritable(final, error) from None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def publish_text(final: Path, text: str) -> None:
    """Make a file appear, or replace it, in one step.

    Raises:
        ScenarioError: The cache cannot be written.
    """
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{final.name}-", dir=final.parent)
        os.close(descriptor)
        try:
            Path(temporary).write_text(text, encoding="utf-8")
            Path(temporary).replace(final)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _unwritable(final, error) from None


def read_text_if_there(path: Path) -> str | None:
    """The text of a file of the cache; None when there is none (or none that can be read)."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _unwritable(path: Path, error: OSError) -> ScenarioError:
    return ScenarioError(
        "writing to the cache directory",
        f"{path}: {error.strerror or error}",
        f"make the directory writable, or set {CACHE_VARIABLE} to another one",
    )
