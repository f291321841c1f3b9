"""`pyodide.http`: Pyodide's wrapper around `fetch` and `Response`, which the SDK builds on."""

from __future__ import annotations

import json
from typing import Any

from eutaxy._hosts.py import messages
from eutaxy._hosts.py.convert import to_js
from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.jsvalues import JsObject


class FetchResponse:
    """A response, with Python names.

    Args:
        url: What was fetched.
        js_response: JavaScript's response.
    """

    def __init__(self, url: str, js_response: Any, *_abort: Any) -> None:
        self._url = url
        self.js_response = js_response

    @property
    def body_used(self) -> bool:
        """Whether the body has been read."""
        return bool(self.js_response.bodyUsed)

    @property
    def headers(self) -> dict[str, str]:
        """Headers by lower-case name."""
        return dict(self.js_response.headers.pairs())

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return bool(self.js_response.ok)

    @property
    def redirected(self) -> bool:
        """Whether a redirect was followed."""
        return bool(self.js_response.redirected)

    @property
    def status(self) -> int:
        """The status code."""
        return int(self.js_response.status)

    @property
    def status_text(self) -> str:
        """The reason phrase."""
        return str(self.js_response.statusText)

    @property
    def type(self) -> str:
        """The type of the response."""
        return str(self.js_response.type)

    @property
    def url(self) -> str:
        """Where the response came from."""
        return str(self.js_response.url)

    def _raise_if_failed(self) -> None:
        if self.js_response.bodyUsed:
            raise OSError("Response body is already used")

    def raise_for_status(self) -> None:
        """Raise an OSError for a status of 400 and above."""
        if 400 <= self.status < 600:
            side = "Client" if self.status < 500 else "Server"
            shown = f"{self.status} {side} Error: {self.status_text} for url: {self.url}"
            raise OSError(shown)

    def clone(self) -> FetchResponse:
        """An independent copy."""
        self._raise_if_failed()
        return FetchResponse(self._url, self.js_response.clone())

    async def buffer(self) -> Any:
        """The body as an ArrayBuffer."""
        self._raise_if_failed()
        return await self.js_response.arrayBuffer()

    async def text(self) -> str:
        """The body as text."""
        self._raise_if_failed()
        return str(await self.js_response.text())

    string = text

    async def json(self, **options: Any) -> Any:
        """The body as Python's `json` reads it."""
        self._raise_if_failed()
        return json.loads(await self.text(), **options)

    async def memoryview(self) -> memoryview:
        """The body as a memoryview."""
        buffer = await self.buffer()
        return memoryview(buffer.to_bytes())

    async def bytes(self) -> bytes:
        """The body as bytes."""
        buffer = await self.buffer()
        return bytes(buffer.to_bytes())


async def pyfetch(resource: Any, /, *, fetcher: Any = None, **options: Any) -> FetchResponse:
    """Fetch; a failure of the network is an OSError."""
    call = messages.fetch if fetcher is None else fetcher
    given = to_js(options, dict_converter=from_entries)
    try:
        response = await call(resource, given)
    except JsException as error:
        raise OSError(error.message) from None
    return FetchResponse(resource if isinstance(resource, str) else resource.url, response)


def from_entries(entries: Any) -> JsObject:
    """`Object.fromEntries`."""
    from eutaxy._hosts.py.js_globals import object_from_entries  # noqa: PLC0415 - it imports this

    return object_from_entries(entries)
