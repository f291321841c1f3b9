"""Headers, blobs, forms and streams: what requests and responses are made of."""
# ruff: noqa: N802 - names of JavaScript's own members

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from eutaxy._hosts.py.jsdata import JsBuffer
from eutaxy._hosts.py.jserrors import js_error
from eutaxy._hosts.py.jsvalues import (
    JsArray,
    JsConstructor,
    JsMap,
    JsNull,
    JsObject,
    JsProxy,
    js_text,
)
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.promise import JsPromise, resolved
from eutaxy._hosts.py.reports import Unmodelled
from eutaxy._hosts.py.urls import JsURLSearchParams

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class JsHeaders(JsProxy):
    """`Headers`: lower-case names, listed in order of name.

    Args:
        init: Another one, an object, pairs, or nothing.
    """

    def __init__(self, init: Any = None) -> None:
        self.lines: list[tuple[str, str]] = []
        self.is_immutable = False
        if init is None or isinstance(init, JsNull):
            return
        if isinstance(init, JsObject):
            pairs: Any = init.as_object_map().items()
        elif isinstance(init, JsHeaders):
            pairs = list(init.lines)
        elif isinstance(init, JsMap):
            pairs = init.pairs
        elif isinstance(init, dict):
            moment.stop(Unmodelled("a Python dict as JavaScript headers", "convert it with to_js"))
        else:
            pairs = init
        for name, value in pairs:
            self.append(name, value)

    def append(self, name: str, value: Any) -> None:
        """Add a line."""
        self._check_mutable()
        text = js_text(value).strip(" \t\r\n")
        if not _TOKEN.fullmatch(name) or re.search(r"[\x00\r\n]", text):
            raise js_error("TypeError", f"Invalid header: {name}")
        self.lines.append((name.lower(), text))

    def set(self, name: str, value: Any) -> None:
        """Replace all lines of a name by one."""
        self.delete(name)
        self.append(name, value)

    def delete(self, name: str) -> None:
        """Remove all lines of a name."""
        self._check_mutable()
        self.lines = [line for line in self.lines if line[0] != name.lower()]

    def _check_mutable(self) -> None:
        if self.is_immutable:
            raise js_error("TypeError", "Can't modify immutable headers.")

    def get(self, name: str) -> str | None:
        """The lines of a name, joined; None when there is none."""
        values = [value for key, value in self.lines if key == name.lower()]
        return ", ".join(values) if values else None

    def has(self, name: str) -> bool:
        """Whether there is such a name."""
        return any(key == name.lower() for key, _ in self.lines)

    def getSetCookie(self) -> JsArray:
        """All Set-Cookie lines."""
        return JsArray(value for key, value in self.lines if key == "set-cookie")

    def pairs(self) -> list[tuple[str, str]]:
        """(name, value) by name; lines of one name are joined, but for Set-Cookie."""
        listed: list[tuple[str, str]] = []
        for name in sorted({key for key, _ in self.lines}):
            if name == "set-cookie":
                listed.extend((key, value) for key, value in self.lines if key == name)
            else:
                listed.append((name, self.get(name) or ""))
        return listed

    def as_value(self) -> JsObject:
        """`{lower-case name: text}`."""
        named: dict[str, str] = {}
        for name, value in self.pairs():
            named[name] = f"{named[name]}, {value}" if name in named else value
        return JsObject(dict(named))

    def keys(self) -> JsArray:
        """All names."""
        return JsArray(name for name, _ in self.pairs())

    def values(self) -> JsArray:
        """All values."""
        return JsArray(value for _, value in self.pairs())

    def entries(self) -> JsArray:
        """All (name, value) pairs."""
        return JsArray(JsArray(pair) for pair in self.pairs())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries())


class JsBlob(JsProxy):
    """`Blob`.

    Args:
        parts: Text, buffers and blobs.
        options: Its options object.
        type_: Its media type, when given by name.
    """

    def __init__(self, parts: Any = (), options: Any = None, **named: Any) -> None:
        given = {**(options.as_object_map() if isinstance(options, JsObject) else {}), **named}
        self.data = b"".join(_part_bytes(part) for part in parts)
        kind = given.get("type")
        self.type = js_text(kind).lower() if isinstance(kind, str) else ""

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    def text(self) -> JsPromise:
        """Its bytes as text."""
        return resolved(self.data.decode("utf-8", "replace"))

    def arrayBuffer(self) -> JsPromise:
        """Its bytes."""
        return resolved(JsBuffer(self.data, "ArrayBuffer"))

    def bytes(self) -> JsPromise:
        """Its bytes."""
        return resolved(JsBuffer(self.data))

    def stream(self) -> JsReadableStream:
        """Its bytes as a stream."""
        return JsReadableStream(self.data)

    def slice(self, start: int | None = None, end: int | None = None, kind: Any = None) -> JsBlob:
        """Some of its bytes."""
        return JsBlob([JsBuffer(self.data[start:end])], type=kind)


class JsFile(JsBlob):
    """`File`: a blob with a name."""

    def __init__(self, parts: Any = (), name: str = "", options: Any = None, **named: Any) -> None:
        super().__init__(parts, options, **named)
        self.name = name
        modified = named.get("lastModified")
        self.lastModified = modified if modified is not None else 0


def _part_bytes(part: Any) -> bytes:
    if isinstance(part, JsBlob):
        return part.data
    if isinstance(part, JsBuffer):
        return part.to_bytes()
    return js_text(part).encode()


