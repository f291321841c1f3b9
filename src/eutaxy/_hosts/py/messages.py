"""Request, Response and `fetch` of JavaScript."""
# ruff: noqa: N802, N815 - names of JavaScript's own members

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from eutaxy._hosts.py.bodies import (
    JsBlob,
    JsFormData,
    JsHeaders,
    JsReadableStream,
    body_of,
    body_value,
)
from eutaxy._hosts.py.fibers import call_site, emit
from eutaxy._hosts.py.jsdata import JsBuffer
from eutaxy._hosts.py.jserrors import js_error
from eutaxy._hosts.py.jsvalues import JsConstructor, JsNull, JsObject, JsProxy, js_text, jsnull
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.promise import JsPromise, rejected, resolved
from eutaxy._hosts.py.reports import Failure, Unmodelled
from eutaxy._hosts.py.urls import JsURL

NULL_BODY_STATUSES = frozenset({101, 103, 204, 205, 304})
_REDIRECTS_MAX = 20
_NORMALISED_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"})


def read_options(init: Any, named: dict[str, Any]) -> dict[str, Any]:
    """An options argument and Pyodide's keyword arguments as one mapping."""
    if isinstance(init, dict):
        moment.stop(
            Unmodelled(
                "a Python dict as JavaScript options",
                "convert it with to_js(..., dict_converter=Object.fromEntries)",
            )
        )
    given = dict(init.as_object_map()) if isinstance(init, JsObject) else {}
    return {**given, **named}


_CF_REMEDY = (
    "the scenario's requests come from nowhere, so no value of it would be true; let the code read "
    "what it needs from a header, such as cf-ipcountry, and send that header in the scenario"
)


class _Message(JsProxy):
    """What Request and Response share: headers, and a body that can be read once."""

    headers: JsHeaders
    data: bytes | None

    def _start(self, headers: Any, body: Any) -> None:
        self.headers = JsHeaders(headers)
        self.data, kind = body_of(body)
        self.bodyUsed = False
        self._stream: JsReadableStream | None = None
        if kind is not None and not self.headers.has("content-type"):
            self.headers.set("content-type", kind)

    @property
    def body(self) -> Any:
        """The body as a stream; null when there is none."""
        if self.data is None:
            return jsnull
        if self._stream is None:
            self._stream = JsReadableStream(self.data)
        return self._stream

    def consume(self) -> bytes:
        """The body's bytes; it can be read once."""
        is_locked = self._stream is not None and self._stream.locked
        if self.bodyUsed or is_locked:
            raise js_error(
                "TypeError",
                "Body has already been used. It can only be used once. "
                "Use tee() first if you need to read it twice.",
            )
        self.bodyUsed = self.data is not None
        return self.data or b""

    def _read(self, convert: Any) -> JsPromise:
        try:
            return resolved(convert(self.consume()))
        except Exception as error:  # noqa: BLE001 - a promise carries it
            return rejected(error)

    def text(self) -> JsPromise:
        """The body as text."""
        return self._read(_text)

    def json(self) -> JsPromise:
        """The body as a JavaScript value."""
        return self._read(lambda data: parse_json(_text(data)))

    def arrayBuffer(self) -> JsPromise:
        """The body as an ArrayBuffer."""
        return self._read(lambda data: JsBuffer(data, "ArrayBuffer"))

    def bytes(self) -> JsPromise:
        """The body as a Uint8Array."""
        return self._read(JsBuffer)

    def blob(self) -> JsPromise:
        """The body as a Blob."""
        kind = self.headers.get("content-type") or ""
        return self._read(lambda data: JsBlob([JsBuffer(data)], type=kind))

    def formData(self) -> JsPromise:
        """The body as a form, when it is an urlencoded one."""
        kind = self.headers.get("content-type") or ""
        if "application/x-www-form-urlencoded" not in kind:
            moment.stop(Unmodelled(f"reading a form of type {kind!r}", "read the body as text"))

        def parse(data: bytes) -> JsFormData:
            form = JsFormData()
            for name, item in parse_qsl(data.decode(), keep_blank_values=True):
                form.append(name, item)
            return form

        return self._read(parse)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def parse_json(text: str) -> Any:
    """`JSON.parse`."""
    from eutaxy._hosts.py.js_json import parse  # noqa: PLC0415 - it needs this module's classes

    return parse(text)


