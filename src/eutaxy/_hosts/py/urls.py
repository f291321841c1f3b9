"""URL and URLSearchParams, for the web's own schemes, by the URL Standard."""
# ruff: noqa: N802, N815 - names of JavaScript's own members

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from eutaxy._hosts.py.jserrors import js_error
from eutaxy._hosts.py.jsvalues import JsArray, JsConstructor, JsMap, JsObject, JsProxy, js_text

_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_PATH_KEPT = frozenset(c for c in range(0x21, 0x7F) if c not in b'"#<>?`{}')
_QUERY_KEPT = frozenset(c for c in range(0x21, 0x7F) if c not in b"\"#<>'")
_FRAGMENT_KEPT = frozenset(c for c in range(0x21, 0x7F) if c not in b'"<>`')
_USER_KEPT = _PATH_KEPT - frozenset(b"/:;=@[\\]^|")
_FORM_KEPT = frozenset(b"*-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^`{|}\x7f]")


def _escape(text: str, kept: frozenset[int]) -> str:
    data = text.encode("utf-8", "replace")
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in data)


class JsURL(JsProxy):
    """`URL`, for http, https, ws, wss and ftp.

    Args:
        url: Absolute, or relative to `base`.
        base: What a relative URL is resolved against.
    """

    protocol: str
    username: str
    password: str
    hostname: str
    port: str
    pathname: str
    hash: str

    def __init__(self, url: Any, base: Any = None) -> None:
        text = js_text(url).strip("".join(map(chr, range(0x21))))
        text = re.sub(r"[\t\n\r]", "", text)
        head, _, fragment = text.partition("#")
        self.hash = f"#{_escape(fragment, _FRAGMENT_KEPT)}" if fragment else ""
        found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", head)
        if found is None:
            if base is None:
                raise _invalid(text)
            self._resolve(head, base if isinstance(base, JsURL) else JsURL(base))
            return
        scheme = found[1].lower()
        if scheme not in _DEFAULT_PORTS:
            raise _invalid(text)
        self.protocol = scheme + ":"
        rest = head[found.end() :].replace("\\", "/")
        authority, slash, tail = rest.lstrip("/").partition("/")
        if "?" in authority:
            authority, _, query = authority.partition("?")
            slash, tail = "?", query + slash + tail
        self._set_authority(authority, text)
        self._set_target("/" + tail if slash != "?" else "/?" + tail)

    def _resolve(self, text: str, base: JsURL) -> None:
        text = text.replace("\\", "/")
        self.protocol, self.username, self.password = base.protocol, base.username, base.password
        self.hostname, self.port = base.hostname, base.port
        if text.startswith("//"):
            authority, _, tail = text[2:].partition("/")
            self._set_authority(authority, text)
            self._set_target("/" + tail)
        elif text.startswith("/"):
            self._set_target(text)
        elif text.startswith("?"):
            self._set_target(base.pathname + text)
        elif not text:
            self._set_target(base.pathname + base.search)
        else:
            self._set_target(base.pathname.rpartition("/")[0] + "/" + text)

    def _set_authority(self, authority: str, text: str) -> None:
        user, at, host = authority.rpartition("@")
        self.username, self.password = "", ""
        if at:
            name, _, password = user.partition(":")
            self.username = _escape(name, _USER_KEPT)
            self.password = _escape(password, _USER_KEPT)
        host, _, port = host.partition(":") if not host.startswith("[") else _split_ipv6(host)
        host = unquote_to_bytes(host).decode("utf-8", "replace").lower()
        if not host.isascii():
            try:
                host = host.encode("idna").decode()
            except UnicodeError:
                raise _invalid(text) from None
        is_ipv6 = host.startswith("[")
        if not host or (not is_ipv6 and _FORBIDDEN_IN_HOST.search(host)):
            raise _invalid(text)
        if port and not (port.isascii() and port.isdigit() and int(port) < 65_536):
            raise _invalid(text)
        self.hostname = host
        port = str(int(port)) if port else ""
        self.port = "" if port == _DEFAULT_PORTS[self.protocol[:-1]] else port

    def _set_target(self, target: str) -> None:
        path, mark, query = target.partition("?")
        self.pathname = _without_dots(_escape(path, _PATH_KEPT))
        self._query = _escape(query, _QUERY_KEPT) if mark else ""
        self.searchParams = JsURLSearchParams(self._query)

    @property
    def search(self) -> str:
        """`?` and the query; empty when there is none."""
        query = self.searchParams.toString() if self.searchParams.is_changed else self._query
        return f"?{query}" if query else ""

    @property
    def host(self) -> str:
        """Host name, and the port when it is not the scheme's own."""
        return f"{self.hostname}:{self.port}" if self.port else self.hostname

    @property
    def origin(self) -> str:
        """Scheme and host."""
        return f"{self.protocol}//{self.host}"

    @property
    def href(self) -> str:
        """The whole URL."""
        return f"{self.without_fragment()}{self.hash}"

    def without_fragment(self) -> str:
        """The URL as it goes over the wire."""
        user = self.username + (f":{self.password}" if self.password else "")
        at = "@" if user else ""
        return f"{self.protocol}//{user}{at}{self.host}{self.pathname}{self.search}"

    def toString(self) -> str:
        """As `href`."""
        return self.href

    toJSON = toString
    __str__ = toString


