"""The npm package: what it holds, how its command finds the Python program, and its types."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from eutaxy import __version__
from eutaxy._hosts.pinned_esbuild import _npms
from eutaxy._hosts.toolchain import find_node

ROOT = Path(__file__).parent.parent.parent
NPM = ROOT / "npm"
HERE = Path(__file__).parent
EVERYTHING = ROOT / "tests" / "scenarios" / "everything.sim.ts"


def _manifest() -> dict[str, object]:
    manifest: dict[str, object] = json.loads((NPM / "package.json").read_text(encoding="utf-8"))
    return manifest


def test_the_runtime_is_the_one_that_eutaxy_evaluates_scenarios_with() -> None:
    shipped = ROOT / "src" / "eutaxy" / "_session" / "js" / "cloudflare.mjs"
    assert (NPM / "cloudflare.mjs").read_bytes() == shipped.read_bytes()


def test_the_version_is_that_of_the_program() -> None:
    assert _manifest()["version"] == __version__


def test_every_file_that_the_manifest_names_is_there() -> None:
    manifest = _manifest()
    assert manifest["exports"] == {
        "./cloudflare": {"types": "./cloudflare.d.ts", "default": "./cloudflare.mjs"},
        "./package.json": "./package.json",
    }
    assert manifest["bin"] == {"eutaxy": "./bin/eutaxy.mjs"}
    for name in ("cloudflare.d.ts", "cloudflare.mjs", "bin/eutaxy.mjs"):
        assert (NPM / name).is_file()
    assert os.access(NPM / "bin" / "eutaxy.mjs", os.X_OK)


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def _run(
    *folders: Path, arguments: tuple[str, ...] = ("check", "a b"), **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the command of the package with a PATH of these folders."""
    return subprocess.run(
        [find_node().path, str(NPM / "bin" / "eutaxy.mjs"), *arguments],
        env={"PATH": os.pathsep.join(map(str, folders)), **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


SAY = 'echo "${0##*/}" "$@"; exit 3'


@pytest.mark.host
class TestCommand:
    def test_arguments_and_exit_code_pass_through(self, tmp_path: Path) -> None:
        _program(tmp_path / "eutaxy", 'printf "<%s>" "$@"; exit 3')
        done = _run(tmp_path)
        assert (done.returncode, done.stdout) == (3, "<check><a b>")

    def test_a_signal_becomes_an_exit_code(self, tmp_path: Path) -> None:
        _program(tmp_path / "eutaxy", "kill -TERM $$")
        assert _run(tmp_path).returncode == 128 + 15

    def test_it_does_not_find_itself(self, tmp_path: Path) -> None:
        (tmp_path / "global").mkdir()
        (tmp_path / "global" / "eutaxy").symlink_to(NPM / "bin" / "eutaxy.mjs")
        _program(tmp_path / "node_modules" / ".bin" / "eutaxy", "echo wrong one")
        _program(tmp_path / "real" / "eutaxy", SAY)
        done = _run(tmp_path / "node_modules" / ".bin", tmp_path / "global", tmp_path / "real")
        assert (done.returncode, done.stdout) == (3, "eutaxy check a b\n")

    def test_a_shell_script_that_calls_it_back_is_passed_over(self, tmp_path: Path) -> None:
        command = f'exec "{find_node().path}" "{NPM / "bin" / "eutaxy.mjs"}" "$@"'
        _program(tmp_path / "shim" / "eutaxy", command)
        _program(tmp_path / "real" / "eutaxy", SAY)
        done = _run(tmp_path / "shim", tmp_path / "real")
        assert (done.returncode, done.stdout) == (3, "eutaxy check a b\n")
        assert _run(tmp_path / "shim").returncode == 2

    def test_then_uvx_and_then_pipx(self, tmp_path: Path) -> None:
        folder = tmp_path / "bin"
        _program(folder / "pipx", SAY)
        assert _run(folder).stdout == "pipx run eutaxy check a b\n"
        _program(folder / "uvx", SAY)
        assert _run(folder).stdout == "uvx eutaxy check a b\n"

    def test_a_named_program_comes_first(self, tmp_path: Path) -> None:
        _program(tmp_path / "eutaxy", "echo wrong one")
        named = _program(tmp_path / "mine", "echo mine; exit 1")
        done = _run(tmp_path, EUTAXY_PROGRAM=str(named))
        assert (done.returncode, done.stdout) == (1, "mine\n")
        done = _run(tmp_path, EUTAXY_PROGRAM=str(tmp_path / "none"))
        assert done.returncode == 2
        assert "cannot be run" in done.stderr

    def test_without_any_it_says_how_to_install_one(self, tmp_path: Path) -> None:
        done = _run(tmp_path)
        assert done.returncode == 2
        assert "the Python program eutaxy is not installed" in done.stderr
        assert "pip install eutaxy" in done.stderr


@pytest.mark.host
@pytest.mark.slow
def test_types(tmp_path: Path) -> None:
    """The API type-checks under `tsc --strict` beside the types of Workers, and refuses misuse."""
    for file in (HERE / "scenario.ts", HERE / "worker.ts", EVERYTHING):
        shutil.copy(file, tmp_path)
    manifest = {
        "private": True,
        "type": "module",
        "dependencies": {
            "eutaxy": f"file:{NPM}",
            "typescript": "5.9.3",
            "@cloudflare/workers-types": "4.20251014.0",
        },
    }
    (tmp_path / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    node, npm = next(_npms(os.environ))
    environ = {**os.environ, "PATH": f"{Path(node.path).parent}{os.pathsep}{os.environ['PATH']}"}
    install = [node.path, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(install, cwd=tmp_path, env=environ, check=True, capture_output=True)
    options = (
        "--strict --noEmit --target es2022 --lib es2023 --module esnext --moduleResolution bundler "
        "--noImplicitOverride --exactOptionalPropertyTypes --noUncheckedIndexedAccess "
        "--types @cloudflare/workers-types scenario.ts worker.ts everything.sim.ts"
    )
    tsc = [node.path, "node_modules/typescript/bin/tsc", *options.split()]
    done = subprocess.run(tsc, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