class JsRequest(_Message):
    """`Request`.

    Args:
        source: A URL or another request.
        init: Its options; keyword arguments count as options too.
    """

    method: str
    url: str
    redirect: str
    given_cf: Any

    def __init__(self, source: Any, init: Any = None, /, **named: Any) -> None:
        options = read_options(init, named)
        if isinstance(source, JsRequest):
            inherited: dict[str, Any] = {"method": source.method, "headers": source.headers}
            inherited |= {"redirect": source.redirect, "cf": source.given_cf}
            if source.data is not None and options.get("body") is None:
                inherited["body"] = JsBuffer(source.consume())
            options = {**inherited, **{k: v for k, v in options.items() if v is not None}}
            url: Any = source.url
        else:
            url = source
        parsed = url if isinstance(url, JsURL) else JsURL(url)
        self.url = parsed.href
        method = js_text(options.get("method") or "GET")
        self.method = method.upper() if method.upper() in _NORMALISED_METHODS else method
        body = options.get("body")
        if self.method in {"GET", "HEAD"} and body is not None and body is not jsnull:
            raise js_error(
                "TypeError", f"Request with a {self.method} or HEAD method cannot have a body."
            )
        self._start(options.get("headers"), body)
        self.redirect = js_text(options.get("redirect") or "follow")
        self.given_cf = options.get("cf")
        self.is_incoming = False
        self.signal = options.get("signal")

    @property
    def cf(self) -> Any:
        """What user code set; what the platform would set is not modelled."""
        if self.is_incoming:
            moment.stop(Unmodelled("request.cf", _CF_REMEDY))
        return self.given_cf

    def clone(self) -> JsRequest:
        """An independent copy."""
        if self.bodyUsed:
            raise js_error("TypeError", "Cannot clone a request whose body has been used.")
        body = None if self.data is None else JsBuffer(self.data)
        copy = JsRequest(
            self.url, method=self.method, headers=self.headers, body=body, redirect=self.redirect
        )
        copy.is_incoming, copy.given_cf = self.is_incoming, self.given_cf
        return copy


class JsResponse(_Message):
    """`Response`.

    Args:
        body: Text, buffer, blob, form, stream or nothing.
        init: Its options; keyword arguments count as options too.
    """

    status: int
    statusText: str

    def __init__(self, body: Any = None, init: Any = None, /, **named: Any) -> None:
        if isinstance(init, JsResponse):
            named = {"status": init.status, "statusText": init.statusText, "headers": init.headers}
            init = None
        options = read_options(init, named)
        status = options.get("status")
        self.status = 200 if status is None else int(status)
        if options.get("webSocket") is not None:
            moment.stop(Unmodelled("a Response with a WebSocket"))
        if not 200 <= self.status <= 599:
            raise js_error(
                "RangeError", "Responses may only be constructed with status codes 200 to 599."
            )
        self.statusText = js_text(options.get("statusText") or "")
        self._start(options.get("headers"), body)
        if self.status in NULL_BODY_STATUSES and self.data is not None:
            raise js_error("TypeError", "Response with null body status cannot have body.")
        self.url = ""
        self.type = "default"
        self.redirected = False

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return 200 <= self.status <= 299

    def clone(self) -> JsResponse:
        """An independent copy."""
        if self.bodyUsed:
            raise js_error("TypeError", "Cannot clone a response whose body has been used.")
        body = None if self.data is None else JsBuffer(self.data)
        copy = JsResponse(body, self)
        copy.url = self.url
        return copy

    def as_value(self) -> JsObject:
        """The response as the outcome of a request."""
        return JsObject(
            {
                "status": self.status,
                "headers": self.headers.as_value(),
                "body": jsnull if self.data is None else body_value(self.consume()),
            }
        )


def _json_response(data: Any, init: Any = None, **named: Any) -> JsResponse:
    from eutaxy._hosts.py.js_json import stringify  # noqa: PLC0415 - it needs this module's classes

    response = JsResponse(stringify(data), init, **named)
    given = JsHeaders(read_options(init, named).get("headers"))
    if not given.has("content-type"):
        response.headers.set("content-type", "application/json")
    return response


