"""Functions that reach or show the machine and raise no audit event: refused, or made constant.

What shows of files outside the project is decided by who asks. User code is refused by name. Code
of packages and of the standard library, which looks around for its own purposes (a configuration
file, a program), finds nothing there: on the platform there is nothing either, and what is found
must not depend on the machine.
"""

from __future__ import annotations

import errno
import os
import platform
import signal
import uuid
from collections.abc import Callable
from types import FrameType
from typing import Any

from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.reports import Unmodelled
from eutaxy._hosts.py.sources import Whose, calling_frame

_FILE = "Workers have no file system that lasts; keep data in a binding"
_PROCESS = "Workers have no other processes"

_REFUSED = {
    _FILE: "copy_file_range mkfifo mknod posix_fallocate pwrite pwritev sendfile splice sync write "
    "writev",
    "": "chroot close closerange dup dup2 eventfd fdatasync fsync getlogin getloadavg memfd_create "
    "nice openpty pipe pipe2 posix_openpt read readv sched_setaffinity sched_setparam "
    "sched_setscheduler setegid seteuid setgid setgroups setpgid setpriority setregid setresgid "
    "setresuid setreuid setsid setuid times ttyname umask unshare",
    _PROCESS: "pidfd_open wait wait3 wait4 waitid waitpid",
}
_SIGNALS = "alarm pause pthread_sigmask raise_signal setitimer sigtimedwait sigwait sigwaitinfo"

_LOOKS = ("access", "lstat", "pathconf", "readlink", "stat", "statvfs")
"""Functions that look at the file that their first argument names."""

_LOOKED_THROUGH = frozenset({"os", "posixpath", "genericpath", "pathlib", "shutil"})
"""Modules that look at files because their caller asked."""

_UNAME = ("Emscripten", "emscripten", "4.0.9", "#1", "wasm32")
"""As Pyodide has it."""


def close_unaudited(may_read: Callable[[Any], bool], readable: tuple[str, ...]) -> None:
    """Replace the functions, for the life of the process.

    Args:
        may_read: Whether a path may be read.
        readable: The folders that may be, each with a slash at the end; what leads to them shows.
    """
    for remedy, names in _REFUSED.items():
        for name in names.split():
            _replace(os, name, _refuse(os, name, remedy))
    for name in _SIGNALS.split():
        _replace(signal, name, _refuse(signal, name, _PROCESS))
    for name in _LOOKS:
        _replace(os, name, _look(name, may_read, readable))
    _make_constant()


def _make_constant() -> None:
    os.uname = lambda: os.uname_result(_UNAME)
    # It may have asked already.
    vars(platform)["_uname_cache"] = None
    os.cpu_count = lambda: 1
    for name in ("getuid", "geteuid", "getgid", "getegid"):
        _replace(os, name, lambda: 0)
    _replace(os, "getgroups", lambda: [0])
    _replace(os, "getpgrp", lambda: 42)
    _replace(os, "process_cpu_count", lambda: 1)
    _replace(os, "sched_getaffinity", lambda _process: {0})
    _draw_network_cards()


def _draw_network_cards() -> None:
    """Let `uuid.uuid1` draw the id of the network card, as it does where there is none, and forget
    what it made before: that belongs to no evaluation."""
    members = vars(uuid)
    members["_generate_time_safe"] = None
    members["getnode"] = members["_random_getnode"]
    real = uuid.uuid1

    def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
        members["_last_timestamp"] = None
        return real(node, clock_seq)

    members["uuid1"] = uuid1


def _replace(module: Any, name: str, replacement: Callable[..., Any]) -> None:
    if hasattr(module, name):
        setattr(module, name, replacement)


def _refuse(module: Any, name: str, remedy: str) -> Callable[..., Any]:
    real = getattr(module, name, None)

    def refused(*args: Any, **options: Any) -> Any:
        assert real is not None
        is_print = name in {"write", "writev"} and args[:1] in {(1,), (2,)}
        if is_print or not moment.is_user_running:
            return real(*args, **options)
        return moment.stop(Unmodelled(f"{module.__name__}.{name}", remedy))

    return refused


def _look(
    name: str, may_read: Callable[[Any], bool], readable: tuple[str, ...]
) -> Callable[..., Any]:
    real = getattr(os, name, None)

    def look(path: Any, *args: Any, **options: Any) -> Any:
        assert real is not None
        if not moment.is_user_running or isinstance(path, int):
            return real(path, *args, **options)
        asker = _asker(calling_frame())
        if name == "access" and asker is not Whose.HOST and os.W_OK & (args or (0,))[0]:
            return False
        if asker is Whose.HOST or _shows(path, may_read, readable):
            return real(path, *args, **options)
        shown = os.fsdecode(path)
        if asker is Whose.USER:
            remedy = "bundle the file with the Worker"
            moment.stop(Unmodelled(f"looking at the file {shown}", remedy))
        if name == "access":
            return False
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), shown)

    return look


def _shows(path: Any, may_read: Callable[[Any], bool], readable: tuple[str, ...]) -> bool:
    shown = os.path.abspath(os.fsdecode(path)).rstrip(os.sep) + os.sep  # noqa: PTH100 - may be bytes
    return any(folder.startswith(shown) for folder in readable) or may_read(path)


def _asker(frame: FrameType | None) -> Whose:
    """Whose code looks at a file, beyond modules that do so for others."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        whose = moment.sources.of(frame.f_code.co_filename).whose
        if whose is not Whose.STANDARD or module not in _LOOKED_THROUGH:
            return whose
        frame = frame.f_back
    return Whose.HOST
