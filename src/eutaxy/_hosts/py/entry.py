"""The script that the CPython child is started on: `entry.py <sdk folder> <read-fd> <write-fd>`.

`<sdk folder>` holds the published Workers SDK that a project without its own copy gets.

The interpreter is the project's own and need not know eutaxy, so the packages above this folder are
stood in for by empty modules that only know where this folder is.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType


def _make_importable() -> None:
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib costs start-up
    hosts = os.path.dirname(here)  # noqa: PTH120
    for name, folder in (("eutaxy", os.path.dirname(hosts)), ("eutaxy._hosts", hosts)):  # noqa: PTH120
        package = ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package


if __name__ == "__main__":
    _make_importable()
    from eutaxy._hosts.py.serve import serve

    sdk_folder, read_fd, write_fd = sys.argv[1:]
    sys.argv[1:] = []
    serve(sdk_folder, int(read_fd), int(write_fd))
