"""The machine is closed to user code: an audit hook turns what would reach it into a report.

What stays open is reading files of the project, of its packages and of the standard library:
importing needs it, and Workers may read their own bundled files.
"""

from __future__ import annotations

import _thread
import os
import sys
import sysconfig
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.reports import Failure, Unmodelled
from eutaxy._hosts.py.unaudited import close_unaudited

_NETWORK = "use workers.fetch or a binding; client libraries that open sockets do not work here"
_PROCESS = "Workers have no other processes"
_THREAD = "Workers have one thread; use asyncio"
_FILE = "Workers have no file system that lasts; keep data in a binding"

_REFUSED: dict[str, tuple[str, str]] = {
    "socket.__new__": ("a socket", _NETWORK),
    "socket.bind": ("a socket", _NETWORK),
    "socket.connect": ("a socket", _NETWORK),
    "socket.getaddrinfo": ("looking up a host name", _NETWORK),
    "socket.gethostbyname": ("looking up a host name", _NETWORK),
    "socket.gethostbyaddr": ("looking up a host name", _NETWORK),
    "socket.getnameinfo": ("looking up a host name", _NETWORK),
    "socket.gethostname": ("the name of this machine", ""),
    "subprocess.Popen": ("a child process", _PROCESS),
    "os.system": ("os.system", _PROCESS),
    "os.exec": ("os.exec", _PROCESS),
    "os.fork": ("os.fork", _PROCESS),
    "os.forkpty": ("os.forkpty", _PROCESS),
    "os.posix_spawn": ("os.posix_spawn", _PROCESS),
    "os.spawn": ("os.spawn", _PROCESS),
    "os.startfile": ("os.startfile", _PROCESS),
    "os.kill": ("os.kill", _PROCESS),
    "os.killpg": ("os.killpg", _PROCESS),
    "pty.spawn": ("pty.spawn", _PROCESS),
    "signal.pthread_kill": ("signal.pthread_kill", _PROCESS),
    "_thread.start_new_thread": ("a thread", _THREAD),
    "_thread.start_joinable_thread": ("a thread", _THREAD),
    "ctypes.dlsym": ("native code through ctypes", ""),
    "ctypes.call_function": ("calling native code through ctypes", ""),
    "ctypes.set_errno": ("calling native code through ctypes", ""),
    "ctypes.string_at": ("reading memory through ctypes", ""),
    "ctypes.wstring_at": ("reading memory through ctypes", ""),
    "mmap.__new__": ("a memory-mapped file", _FILE),
    "os.chmod": ("changing files", _FILE),
    "os.chown": ("changing files", _FILE),
    "os.link": ("changing files", _FILE),
    "os.mkdir": ("changing files", _FILE),
    "os.remove": ("changing files", _FILE),
    "os.rename": ("changing files", _FILE),
    "os.rmdir": ("changing files", _FILE),
    "os.symlink": ("changing files", _FILE),
    "os.truncate": ("changing files", _FILE),
    "os.utime": ("changing files", _FILE),
    "os.chdir": ("changing the working directory", ""),
    "shutil.rmtree": ("changing files", _FILE),
    "tempfile.mkstemp": ("a temporary file", _FILE),
    "tempfile.mkdtemp": ("a temporary folder", _FILE),
    "sqlite3.connect": ("a SQLite database", "use a D1 binding"),
    "builtins.input": ("input()", "Workers have no keyboard"),
    "webbrowser.open": ("a web browser", ""),
}


class Walls:
    """The audit hook.

    Args:
        folders: Folders that may be read.
    """

    def __init__(self, folders: list[str]) -> None:
        standard = sysconfig.get_paths()
        own = (os.path.dirname(os.__file__), os.path.dirname(__file__))  # noqa: PTH120
        found = [*folders, *standard.values(), *own]
        kept = {os.path.realpath(each) for each in found} | {*found}
        self.readable = tuple(sorted(each.rstrip(os.sep) + os.sep for each in kept if each))
        self._special: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._open,
            "os.listdir": self._list,
            "os.scandir": self._list,
            "ctypes.dlopen": self._load_library,
        }

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """Refuse what would reach the machine."""
        if not moment.is_user_running:
            return
        refused = _REFUSED.get(event)
        if refused is not None:
            moment.stop(Unmodelled(*refused))
        special = self._special.get(event)
        if special is not None:
            special(args)

    def _open(self, args: tuple[Any, ...]) -> None:
        path, mode, flags = args
        if isinstance(path, int):
            moment.stop(Unmodelled(f"opening the file descriptor {path}", _FILE))
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        if writes or (isinstance(mode, str) and set(mode) & set("wax+")):
            moment.stop(Unmodelled(f"writing the file {self._shown(path)}", _FILE))
        if not self.may_read(path):
            moment.stop(
                Unmodelled(f"reading the file {self._shown(path)}", "bundle it with the Worker")
            )

    def _list(self, args: tuple[Any, ...]) -> None:
        path = args[0]
        if path is None or isinstance(path, int) or not self.may_read(path):
            moment.stop(
                Unmodelled(f"listing the folder {self._shown(path)}", "bundle it with the Worker")
            )

    def _load_library(self, args: tuple[Any, ...]) -> None:
        # Importing ctypes opens the interpreter itself, which has no name.
        if args[0] is not None:
            moment.stop(Unmodelled(f"the native library {args[0]}"))

    def may_read(self, path: Any) -> bool:
        """Whether the path, links followed, lies in a folder that may be read."""
        shown = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - the path may be bytes
        if (shown + os.sep).startswith(self.readable):
            return (os.path.realpath(shown) + os.sep).startswith(self.readable)
        return False

    @staticmethod
    def _shown(path: Any) -> str:
        return os.fsdecode(path) if isinstance(path, str | bytes) else repr(path)


def close_machine(folders: list[str]) -> None:
    """Put up the walls; they stay for the life of the process."""
    walls = Walls(folders)
    sys.addaudithook(walls.audit)
    close_unaudited(walls.may_read, walls.readable)
    for name in ("_exit", "abort"):
        setattr(os, name, _ender(f"os.{name}"))
    # Not every version has audit events for starting threads.
    for name in ("start_new", "start_new_thread", "start_joinable_thread"):
        for module, prefix in ((_thread, ""), (threading, "_")):
            if hasattr(module, prefix + name):
                setattr(module, prefix + name, _thread_refused)


def _thread_refused(*_args: Any, **_options: Any) -> NoReturn:
    moment.stop(Unmodelled("a thread", _THREAD))


def _ender(what: str) -> Callable[..., NoReturn]:
    def ended(*_args: Any) -> NoReturn:
        moment.stop(Failure(f"{what} was called"))

    return ended
