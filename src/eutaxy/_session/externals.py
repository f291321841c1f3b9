"""Building externals: what services outside promise, answer and suffer."""

from __future__ import annotations

import re

from eutaxy._base.scenario import CannedResponse, Dedupe, External, Stateful
from eutaxy._base.value import NULL
from eutaxy._session.declared import (
    Members,
    alternatives,
    call,
    near_miss,
    plain_object,
    read_options,
)
from eutaxy._session.given import (
    REQUEST,
    check_key_path,
    is_function,
    read_function,
    read_json,
    read_where,
)
from eutaxy._session.http_parts import (
    checked_method,
    read_body,
    read_duration,
    read_headers,
    read_method,
    targets_of,
)
from eutaxy._session.path_patterns import check_pattern, covers, overlaps, read_pattern
from eutaxy._session.source import Source

_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")
_PORT_MAX = 65_535
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NAME = re.compile(r"[\w.-]+")
_ECHOED = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_BODILESS_STATUSES = (204, 205, 304)
_DEDUPE_FORMS = "the name of a header, { header }, { body } or a function"


def read_externals(source: Source, outer: Members) -> tuple[External, ...]:
    """The services that the scenario declares."""
    built: list[External] = []
    for item in outer.items("externals", "a list"):
        _, members = call(source, item, ["external"], where="`externals`", place=outer.place)
        external = _external(source, members)
        for earlier in built:
            if earlier.name == external.name:
                found = f'the name "{external.name}" is taken by the external at {earlier.place}'
                raise members.wrong(found, "give each external a name of its own")
            if earlier.host == external.host:
                found = f'the host {external.host} is already that of external "{earlier.name}"'
                raise members.wrong(found, "declare each host once, with all its responses")
        built.append(external)
    return tuple(built)


def _external(source: Source, members: Members) -> External:
    name = members.text("name")
    members.what = f'external "{name}"'
    if _NAME.fullmatch(name) is None:
        raise members.wrong(
            "its name may have letters, digits, and . _ - only", "choose a simpler name", word=name
        )
    host = _host(members)
    options = read_options(source, members)
    dedupe = _dedupe(source, options)
    responses = _responses(source, options)
    stateful = _stateful(options)
    if stateful is not None and responses:
        raise options.wrong(
            "it has both `responses` and `handle`",
            "keep one: a `handle` function answers every request",
            word="handle",
        )
    failure_statuses = _failure_statuses(options)
    outage_ms = read_duration(options, "outage", 0)
    if options.has("outage") and outage_ms == 0:
        raise options.wrong("an outage of no time is none", "remove it", word="outage")
    options.finish()
    members.finish()
    return External(
        name=name,
        host=host,
        dedupe=dedupe,
        responses=responses,
        stateful=stateful,
        failure_statuses=failure_statuses,
        outage_ms=outage_ms or None,
        place=members.shown_place(),
    )


def _host(members: Members) -> str:
    given = members.text("host", "a host name")
    host = given.lower()
    if _HOST.fullmatch(host) is None:
        bare = re.sub(r"^[a-z+]+://", "", host).split("/")[0]
        remedy = f'write "{bare}"' if _HOST.fullmatch(bare) else 'write it like "payouts.example"'
        found = f'its host is "{given}", but must be a host name alone'
        raise members.wrong(found, remedy, word=given)
    port = host.partition(":")[2]
    if port and int(port) > _PORT_MAX:
        found = f'its host is "{given}", but a port is at most {_PORT_MAX}'
        raise members.wrong(found, "correct the port", word=given)
    return host


# -- deduplication ----------------------------------------------------------------------------


def _dedupe(source: Source, options: Members) -> Dedupe | None:
    window_ms = read_duration(options, "dedupeWindow", 0)
    has_window = options.has("dedupeWindow")
    if not options.has("dedupeBy"):
        options.optional("dedupeBy")
        if has_window:
            shown = source.spell("dedupeBy")
            word = source.spell("dedupeWindow")
            found = f"it has `{word}`, but says not how it recognises a repetition"
            raise options.wrong(found, f"add `{shown}`", word=word)
        return None
    if has_window and window_ms == 0:
        word = source.spell("dedupeWindow")
        raise options.wrong(f"`{word}` is no time", "leave it out to remember for good", word=word)
    window = window_ms if has_window else None
    given = options.raw("dedupeBy", _DEDUPE_FORMS)
    if is_function(given):
        function = read_function(options, "dedupeBy", _DEDUPE_FORMS)
        return Dedupe(function=function, window_ms=window)
    if isinstance(given, str):
        return Dedupe(header=_header(options, "dedupeBy"), window_ms=window)
    if not isinstance(given, dict) or "$eutaxy" in given:
        raise options.mistyped("dedupeBy", given, _DEDUPE_FORMS)
    shown = f"`{source.spell('dedupeBy')}` of {options.what}"
    by = plain_object(source, given, shown, options.place)
    by.optional("header")
    by.optional("body")
    if by.has("header") == by.has("body"):
        raise by.wrong("it needs one of `header` and `body`", "name where the key of a request is")
    header, key_path = "", ""
    if by.has("header"):
        header = _header(by, "header")
    else:
        written = by.text("body", 'a key path into the body, such as "requestId"')
        key_path = written if written.startswith("args.") else f"args.body.{written}"
        check_key_path(by, key_path, REQUEST)
    by.finish()
    return Dedupe(header=header, key_path=key_path, window_ms=window)


