"""Which esbuild is used, and how the pinned one comes into the cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eutaxy._hosts.pinned_esbuild import find_esbuild, pinned_esbuild, pinned_version
from eutaxy._hosts.toolchain import esbuild_platform, find_project_esbuild
from eutaxy.errors import ScenarioError

pytestmark = pytest.mark.host


def _package(path: Path, version: str = "0.25.0") -> Path:
    path.mkdir(parents=True)
    (path / "package.json").write_text(json.dumps({"version": version}), encoding="utf-8")
    return path


def _esbuild(node_modules: Path, version: str = "0.25.0") -> Path:
    """An esbuild as npm installs it: the package, and the native program beside it."""
    _package(node_modules / "esbuild", version)
    native = _package(node_modules / "@esbuild" / esbuild_platform(), version)
    program = native / "bin" / "esbuild"
    program.parent.mkdir()
    program.touch(mode=0o755)
    return program


def test_flat_layout_found_from_below(tmp_path: Path) -> None:
    program = _esbuild(tmp_path / "node_modules")
    folder = tmp_path / "src" / "worker"
    folder.mkdir(parents=True)
    found = find_project_esbuild(folder)
    assert found is not None
    assert (found.path, found.version) == (str(program), (0, 25, 0))


def test_the_one_of_wrangler_comes_first(tmp_path: Path) -> None:
    _esbuild(tmp_path / "node_modules", "0.20.0")
    wrangler = _package(tmp_path / "node_modules" / "wrangler", "4.0.0")
    program = _esbuild(wrangler / "node_modules", "0.27.3")
    found = find_project_esbuild(tmp_path)
    assert found is not None
    assert (found.path, found.version) == (str(program), (0, 27, 3))


def test_wrangler_without_its_own_uses_the_flat_one(tmp_path: Path) -> None:
    program = _esbuild(tmp_path / "node_modules")
    _package(tmp_path / "node_modules" / "wrangler", "4.0.0")
    found = find_project_esbuild(tmp_path)
    assert found is not None
    assert found.path == str(program)


def test_pnpm_layout(tmp_path: Path) -> None:
    store = tmp_path / "node_modules" / ".pnpm"
    _package(store / "wrangler@4.0.0" / "node_modules" / "wrangler", "4.0.0")
    _package(store / "esbuild@0.25.0" / "node_modules" / "esbuild")
    native = _package(store / "native@0.25.0" / "node_modules" / "@esbuild" / esbuild_platform())
    program = native / "bin" / "esbuild"
    program.parent.mkdir()
    program.touch(mode=0o755)
    (tmp_path / "node_modules" / "wrangler").symlink_to(
        store / "wrangler@4.0.0" / "node_modules" / "wrangler"
    )
    (store / "wrangler@4.0.0" / "node_modules" / "esbuild").symlink_to(
        store / "esbuild@0.25.0" / "node_modules" / "esbuild"
    )
    (store / "esbuild@0.25.0" / "node_modules" / "@esbuild").mkdir()
    (store / "esbuild@0.25.0" / "node_modules" / "@esbuild" / esbuild_platform()).symlink_to(native)
    found = find_project_esbuild(tmp_path)
    assert found is not None
    assert found.path == str(program)


def test_one_that_is_too_old_or_not_whole_is_passed_over(tmp_path: Path) -> None:
    outer = _esbuild(tmp_path / "node_modules")
    _esbuild(tmp_path / "old" / "node_modules", "0.16.9")
    _esbuild(tmp_path / "broken" / "node_modules").unlink()
    for name in ("old", "broken"):
        found = find_project_esbuild(tmp_path / name)
        assert found is not None
        assert found.path == str(outer)


def test_a_project_without_any(tmp_path: Path) -> None:
    assert find_project_esbuild(tmp_path) is None


def _npm_environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "EUTAXY_CACHE": str(cache)}


@pytest.mark.slow
def test_the_pinned_one_is_installed_once_and_then_needs_no_network(tmp_path: Path) -> None:
    environ = _npm_environment(tmp_path / "cache")
    said: list[str] = []
    first = find_esbuild(tmp_path, environ, say=said.append)
    home = tmp_path / "cache" / "esbuild" / pinned_version()
    assert said == [
        f"eutaxy: installing esbuild {pinned_version()} into {home} (once; later runs need no network)"
    ]
    answer = subprocess.run([first.path, "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == pinned_version()
    offline = {**environ, "npm_config_registry": "http://127.0.0.1:9"}
    assert find_esbuild(tmp_path, offline, say=said.append) == first
    assert len(said) == 1
    assert [path.name for path in home.parent.iterdir()] == [pinned_version()]


@pytest.mark.slow
def test_an_install_that_is_not_whole_is_made_again(tmp_path: Path) -> None:
    environ = _npm_environment(tmp_path / "cache")
    first = pinned_esbuild(environ, lambda _: None)
    Path(first.path).unlink()
    assert pinned_esbuild(environ, lambda _: None) == first
    assert Path(first.path).is_file()


@pytest.mark.slow
def test_two_processes_may_install_at_once(tmp_path: Path) -> None:
    code = (
        "import os; from pathlib import Path\n"
        "from eutaxy._hosts.pinned_esbuild import find_esbuild\n"
        "print(find_esbuild(Path.cwd()).path)"
    )
    environ = _npm_environment(tmp_path / "cache")
    environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    paths = {child.communicate(timeout=100)[0].strip() for child in children}
    assert [child.returncode for child in children] == [0, 0]
    assert len(paths) == 1
    assert os.access(paths.pop(), os.X_OK)


@pytest.mark.slow
def test_without_network_it_says_what_to_do(tmp_path: Path) -> None:
    environ = {
        **_npm_environment(tmp_path / "cache"),
        "npm_config_registry": "http://127.0.0.1:9",
        "npm_config_cache": str(tmp_path / "npm"),
        "npm_config_fetch_retries": "0",
    }
    with pytest.raises(ScenarioError) as caught:
        pinned_esbuild(environ, lambda _: None)
    assert caught.value.doing == f"installing the bundler esbuild {pinned_version()} through npm"
    assert "npm ended with exit code" in caught.value.found
    assert "npm install --save-dev esbuild" in caught.value.remedy
    assert not (tmp_path / "cache" / "esbuild" / pinned_version()).exists()


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    environ = _npm_environment(blocker / "cache")
    with pytest.raises(ScenarioError, match="EUTAXY_CACHE"):
        pinned_esbuild(environ, lambda _: None)


@pytest.mark.slow
def test_a_node_without_npm_uses_the_npm_of_the_wheel(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs a Node on the PATH that can be copied away from its npm")
    alone = tmp_path / "bin"
    alone.mkdir()
    shutil.copy(node, alone / "node")
    environ = {**_npm_environment(tmp_path / "cache"), "PATH": str(alone)}
    found = pinned_esbuild(environ, lambda _: None)
    assert os.access(found.path, os.X_OK)
