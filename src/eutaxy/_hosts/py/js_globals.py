"""The members of the `js` module: JavaScript's globals as a Worker has them."""

from __future__ import annotations

import asyncio
import contextvars
import math
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from eutaxy._hosts.py import ambient, bodies, js_json, jsdata, messages, urls
from eutaxy._hosts.py.jserrors import ERROR_CONSTRUCTORS, js_error
from eutaxy._hosts.py.jsvalues import (
    JsArray,
    JsConstructor,
    JsMap,
    JsObject,
    JsProxy,
    JsRegExp,
    JsSet,
    in_property_order,
    is_same,
    js_text,
    jsnull,
)
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.promise import JsPromise
from eutaxy._hosts.py.reports import Unmodelled


def object_from_entries(entries: Any) -> JsObject:
    """`Object.fromEntries`: keys become text."""
    pairs = entries.entries() if isinstance(entries, JsMap) else entries
    return JsObject({js_text(key): value for key, value in pairs})


def _assign(target: Any, *sources: Any) -> Any:
    for source in sources:
        if isinstance(source, JsObject):
            target.as_object_map().update(source.as_object_map())
    return target


def _keys(value: Any) -> JsArray:
    if isinstance(value, JsArray):
        return JsArray(str(index) for index in range(len(value)))
    return JsArray(in_property_order(_properties(value)))


def _properties(value: Any) -> dict[str, Any]:
    return value.as_object_map() if isinstance(value, JsObject) else {}


def _print(*values: Any) -> None:
    moment.prints.append(" ".join(_shown(value) for value in values))


def _shown(value: Any) -> str:
    if isinstance(value, JsArray) or type(value) is JsObject:
        return js_json.stringify(value) or "undefined"
    return str(value) if not isinstance(value, JsProxy) and value is not None else js_text(value)


def _make_date(*fields: Any) -> jsdata.JsDate:
    if not fields:
        return jsdata.JsDate(ambient.read_clock_ms())
    if len(fields) > 1:
        return jsdata.date_of_fields(*fields)
    (value,) = fields
    if isinstance(value, jsdata.JsDate):
        return jsdata.JsDate(value.ms)
    if isinstance(value, str):
        return jsdata.parse_date(value)
    return jsdata.JsDate(None if value is None else value)


def _set_timeout(callback: Any, delay: Any = 0, *args: Any) -> int:
    from eutaxy._hosts.py.fibers import start_timer  # noqa: PLC0415 - only timers need it

    timer_id = len(_timers) + 1
    context = contextvars.copy_context()
    ms = max(0, int(delay)) if isinstance(delay, int | float) and math.isfinite(delay) else 0

    def fire() -> None:
        asyncio.get_running_loop().call_soon(callback, *args, context=context)

    _timers[timer_id] = start_timer(ms, fire)
    return timer_id


_timers: dict[int, Callable[[], None]] = {}
"""What takes back each timer of the present evaluation, by id."""


def forget_timers() -> None:
    """A new evaluation begins."""
    _timers.clear()


def _clear_timeout(timer_id: Any = None) -> None:
    if timer_id in _timers:
        _timers[timer_id]()


def _queue_microtask(callback: Any) -> None:
    asyncio.get_running_loop().call_soon(callback)