def _header(members: Members, name: str) -> str:
    header = members.text(name, "the name of a request header")
    if _HEADER.fullmatch(header) is None:
        raise members.mistyped(name, header, "the name of a request header")
    return header.lower()


# -- answers ----------------------------------------------------------------------------------


def _stateful(options: Members) -> Stateful | None:
    wanted = "a function from (request, state) to { state, response }"
    if not options.has("handle"):
        options.optional("handle")
        if options.has("state"):
            found = "it has a `state`, but no function that answers from it"
            raise options.wrong(found, f"add `handle`: {wanted}", word="state")
        options.optional("state")
        return None
    function = read_function(options, "handle", wanted)
    return Stateful(initial=read_json(options, "state") or NULL, function=function)


def _failure_statuses(options: Members) -> tuple[int, ...]:
    wanted = "a list of statuses from 400 to 599"
    statuses = options.items("failures", wanted)
    for status in statuses:
        is_whole = isinstance(status, int) and not isinstance(status, bool)
        if not is_whole or not 400 <= status <= 599:
            raise options.mistyped("failures", status, wanted)
        if statuses.count(status) > 1:
            raise options.wrong(f"`failures` names {status} twice", "keep one", word="failures")
    return tuple(statuses)


def _responses(source: Source, options: Members) -> tuple[CannedResponse, ...]:
    trees = options.items("responses", "a list of responses")
    places = source.places_of_items(targets_of(trees), options.place)
    read = [
        plain_object(source, tree, f"response {number} of {options.what}", place)
        for number, (tree, place) in enumerate(zip(trees, places, strict=True), 1)
    ]
    responses = tuple(_response(members) for members in read)
    for index, members in enumerate(read):
        _check_once(members, responses[index], responses)
        _check_reached(members, responses[index], responses[:index])
    return responses


def _response(members: Members) -> CannedResponse:
    path = read_pattern(members)
    status = members.whole("status", least=200, most=599, default=200)
    given = members.optional("body")
    if isinstance(given, dict) and "bytes" in given:
        raise members.mistyped("body", {"$eutaxy": "odd", "what": "bytes"}, "a text or JSON value")
    value, content_type = read_body(given)
    body = "" if value == NULL else str(given.get("text", given.get("json")))
    if value != NULL and status in _BODILESS_STATUSES:
        found = f"a response with status {status} cannot have a body"
        raise members.wrong(found, "remove the body, or use another status", word="status")
    method = read_method(members, "method", "GET")
    headers = read_headers(members, content_type)
    once = _once(members)
    when = read_where(members, "when", REQUEST)
    is_echoing = members.flag("echo")
    _check_echo(members, body, is_echoing=is_echoing)
    latency_ms = read_duration(members, "latency", 0)
    members.finish()
    return CannedResponse(
        method=method,
        path=path,
        status=status,
        headers=headers,
        body=body,
        once=once,
        when=when,
        is_echoing=is_echoing,
        latency_ms=latency_ms,
        place=members.shown_place(),
    )


def _once(members: Members) -> str:
    """The request that must have been applied before a response is given; empty for none."""
    wanted = 'a request such as "POST /charges"'
    written = members.optional_text("once", wanted)
    if written is None:
        return ""
    method, _, path = written.partition(" ")
    if not path or " " in path:
        raise members.mistyped("once", written, wanted)
    check_pattern(members, path, "once")
    return f"{checked_method(members, 'once', method)} {path}"


def _check_echo(members: Members, body: str, *, is_echoing: bool) -> None:
    if not is_echoing:
        return
    paths = _ECHOED.findall(body)
    if not paths:
        raise members.wrong(
            "it echoes, but its body has nothing to be replaced",
            'write "{{args.body.id}}" and the like into the body, or remove `echo`',
            word="echo",
        )
    for path in paths:
        check_key_path(members, path, REQUEST)


def _check_once(
    members: Members, here: CannedResponse, responses: tuple[CannedResponse, ...]
) -> None:
    """See that some response answers the request that another one waits for."""
    if not here.once:
        return
    method, _, path = here.once.partition(" ")
    if any(each.method == method and overlaps(each.path, path) for each in responses):
        return
    known = [f"{each.method} {each.path}" for each in responses]
    raise members.wrong(
        f'`once` is "{here.once}", but no response answers that request'
        f"{near_miss(here.once, known)}",
        f"declare a response to it, or name another; declared: {alternatives(known)}",
        word="once",
    )


def _check_reached(
    members: Members, here: CannedResponse, earlier: tuple[CannedResponse, ...]
) -> None:
    """See that no earlier response takes everything that this one could answer."""
    for number, each in enumerate(earlier, 1):
        takes_all = (
            each.method == here.method
            and covers(each.path, here.path)
            and each.once in {"", here.once}
            and set(each.when) <= set(here.when)
        )
        if takes_all:
            request = f"{each.method} {each.path}" + (f" once {each.once}" if each.once else "")
            raise members.wrong(
                f"it can never be given, because response {number} answers {request} before it",
                "put the one with more conditions first, or remove one of the two",
                word=here.path,
            )
