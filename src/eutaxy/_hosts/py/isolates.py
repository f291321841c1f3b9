"""Isolates: user modules are executed afresh in each; modules of packages are shared by all.

User modules never come through `sys.path`: a finder of our own serves them from the folder of the
main module, from remembered code objects, and knows afterwards which modules to throw away.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import CodeType, ModuleType
from typing import Any

from eutaxy._hosts.py.sources import Sources


class _UserLoader:
    """Executes one user module from remembered code."""

    def __init__(self, path: str, codes: dict[str, CodeType], sources: Sources) -> None:
        self.path = path
        self._codes = codes
        self._sources = sources

    def create_module(self, _spec: ModuleSpec) -> None:
        """The default module object will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        exec(self.get_code(module.__name__), vars(module))  # noqa: S102 - running user code is the point

    def get_code(self, _name: str) -> CodeType:
        """The module's code, compiled once."""
        code = self._codes.get(self.path)
        if code is None:
            with open(self.path, "rb") as file:  # noqa: PTH123 - bytes, so that the coding line counts
                source = file.read()
            code = compile(source, self._sources.adopt(self.path), "exec", dont_inherit=True)
            self._codes[self.path] = code
        return code

    def get_filename(self, _name: str) -> str:
        """Path of the source."""
        return self.path

    def get_source(self, _name: str) -> str:
        """Text of the source."""
        with open(self.path, encoding="utf-8") as file:  # noqa: PTH123 - as in get_code
            return file.read()

    def get_data(self, path: str) -> bytes:
        """Contents of a file beside the module (`pkgutil.get_data`)."""
        with open(path, "rb") as file:  # noqa: PTH123 - as in get_code
            return file.read()

    def get_resource_reader(self, _name: str) -> Any:
        """Reads files beside the module (`importlib.resources`)."""
        from importlib.readers import FileReader  # noqa: PLC0415 - rarely needed, slow to load

        loader: Any = self
        return FileReader(loader)


class UserFinder:
    """Finds user modules: those in the folder of the main module, but for dependency folders."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._codes: dict[str, CodeType] = {}
        self.found: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: Any = None
    ) -> ModuleSpec | None:
        """The spec of a user module; None for everything else."""
        folders = [self._sources.import_root] if path is None else list(path)
        stem = name.rpartition(".")[2]
        for folder in folders:
            base = os.path.join(folder, stem)  # noqa: PTH118 - called for every import
            package = os.path.join(base, "__init__.py")  # noqa: PTH118 - called for every import
            if self._is_user_module(package):
                return self._spec(name, package, base)
            if self._is_user_module(base + ".py"):
                return self._spec(name, base + ".py", None)
        return None

    def _is_user_module(self, path: str) -> bool:
        return os.path.isfile(path) and self._sources.is_user_file(path)  # noqa: PTH113 - called often

    def _spec(self, name: str, path: str, package: str | None) -> ModuleSpec:
        loader: Any = _UserLoader(path, self._codes, self._sources)
        spec = ModuleSpec(name, loader, origin=path, is_package=package is not None)
        spec.has_location = True
        if package is not None:
            spec.submodule_search_locations = [package]
        self.found.add(name)
        return spec


class FolderFinder:
    """Finds folders without `__init__.py` as namespace packages; asked last, as the import system
    does."""

    def __init__(self, users: UserFinder, sources: Sources) -> None:
        self._users = users
        self._sources = sources

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: Any = None
    ) -> ModuleSpec | None:
        """The spec of a namespace package in the project; None for everything else."""
        folders = [self._sources.import_root] if path is None else list(path)
        for folder in folders:
            found = os.path.join(folder, name.rpartition(".")[2])  # noqa: PTH118 - called often
            inside = os.path.join(found, "x.py")  # noqa: PTH118 - called often
            if os.path.isdir(found) and self._sources.is_user_file(inside):  # noqa: PTH112
                spec = ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [found]
                self._users.found.add(name)
                return spec
        return None


class _SdkFinder:
    """Finds the SDK that comes with eutaxy, when neither project nor interpreter has one."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: Any = None
    ) -> ModuleSpec | None:
        """The spec of one of the SDK's top-level modules; None for everything else."""
        if path is None and name in {"workers", "asgi"}:
            return PathFinder.find_spec(name, [self._folder])
        return None


