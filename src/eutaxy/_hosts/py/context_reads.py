"""Noticing that user code reads what depends on the attempt or on time.

In the context of a step callback only `attempt` and `step.count` count as reads: the rest is the
same for every attempt. In an event it is `timestamp`. The SDK hands user code its own `JsDict`
copies of both, so the copies are made of a class that notices; with an SDK without that class,
converting one counts as reading it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from eutaxy._hosts.py.jsvalues import JsObject
from eutaxy._hosts.py.moment import moment


class _Watched(JsObject):
    """An object as JavaScript has it, some of whose members must not be read unnoticed.

    Args:
        properties: Its properties.
        names: Names of the watched ones.
        read: What reading one counts as.
    """

    def __init__(self, properties: dict[str, Any], names: tuple[str, ...], read: str) -> None:
        super().__init__(properties)
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_read", read)

    def note(self) -> None:
        """It was read."""
        moment.read(object.__getattribute__(self, "_read"))

    def properties_to_convert(self) -> dict[str, Any]:
        """What cannot be watched afterwards counts as read now."""
        if not _is_watched():
            self.note()
        return super().properties_to_convert()

    def as_object_map(self) -> dict[str, Any]:
        """All properties, which counts as reading them."""
        self.note()
        return super().as_object_map()

    def __getattr__(self, name: str) -> Any:
        if name in object.__getattribute__(self, "_names"):
            self.note()
        return super().__getattr__(name)


class _Context(_Watched):
    """The context of a function of a step."""

    def __init__(self, properties: dict[str, Any]) -> None:
        super().__init__(properties, ("attempt", "step"), "context")


class _Event(_Watched):
    """What `run` or a wait is given."""

    def __init__(self, properties: dict[str, Any]) -> None:
        super().__init__(properties, ("timestamp",), "clock")


def watched_argument(argument: Any) -> Any:
    """The argument of a function of a step: a context, or an object that holds one as `ctx`."""
    if type(argument) is not JsObject:
        return argument
    properties = argument.as_object_map()
    inner = properties.get("ctx")
    if type(inner) is not JsObject:
        return _Context(properties)
    return JsObject({**properties, "ctx": _Context(inner.as_object_map())})


def watched_event(event: Any) -> Any:
    """The event that `run` or a wait is given."""
    return _Event(event.as_object_map()) if type(event) is JsObject else event


def _is_watched() -> bool:
    entrypoints = sys.modules.get("workers.entrypoints")
    return getattr(getattr(entrypoints, "python_from_rpc", None), "is_watching", False)


def watch_conversion() -> None:
    """Let the SDK convert contexts and events into dictionaries that notice reads."""
    entrypoints = sys.modules.get("workers.entrypoints")
    rpc = sys.modules.get("workers.rpc")
    real = getattr(entrypoints, "python_from_rpc", None)
    base = getattr(rpc, "JsDict", None)
    if real is None or base is None or _is_watched():
        return
    watching_class = _watching_class(base)

    def python_from_rpc(obj: Any) -> Any:
        converted = real(obj)
        if isinstance(obj, _Event):
            return watching_class(converted, "timestamp", "clock")
        if isinstance(obj, _Context):
            step = converted.get("step")
            if isinstance(step, dict):
                converted["step"] = watching_class(step, "count", "context")
            return watching_class(converted, "attempt", "context")
        # A context further inside is converted out of sight.
        inside = obj.as_object_map().values() if isinstance(obj, JsObject) else ()
        if any(isinstance(each, _Context) for each in inside):
            moment.read("context")
        return converted

    python_from_rpc.is_watching = True  # type: ignore[attr-defined]
    entrypoints.python_from_rpc = python_from_rpc  # type: ignore[union-attr]


def _watching_class(
    base: type[dict[str, Any]],
) -> Callable[[dict[str, Any], str, str], dict[str, Any]]:
    class WatchingDict(base):  # type: ignore[misc, valid-type]
        """A dictionary that notices when its watched key is read, alone or with all others."""

        def __init__(self, items: dict[str, Any], watched: str, read: str) -> None:
            super().__init__(items)
            object.__setattr__(self, "_watched", watched)
            object.__setattr__(self, "_read", read)

        def _note(self, key: object) -> None:
            if key == object.__getattribute__(self, "_watched"):
                self._note_all()

        def _note_all(self) -> None:
            moment.read(object.__getattribute__(self, "_read"))

        def __getitem__(self, key: str) -> Any:
            self._note(key)
            return super().__getitem__(key)

        def get(self, key: str, default: Any = None) -> Any:
            """As `dict.get`."""
            self._note(key)
            return super().get(key, default)

        def pop(self, key: str, *default: Any) -> Any:
            """As `dict.pop`."""
            self._note(key)
            return super().pop(key, *default)

        def __iter__(self) -> Iterator[str]:
            # Overridden so that C code does not copy the contents past these methods.
            names: Iterator[str] = super().__iter__()
            return names

        __hash__ = None  # type: ignore[assignment]

    for name in _COPIES:
        setattr(WatchingDict, name, _noting(getattr(base, name)))
    return WatchingDict


_COPIES = ("items", "values", "copy", "popitem", "__eq__", "__ne__", "__or__", "__repr__")
"""Methods of `dict` that give, or depend on, everything in it."""


def _noting(method: Callable[..., Any]) -> Callable[..., Any]:
    def noting(self: Any, *args: Any) -> Any:
        object.__getattribute__(self, "_note_all")()
        return method(self, *args)

    return noting