def _redirect_response(url: Any, status: int = 302) -> JsResponse:
    if status not in {301, 302, 303, 307, 308}:
        raise js_error("RangeError", f"{status} is not a redirect status code.")
    return JsResponse(None, status=status, headers=JsObject({"location": JsURL(url).href}))


def incoming_request(value: JsObject) -> JsRequest:
    """The request of a request entry."""
    given = value.as_object_map()
    body = given.get("body")
    headers = JsHeaders(given.get("headers"))
    request = JsRequest(given["url"], method=given["method"], headers=headers, redirect="manual")
    if body is not None and body is not jsnull:
        request.data = body.to_bytes() if isinstance(body, JsBuffer) else js_text(body).encode()
    request.is_incoming = True
    request.headers.is_immutable = True
    return request


def fetch(source: Any, init: Any = None, /, **named: Any) -> JsPromise:
    """`fetch`: one effect for each request that goes over the wire, redirects included."""
    try:
        request = JsRequest(source, init, **named)
        if request.signal is not None and not isinstance(request.signal, JsNull):
            moment.stop(
                Unmodelled("fetch with a signal", "use asyncio.timeout or asyncio.wait_for")
            )
        body = None if request.data is None else request.consume()
    except Exception as error:  # noqa: BLE001 - a promise carries it
        return rejected(error)
    result = JsPromise()
    _send(result, request, body, call_site(), 0)
    return result


def _send(
    result: JsPromise, request: JsRequest, body: bytes | None, place: str, redirects: int
) -> None:
    args = JsObject(
        {
            "url": JsURL(request.url).without_fragment(),
            "method": request.method,
            "headers": request.headers.as_value(),
            "body": jsnull if body is None else body_value(body),
        }
    )

    def answered(settled: JsPromise) -> None:
        if settled.error is not None:
            result.reject(settled.error)
            return
        response = _received(settled.value, request)
        location = response.headers.get("location")
        is_redirect = response.status in {301, 302, 303, 307, 308} and location is not None
        if not is_redirect or request.redirect == "manual":
            result.resolve(response)
        elif request.redirect == "error":
            result.reject(js_error("TypeError", "Redirect encountered, but not allowed."))
        elif redirects == _REDIRECTS_MAX:
            result.reject(js_error("TypeError", "Too many redirects."))
        else:
            follow, kept = _redirected(request, body, response.status, location)
            _send(result, follow, kept, place, redirects + 1)

    emit("call", "Fetch", request.method, args, place=place).when_settled(answered)


def _received(answer: Any, request: JsRequest) -> JsResponse:
    given = answer.as_object_map() if isinstance(answer, JsObject) else {}
    status = given.get("status")
    if not isinstance(status, int):
        moment.stop(Failure(f"the answer to fetch of {request.url} has no status"))
    body = None if status in NULL_BODY_STATUSES else given.get("body")
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    response = JsResponse(None, status=status, statusText=phrase, headers=given.get("headers"))
    if body is not None and body is not jsnull:
        response.data = body.to_bytes() if isinstance(body, JsBuffer) else js_text(body).encode()
    response.url = request.url
    response.headers.is_immutable = True
    return response


def _redirected(
    request: JsRequest, body: bytes | None, status: int, location: str | None
) -> tuple[JsRequest, bytes | None]:
    """The request that follows a redirect (Fetch standard, HTTP-redirect fetch)."""
    target = JsURL(location, request.url)
    headers = JsHeaders(request.headers)
    if target.origin != JsURL(request.url).origin:
        headers.delete("authorization")
    becomes_get = (request.method == "POST" and status in {301, 302}) or (
        status == HTTPStatus.SEE_OTHER and request.method not in {"GET", "HEAD"}
    )
    method = request.method
    if becomes_get:
        method, body = "GET", None
        for name in ("content-encoding", "content-language", "content-location", "content-type"):
            headers.delete(name)
    follow = JsRequest(target.href, method=method, headers=headers, redirect=request.redirect)
    return follow, body


JsRequest.constructor = JsConstructor("Request", JsRequest)
JsResponse.constructor = JsConstructor(
    "Response", JsResponse, json=_json_response, redirect=_redirect_response
)
