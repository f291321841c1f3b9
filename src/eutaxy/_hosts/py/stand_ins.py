"""The modules that Pyodide and the platform provide: `js`, `pyodide`, entrypoint helper and
flags."""
# ruff: noqa: N802 - names of JavaScript's own functions

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from eutaxy._hosts.py import js_globals
from eutaxy._hosts.py.bindings import wait_until
from eutaxy._hosts.py.convert import JsDoubleProxy, to_js
from eutaxy._hosts.py.jsdata import JsBuffer
from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.jsvalues import JsArray, JsBigInt, JsMap, JsNull, JsObject, JsProxy, jsnull
from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.promise import JsPromise
from eutaxy._hosts.py.reports import Unmodelled
from eutaxy._hosts.py.steps import sdk_javascript_module

PYODIDE_VERSION = "0.28.2"

_env: list[JsObject] = [JsObject()]
"""The `env` of the present isolate."""


def set_env(env: JsObject) -> None:
    """Make it the `env` that `cloudflare:workers` and the SDK see."""
    _env[0] = env


def install(flags: frozenset[str]) -> None:
    """Put the stand-ins where `import` finds them."""
    _module("_cloudflare_compat_flags", __getattr__=lambda name: _flag(flags, name))
    _module("_pyodide_entrypoint_helper", __getattr__=_helper_attribute, **_helper())
    js = _module("js", **js_globals.members())
    vars(js)["__getattr__"] = js_globals.missing
    ffi = _module("pyodide.ffi", **_ffi(), __getattr__=_missing_in("pyodide.ffi"))
    http = _http_module()
    webloop = _module("pyodide.webloop", __getattr__=_missing_in("pyodide.webloop"))
    code = _module("pyodide.code", run_js=_refused("pyodide.code.run_js"))
    _module(
        "pyodide",
        __version__=PYODIDE_VERSION,
        __path__=[],
        ffi=ffi,
        http=http,
        webloop=webloop,
        code=code,
    )


def _module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module
    return module


def _flag(flags: frozenset[str], name: str) -> bool:
    if name.startswith("__"):
        raise AttributeError(name)
    return name in flags


def _missing_in(module: str) -> Callable[[str], Any]:
    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return moment.stop(Unmodelled(f"{module}.{name}"))

    return missing


def _refused(what: str) -> Callable[..., Any]:
    return lambda *_args, **_options: moment.stop(Unmodelled(what))


# -- _pyodide_entrypoint_helper -------------------------------------------------------------------


class _WorkersModule(JsProxy):
    """What JavaScript gets for `cloudflare:workers`."""

    @property
    def env(self) -> JsObject:
        """The bindings."""
        return _env[0]

    def waitUntil(self, awaited: Any) -> None:
        """As `ctx.waitUntil`."""
        wait_until(awaited)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return moment.stop(Unmodelled(f"{name} of cloudflare:workers"))


async def _import(name: str) -> Any:
    return sdk_javascript_module(name)


def _patch_env(changes: Any) -> Iterator[None]:
    env = _env[0].as_object_map()
    kept = dict(env)
    entries = changes.pairs if isinstance(changes, JsMap) else changes.as_object_map().items()
    env.update(entries)
    try:
        yield
    finally:
        env.clear()
        env.update(kept)


def _helper() -> dict[str, Any]:
    return {
        "cloudflareWorkersModule": _WorkersModule(),
        "doAnImport": _import,
        "patchWaitUntil": lambda _ctx: None,
        "patch_env_helper": _patch_env,
    }


def _helper_attribute(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return moment.stop(Unmodelled(f"{name} of the Python entrypoint helper"))


# -- pyodide --------------------------------------------------------------------------------------


def _run_sync(awaitable: Any) -> Any:
    """Wait in synchronous code."""
    if moment.phase is Phase.IMPORT or moment.wait_in_place is None:
        # What Pyodide says; the SDK looks for these words.
        raise RuntimeError("No suspender")
    return moment.wait_in_place(awaitable)


def _create_proxy(target: Any, **_options: Any) -> JsDoubleProxy:
    return target if isinstance(target, JsDoubleProxy) else JsDoubleProxy(target)


@contextmanager
def _no_proxies() -> Iterator[None]:
    yield


def _ffi() -> dict[str, Any]:
    return {
        "ConversionError": type("ConversionError", (Exception,), {}),
        "JsArray": JsArray,
        "JsBigInt": JsBigInt,
        "JsBuffer": JsBuffer,
        "JsDoubleProxy": JsDoubleProxy,
        "JsException": JsException,
        "JsMap": JsMap,
        "JsNull": JsNull,
        "JsPromise": JsPromise,
        "JsProxy": JsProxy,
        "can_run_sync": lambda: moment.phase is Phase.RUN,
        "create_once_callable": _create_proxy,
        "create_proxy": _create_proxy,
        "destroy_proxies": lambda _proxies: None,
        "jsnull": jsnull,
        "run_sync": _run_sync,
        "to_js": to_js,
    }


def _http_module() -> ModuleType:
    from eutaxy._hosts.py import http_module  # noqa: PLC0415 - it is part of what is installed here

    members = {"FetchResponse": http_module.FetchResponse, "pyfetch": http_module.pyfetch}
    return _module("pyodide.http", **members, __getattr__=_missing_in("pyodide.http"))
