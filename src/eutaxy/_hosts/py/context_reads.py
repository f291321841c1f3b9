"""The context object of a step callback, and noticing that user code reads from it.

Only `attempt` and `step.count` count as reads: the rest is the same for every attempt. The SDK
hands user code its own `JsDict` copy of the context, so the copy is made of a class that notices;
an SDK without that class makes every callback that takes the context count as reading it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from eutaxy._hosts.py.jsvalues import JsObject
from eutaxy._hosts.py.moment import moment


class _ContextObject(JsObject):
    """The context as JavaScript has it: converting it shows that the function takes it."""

    def note_conversion(self) -> None:
        """What cannot be watched afterwards counts as read now."""
        if not _is_watched():
            moment.read("context")

    def __getattr__(self, name: str) -> Any:
        if name in {"attempt", "step"}:
            moment.read("context")
        return super().__getattr__(name)


def watched_argument(argument: Any) -> Any:
    """The argument of a function of a step: a context, or an object that holds one as `ctx`."""
    if type(argument) is not JsObject:
        return argument
    properties = argument.as_object_map()
    inner = properties.get("ctx")
    if type(inner) is not JsObject:
        return _ContextObject(properties)
    return JsObject({**properties, "ctx": _ContextObject(inner.as_object_map())})


def _is_watched() -> bool:
    entrypoints = sys.modules.get("workers.entrypoints")
    return getattr(getattr(entrypoints, "python_from_rpc", None), "is_watching", False)


def watch_conversion() -> None:
    """Let the SDK's step code convert contexts into dictionaries that notice reads."""
    entrypoints = sys.modules.get("workers.entrypoints")
    rpc = sys.modules.get("workers.rpc")
    real = getattr(entrypoints, "python_from_rpc", None)
    base = getattr(rpc, "JsDict", None)
    if real is None or base is None or _is_watched():
        return
    watching_class = _watching_class(base)

    def python_from_rpc(obj: Any) -> Any:
        converted = real(obj)
        if not isinstance(obj, _ContextObject):
            # A context further inside is converted out of sight.
            if isinstance(obj, JsObject) and any(
                isinstance(each, _ContextObject) for each in obj.as_object_map().values()
            ):
                moment.read("context")
            return converted
        step = converted.get("step")
        if isinstance(step, dict):
            converted["step"] = watching_class(step, "count")
        return watching_class(converted, "attempt")

    python_from_rpc.is_watching = True  # type: ignore[attr-defined]
    entrypoints.python_from_rpc = python_from_rpc  # type: ignore[union-attr]


def _watching_class(base: type[dict[str, Any]]) -> Callable[[dict[str, Any], str], dict[str, Any]]:
    class WatchingDict(base):  # type: ignore[misc, valid-type]
        """A dictionary that notices when its watched key is read, alone or with all others."""

        def __init__(self, items: dict[str, Any], watched: str) -> None:
            super().__init__(items)
            object.__setattr__(self, "_watched", watched)

        def _note(self, key: object) -> None:
            if key == object.__getattribute__(self, "_watched"):
                moment.read("context")

        def _note_all(self) -> None:
            moment.read("context")

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

        def items(self) -> Any:
            """As `dict.items`."""
            self._note_all()
            return super().items()

        def values(self) -> Any:
            """As `dict.values`."""
            self._note_all()
            return super().values()

        def copy(self) -> Any:
            """As `dict.copy`."""
            self._note_all()
            return super().copy()

        def popitem(self) -> Any:
            """As `dict.popitem`."""
            self._note_all()
            return super().popitem()

        def __eq__(self, other: object) -> bool:
            self._note_all()
            return bool(super().__eq__(other))

        __hash__ = None  # type: ignore[assignment]

        def __or__(self, other: Any) -> Any:
            self._note_all()
            return super().__or__(other)

        def __repr__(self) -> str:
            self._note_all()
            return str(super().__repr__())

    return WatchingDict