class Isolates:
    """Makes isolates and restores what one may have changed for the next.

    Args:
        sources: Tells user files from others.
        main: Path of the main module.
        sdk_folder: Where the SDK that comes with eutaxy lies.
    """

    def __init__(self, sources: Sources, main: str, sdk_folder: str) -> None:
        self._finder = UserFinder(sources)
        sys.meta_path.insert(0, self._finder)
        sys.meta_path.append(_SdkFinder(sdk_folder))
        sys.meta_path.append(FolderFinder(self._finder, sources))
        self._name = os.path.basename(main).removesuffix(".py")  # noqa: PTH119 - as above
        self._main: ModuleType | None = None
        self._shared = _SharedState()

    @property
    def main(self) -> ModuleType | None:
        """The main module of the present isolate; None when it has none yet."""
        return self._main

    def begin_fresh(self) -> None:
        """Forget the user modules and undo what they did to modules that all isolates share."""
        self._main = None
        for name in self._finder.found:
            sys.modules.pop(name, None)
        self._finder.found.clear()
        self._shared.restore()

    def load_main(self) -> ModuleType:
        """Execute the main module in the present isolate."""
        self._main = importlib.import_module(self._name)
        _adapt_packages()
        return self._main

    def keep_shared_state(self) -> None:
        """Remember the state of shared modules as the one that every fresh isolate starts from."""
        self._shared.keep(self._finder.found)


def _adapt_packages() -> None:
    """What the platform changes in packages that count on threads: their work is done at once."""
    to_thread = sys.modules.get("anyio.to_thread")
    if to_thread is not None:
        vars(to_thread)["run_sync"] = _run_at_once


async def _run_at_once(function: Callable[..., Any], *args: Any, **_options: Any) -> Any:
    return function(*args)


_STATEFUL = frozenset({"asyncio", "builtins", "datetime", "json", "logging", "random", "time"})
_STATEFUL_PACKAGES = frozenset({"js", "pyodide", "workers"})


class _SharedState:
    """Names in shared modules that user code may have replaced, and a few registries."""

    def __init__(self) -> None:
        self._names: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._lists: list[tuple[list[Any], list[Any]]] = []
        self._environ: dict[str, str] = {}
        self._modules: set[str] = set()
        self._streams = (sys.stdout, sys.stderr)
        self._recursion_limit = sys.getrecursionlimit()
        self._loggers: dict[str, Any] | None = None

    def keep(self, users: set[str]) -> None:
        self._environ = dict(os.environ)
        self._modules = set(sys.modules)
        self._streams = (sys.stdout, sys.stderr)
        self._recursion_limit = sys.getrecursionlimit()
        self._lists = [(each, list(each)) for each in (sys.path, sys.meta_path, sys.path_hooks)]
        self._names = []
        for name, module in list(sys.modules.items()):
            is_kept = name in _STATEFUL or name.partition(".")[0] in _STATEFUL_PACKAGES
            if is_kept and name not in users:
                self._names.append((vars(module), dict(vars(module))))
        logging = sys.modules.get("logging")
        self._loggers = _logger_states(logging) if logging is not None else None

    def restore(self) -> None:
        if not self._names:
            return
        sys.stdout, sys.stderr = self._streams
        sys.setrecursionlimit(self._recursion_limit)
        for name in [each for each in sys.modules if each not in self._modules]:
            # A module without a spec did not come from an import: user code made it.
            if getattr(sys.modules[name], "__spec__", None) is None:
                del sys.modules[name]
        if os.environ != self._environ:
            os.environ.clear()
            os.environ.update(self._environ)
        for live_list, kept_list in self._lists:
            if live_list != kept_list:
                live_list[:] = kept_list
        for live, kept in self._names:
            if live != kept:
                for name in [each for each in live if each not in kept]:
                    # A submodule that was imported meanwhile stays an attribute of its package.
                    if not isinstance(live[name], ModuleType):
                        del live[name]
                live.update(kept)
        logging = sys.modules.get("logging")
        if logging is not None:
            _restore_loggers(logging, self._loggers or {})


def _logger_states(logging: Any) -> dict[str, Any]:
    root = logging.getLogger()
    named = {
        name: logger
        for name, logger in logging.Logger.manager.loggerDict.items()
        if isinstance(logger, logging.Logger)
    }
    states = {}
    for name, logger in [("", root), *named.items()]:
        is_off = (logger.propagate, logger.disabled)
        states[name] = (list(logger.handlers), list(logger.filters), logger.level, *is_off)
    return states


def _restore_loggers(logging: Any, kept: dict[str, Any]) -> None:
    default: tuple[Any, ...] = ([], [], logging.NOTSET, True, False)
    for name, state in _logger_states(logging).items():
        wanted = kept.get(name, default if name else ([], [], logging.WARNING, True, False))
        if state == wanted:
            continue
        logger = logging.getLogger(name or None)
        logger.handlers[:], logger.filters[:] = wanted[0], wanted[1]
        logger.setLevel(wanted[2])
        logger.propagate, logger.disabled = wanted[3], wanted[4]