def _split_ipv6(host: str) -> tuple[str, str, str]:
    address, _, rest = host.partition("]")
    return address + "]", ":", rest.removeprefix(":")


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for index, segment in enumerate(segments):
        plain = segment.lower().replace("%2e", ".")
        is_last = index == len(segments) - 1
        if plain == "..":
            if kept:
                kept.pop()
        elif plain != ".":
            kept.append(segment)
            continue
        if is_last:
            kept.append("")
    return "/" + "/".join(kept)


def _invalid(text: str) -> Exception:
    return js_error("TypeError", f"Invalid URL string: {text}")


class JsURLSearchParams(JsProxy):
    """`URLSearchParams`."""

    def __init__(self, init: Any = "") -> None:
        self.is_changed = False
        self.pairs: list[tuple[str, str]] = []
        if isinstance(init, JsURLSearchParams):
            self.pairs = list(init.pairs)
        elif isinstance(init, JsObject):
            self.pairs = [(key, js_text(item)) for key, item in init.as_object_map().items()]
        elif isinstance(init, JsArray | JsMap | list | tuple):
            entries = init.entries() if isinstance(init, JsMap) else init
            self.pairs = [(js_text(key), js_text(item)) for key, item in entries]
        elif init is not None:
            self._parse(js_text(init).removeprefix("?"))

    def _parse(self, query: str) -> None:
        for part in query.split("&"):
            if part:
                key, _, item = part.partition("=")
                self.pairs.append((_form_decode(key), _form_decode(item)))

    def get(self, name: str) -> Any:
        """The first value of a name; None when there is none."""
        return next((item for key, item in self.pairs if key == name), None)

    def getAll(self, name: str) -> JsArray:
        """All values of a name."""
        return JsArray(item for key, item in self.pairs if key == name)

    def has(self, name: str) -> bool:
        """Whether there is such a name."""
        return any(key == name for key, _ in self.pairs)

    def append(self, name: str, value: Any) -> None:
        """Add a pair."""
        self.is_changed = True
        self.pairs.append((name, js_text(value)))

    def set(self, name: str, value: Any) -> None:
        """Replace all pairs of a name by one."""
        self.is_changed = True
        index = next((n for n, (key, _) in enumerate(self.pairs) if key == name), len(self.pairs))
        self.pairs[index : index + 1] = [(name, js_text(value))]
        self.pairs = [p for n, p in enumerate(self.pairs) if n <= index or p[0] != name]

    def delete(self, name: str) -> None:
        """Remove all pairs of a name."""
        self.is_changed = True
        self.pairs = [pair for pair in self.pairs if pair[0] != name]

    def sort(self) -> None:
        """Sort the pairs by name."""
        self.is_changed = True
        self.pairs.sort(key=lambda pair: pair[0])

    def keys(self) -> JsArray:
        """All names."""
        return JsArray(key for key, _ in self.pairs)

    def values(self) -> JsArray:
        """All values."""
        return JsArray(item for _, item in self.pairs)

    def entries(self) -> JsArray:
        """All pairs."""
        return JsArray(JsArray(pair) for pair in self.pairs)

    @property
    def size(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries())

    def toString(self) -> str:
        """The pairs as a form body."""
        return "&".join(f"{_form_encode(key)}={_form_encode(item)}" for key, item in self.pairs)

    __str__ = toString


def _form_encode(text: str) -> str:
    return _escape(text, _FORM_KEPT | {0x20}).replace(" ", "+")


def _form_decode(text: str) -> str:
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")


JsURL.constructor = JsConstructor("URL", JsURL)
JsURLSearchParams.constructor = JsConstructor("URLSearchParams", JsURLSearchParams)