class JsFormData(JsProxy):
    """`FormData`: names with text or files, in the order in which they were added."""

    def __init__(self, *_nothing: Any) -> None:
        self.pairs: list[tuple[str, Any]] = []

    def append(self, name: str, value: Any, filename: Any = None) -> None:
        """Add an entry."""
        self.pairs.append((name, self._entry(value, filename)))

    @staticmethod
    def _entry(value: Any, filename: Any) -> Any:
        if not isinstance(value, JsBlob):
            return js_text(value)
        if isinstance(value, JsFile) and filename is None:
            return value
        return JsFile([value], filename or "blob", type=value.type)

    def set(self, name: str, value: Any, filename: Any = None) -> None:
        """Replace all entries of a name by one."""
        entry = (name, self._entry(value, filename))
        index = next((n for n, (key, _) in enumerate(self.pairs) if key == name), len(self.pairs))
        self.pairs[index : index + 1] = [entry]
        self.pairs = [p for n, p in enumerate(self.pairs) if n <= index or p[0] != name]

    def delete(self, name: str) -> None:
        """Remove all entries of a name."""
        self.pairs = [pair for pair in self.pairs if pair[0] != name]

    def get(self, name: str) -> Any:
        """The first entry of a name."""
        return next((item for key, item in self.pairs if key == name), None)

    def getAll(self, name: str) -> JsArray:
        """All entries of a name."""
        return JsArray(item for key, item in self.pairs if key == name)

    def has(self, name: str) -> bool:
        """Whether there is such a name."""
        return any(key == name for key, _ in self.pairs)

    def keys(self) -> list[str]:
        """All names."""
        return [key for key, _ in self.pairs]

    def values(self) -> list[Any]:
        """All entries' values."""
        return [item for _, item in self.pairs]

    def entries(self) -> list[tuple[str, Any]]:
        """All entries."""
        return list(self.pairs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries())


class JsReadableStream(JsProxy):
    """`ReadableStream` of bytes that are all there already.

    Args:
        data: The bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.locked = False

    async def __aiter__(self) -> AsyncIterator[JsBuffer]:
        self.locked = True
        if self.data:
            yield JsBuffer(self.data)

    def getReader(self, _options: Any = None) -> _Reader:
        """A reader; it gets everything at once."""
        if self.locked:
            raise js_error("TypeError", "This ReadableStream is currently locked to a reader.")
        self.locked = True
        return _Reader(self)


class _Reader(JsProxy):
    def __init__(self, stream: JsReadableStream) -> None:
        self._stream = stream
        self._chunks = [JsBuffer(stream.data)] if stream.data else []

    def read(self) -> JsPromise:
        """The next chunk."""
        if self._chunks:
            return resolved(JsObject({"value": self._chunks.pop(), "done": False}))
        return resolved(JsObject({"value": None, "done": True}))

    def releaseLock(self) -> None:
        """Let others read."""
        self._stream.locked = False

    def cancel(self, _reason: Any = None) -> JsPromise:
        """Read no further."""
        self._chunks.clear()
        return resolved()


def body_of(body: Any) -> tuple[bytes | None, str | None]:
    """The bytes of a body, and the content type that it brings along."""
    if body is None or isinstance(body, JsNull):
        return None, None
    if isinstance(body, JsBuffer):
        return body.to_bytes(), None
    if isinstance(body, JsBlob):
        return body.data, body.type or None
    if isinstance(body, JsURLSearchParams):
        return body.toString().encode(), "application/x-www-form-urlencoded;charset=UTF-8"
    if isinstance(body, JsFormData):
        return _form_bytes(body)
    if isinstance(body, JsReadableStream):
        body.locked = True
        return body.data, None
    if isinstance(body, dict | list | tuple | bytes | bytearray | memoryview):
        kind = type(body).__name__
        moment.stop(
            Unmodelled(
                f"a Python {kind} as a JavaScript body", "pass text, or convert it with to_js"
            )
        )
    return js_text(body).encode("utf-8", "replace"), "text/plain;charset=UTF-8"


def _form_bytes(form: JsFormData) -> tuple[bytes, str]:
    """A form as multipart data; the boundary depends on the content only."""
    outline = [
        [name, item] if isinstance(item, str) else [name, item.name, item.type, item.size]
        for name, item in form.pairs
    ]
    import hashlib  # noqa: PLC0415 - slow to load, and few Workers send forms

    text = json.dumps(outline, ensure_ascii=False, separators=(",", ":"))
    boundary = f"----formdata-{hashlib.sha256(text.encode()).hexdigest()[:24]}"
    pieces: list[bytes] = []
    for name, item in form.pairs:
        head = f'--{boundary}\r\ncontent-disposition: form-data; name="{_escape_name(name)}"'
        if not isinstance(item, str):
            head += f'; filename="{_escape_name(item.name)}"'
            head += f"\r\ncontent-type: {item.type or 'application/octet-stream'}"
        pieces.append(f"{head}\r\n\r\n".encode())
        is_text = isinstance(item, str)
        pieces.append(re.sub(r"\r?\n|\r", "\r\n", item).encode() if is_text else item.data)
        pieces.append(b"\r\n")
    pieces.append(f"--{boundary}--\r\n".encode())
    return b"".join(pieces), f"multipart/form-data; boundary={boundary}"


def _escape_name(name: str) -> str:
    return name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")


def body_value(data: bytes | None) -> Any:
    """A body in a value: null, text where it is valid UTF-8, else bytes."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return JsBuffer(data)


JsHeaders.constructor = JsConstructor("Headers", JsHeaders)
JsBlob.constructor = JsConstructor("Blob", JsBlob)
JsFile.constructor = JsConstructor("File", JsFile)
JsFormData.constructor = JsConstructor("FormData", JsFormData)
JsReadableStream.constructor = JsConstructor(
    "ReadableStream",
    lambda *_args, **_options: moment.stop(Unmodelled("js.ReadableStream.new")),
)
_Reader.constructor = JsConstructor("ReadableStreamDefaultReader", _Reader)