class _Namespace(JsProxy):
    """An object with functions, such as `Math`; what it lacks is reported by name."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self._name = name
        vars(self).update(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return moment.stop(Unmodelled(f"js.{vars(self)['_name']}.{name}"))


def _math() -> _Namespace:
    members: dict[str, Any] = {
        name: getattr(math, name)
        for name in ("sqrt", "sin", "cos", "tan", "atan", "atan2", "exp", "hypot", "log2", "log10")
    }
    members |= {"PI": math.pi, "E": math.e, "abs": abs, "log": math.log, "pow": pow}
    members |= {"max": max, "min": min, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}
    members |= {"round": lambda x: math.floor(x + 0.5), "random": ambient.random_fraction}
    return _Namespace("Math", members)


def _crypto() -> _Namespace:
    def get_random_values(view: Any) -> Any:
        view.assign(ambient.random_bytes(view.byteLength))
        return view

    def random_uuid() -> str:
        data = bytearray(ambient.random_bytes(16))
        data[6] = data[6] & 0x0F | 0x40
        data[8] = data[8] & 0x3F | 0x80
        digits = data.hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    return _Namespace("crypto", {"getRandomValues": get_random_values, "randomUUID": random_uuid})


class _TextEncoder(JsProxy):
    def encode(self, text: Any = "") -> jsdata.JsBuffer:
        """Text as UTF-8 bytes."""
        return jsdata.JsBuffer(js_text(text).encode("utf-8", "replace"))


class _TextDecoder(JsProxy):
    def __init__(self, label: str = "utf-8", *_options: Any, **_named: Any) -> None:
        if label.lower() not in {"utf-8", "utf8"}:
            moment.stop(Unmodelled(f"js.TextDecoder for {label}", "decode the bytes in Python"))

    def decode(self, data: Any = None) -> str:
        """UTF-8 bytes as text."""
        return "" if data is None else bytes(data).decode("utf-8", "replace").removeprefix("\ufeff")


def _structured_clone(value: Any) -> Any:
    from eutaxy._hosts.py import codec, fibers  # noqa: PLC0415 - only this function needs them

    try:
        return codec.decode(codec.encode(value))
    except codec.NotCloneable as error:
        raise fibers.clone_error(error) from None


def _object() -> JsConstructor:
    return JsConstructor(
        "Object",
        lambda *_args: JsObject(),
        assign=_assign,
        entries=lambda value: JsArray(JsArray((k, _properties(value)[k])) for k in _keys(value)),
        fromEntries=object_from_entries,
        freeze=lambda value: value,
        keys=_keys,
        values=lambda value: JsArray(_properties(value)[key] for key in _keys(value)),
        **{"is": is_same},
    )


def _date() -> JsConstructor:
    date = JsConstructor(
        "Date",
        _make_date,
        now=ambient.read_clock_ms,
        parse=lambda text: jsdata.parse_date(js_text(text)).getTime(),
        UTC=lambda *fields: jsdata.date_of_fields(*fields).getTime(),
    )
    jsdata.JsDate.constructor = date
    return date


def members() -> dict[str, Any]:
    """Every global that is modelled."""
    console = dict.fromkeys(("debug", "error", "info", "log", "trace", "warn"), _print)
    known: dict[str, Any] = {
        **jsdata.BUFFER_CONSTRUCTORS,
        **ERROR_CONSTRUCTORS,
        "Array": JsConstructor(
            "Array",
            lambda *items: JsArray(items),
            isArray=lambda value: isinstance(value, JsArray),
            of=lambda *items: JsArray(items),
            **{"from": JsArray},
        ),
        "Blob": bodies.JsBlob.constructor,
        "Boolean": JsConstructor("Boolean", bool),
        "Date": _date(),
        "File": bodies.JsFile.constructor,
        "FormData": bodies.JsFormData.constructor,
        "Headers": bodies.JsHeaders.constructor,
        "Infinity": math.inf,
        "JSON": _Namespace("JSON", {"parse": js_json.parse, "stringify": js_json.stringify}),
        "Map": JsMap.constructor,
        "Math": _math(),
        "NaN": math.nan,
        "Object": _object(),
        "Promise": JsPromise.constructor,
        "ReadableStream": bodies.JsReadableStream.constructor,
        "RegExp": JsConstructor("RegExp", JsRegExp),
        "Request": messages.JsRequest.constructor,
        "Response": messages.JsResponse.constructor,
        "Set": JsSet.constructor,
        "String": JsConstructor("String", js_text),
        "TextDecoder": JsConstructor("TextDecoder", _TextDecoder),
        "TextEncoder": JsConstructor("TextEncoder", _TextEncoder),
        "URL": urls.JsURL.constructor,
        "URLSearchParams": urls.JsURLSearchParams.constructor,
        "clearTimeout": _clear_timeout,
        "console": _Namespace("console", console),
        "crypto": _crypto(),
        "decodeURIComponent": lambda text: unquote(js_text(text), errors="strict"),
        "encodeURIComponent": lambda text: quote(js_text(text), safe="!'()*-._~"),
        "fetch": messages.fetch,
        "null": jsnull,
        "performance": _Namespace("performance", {"now": ambient.read_clock_ms}),
        "queueMicrotask": _queue_microtask,
        "setTimeout": _set_timeout,
        "structuredClone": _structured_clone,
        "undefined": None,
    }
    scope = _Namespace("globalThis", known)
    return {**known, "globalThis": scope, "self": scope}


_PLATFORM = frozenset(
    [
        "AbortController",
        "AbortSignal",
        "BigInt",
        "CompressionStream",
        "CountQueuingStrategy",
        "Crypto",
        "CryptoKey",
        "DOMException",
        "DecompressionStream",
        "DigestStream",
        "Event",
        "EventSource",
        "EventTarget",
        "FixedLengthStream",
        "Function",
        "HTMLRewriter",
        "IdentityTransformStream",
        "Intl",
        "MessageChannel",
        "Number",
        "Proxy",
        "Reflect",
        "Symbol",
        "TextDecoderStream",
        "TextEncoderStream",
        "TransformStream",
        "URLPattern",
        "WeakMap",
        "WeakRef",
        "WebAssembly",
        "WebSocket",
        "WebSocketPair",
        "WritableStream",
        "addEventListener",
        "atob",
        "btoa",
        "caches",
        "clearInterval",
        "navigator",
        "reportError",
        "scheduler",
        "setInterval",
    ]
)
"""Globals that a Worker has and the model lacks."""


def missing(name: str) -> Any:
    """What `js` says of a name that is not modelled."""
    if name not in _PLATFORM:
        raise AttributeError(f"module 'js' has no attribute {name!r}")
    return _Missing(name)


class _Missing(JsProxy):
    """A global that the model lacks; importing it is harmless, using it is reported."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return moment.stop(Unmodelled(f"js.{self._name}"))

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        return moment.stop(Unmodelled(f"js.{self._name}"))


_TextEncoder.constructor = JsConstructor("TextEncoder", _TextEncoder)
_TextDecoder.constructor = JsConstructor("TextDecoder", _TextDecoder)
_Namespace.constructor = JsConstructor("Object", lambda *_args: JsObject())
__all__ = ["forget_timers", "js_error", "members", "missing", "object_from_entries"]
