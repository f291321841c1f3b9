"""Write requirements-dev.txt: the newest versions of everything that development needs.

Installs the package and its dependency group `dev` into a temporary environment and writes down
what came. Run it with `make lock`, then run the tests and commit the file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# The exact versions that development and CI use; written by `make lock`, never by hand.
# What eutaxy itself asks for is in pyproject.toml.
"""


def main() -> None:
    """Resolve the newest versions and write the file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    with tempfile.TemporaryDirectory() as directory:
        venv.create(directory, with_pip=True)
        python = str(Path(directory, "bin", "python"))
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        frozen = subprocess.run(
            [python, "-m", "pip", "freeze"], check=True, capture_output=True, text=True
        ).stdout
    pins = sorted(frozen.splitlines(), key=str.lower)
    (ROOT / "requirements-dev.txt").write_text(HEADER + "\n".join(pins) + "\n", encoding="utf-8")
    sys.stdout.write(f"requirements-dev.txt: {len(pins)} packages\n")


if __name__ == "__main__":
    main()
