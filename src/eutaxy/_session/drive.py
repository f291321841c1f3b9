"""Building the driver: what the outside does, in order."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from eutaxy._base.scenario import (
    DirectCall,
    DriverEvent,
    FireSchedule,
    HttpRequest,
    PassTime,
    Timing,
    WorkflowSetup,
)
from eutaxy._base.value import NULL, Plain, Value, decode, encode
from eutaxy._session.cron import Cron, NoCron, read_cron
from eutaxy._session.declared import (
    Members,
    alternatives,
    call,
    near_miss,
    plain_object,
    read_options,
)
from eutaxy._session.epoch import EPOCH_MS
from eutaxy._session.given import read_json
from eutaxy._session.http_parts import (
    read_body,
    read_duration,
    read_headers,
    read_method,
    read_url,
    targets_of,
)
from eutaxy._session.source import Source

_EVENTS = (
    "http",
    "concurrently",
    "createInstance",
    "sendEvent",
    "call",
    "fireSchedule",
    "passTime",
)
_ALONE = ("concurrently", "fireSchedule", "passTime")
"""Events that no group holds."""

_OPERATIONS = ("delete", "pause", "restart", "resume", "terminate")
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_GIVEN_NAME = re.compile(r"(req|call|clock|cron)-[0-9]+")
_DEFAULT = Timing()


class DriveBuilder:
    """Builds driver events one by one, naming and numbering them in the order of declaration.

    Args:
        source: The scenario file.
        setup: The Workflows that there are.
    """

    def __init__(self, source: Source, setup: tuple[WorkflowSetup, ...]) -> None:
        self._source = source
        self._bindings = [each.binding for each in setup]
        self._counts: Counter[str] = Counter()
        self._events: list[DriverEvent] = []
        self._groups = 0
        # Timing of the group whose events are being read; None outside of groups.
        self._group: Timing | None = None

    def build(self, outer: Members) -> tuple[DriverEvent, ...]:
        """The events of `drive`."""
        function = self._source.function("http")
        value = outer.raw("drive", f"{function}([...])")
        for item in value if isinstance(value, list) else [value]:
            self._add(item, "`drive`", outer.place, _EVENTS)
        if not self._events:
            raise outer.wrong("`drive` is empty", "add an event: nothing would happen")
        return tuple(self._events)

    def _add(self, item: object, where: str, place: str, kinds: tuple[str, ...]) -> None:
        kind, members = call(self._source, item, kinds, where=where, place=place)
        match kind:
            case "http":
                self._add_requests(members)
            case "concurrently":
                self._add_group(members)
            case "passTime":
                self._add_pause(members)
            case "fireSchedule":
                self._add_firing(members)
            case _:
                self._add_call(kind, members)

    # -- requests -----------------------------------------------------------------------------

    def _add_requests(self, members: Members) -> None:
        requests = members.items("requests", "a list of requests", is_needed=True)
        if not requests:
            raise members.wrong("there are no requests", "add at least one: nothing would happen")
        members.finish()
        places = self._source.places_of_items(targets_of(requests), members.place)
        for tree, place in zip(requests, places, strict=True):
            self._events.append(self._request(tree, place))

    def _request(self, tree: object, place: str) -> HttpRequest:
        number = self._counts["req"] + 1
        members = plain_object(self._source, tree, f"request {number}", place)
        url = read_url(members)
        body, content_type = read_body(members.optional("body"))
        method = read_method(members, "method", "POST" if body != NULL else "GET")
        if body != NULL and method in {"GET", "HEAD"}:
            found = f"a {method} request cannot have a body"
            raise members.wrong(found, "remove the body, or use another method", word="body")
        headers = read_headers(members, content_type)
        expected = members.whole("expectStatus", least=100, most=599, default=0)
        is_repeated = members.flag("retry")
        timing = self._timing(members)
        name = self._name(members, "req")
        members.finish()
        return HttpRequest(
            name=name,
            method=method,
            url=url,
            headers=headers,
            body=body,
            timing=timing,
            expected_status=expected or None,
            is_repeated=is_repeated,
            place=members.shown_place(),
        )

    # -- other events -------------------------------------------------------------------------

    def _add_group(self, members: Members) -> None:
        events = members.items("events", "a list of events", is_needed=True)
        options = read_options(self._source, members)
        timing = self._timing(options)
        options.finish()
        members.finish()
        self._groups += 1
        self._group = replace(timing, group=self._groups)
        before = len(self._events)
        kinds = tuple(each for each in _EVENTS if each not in _ALONE)
        for item in events:
            self._add(item, members.what, members.place, kinds)
        self._group = None
        if len(self._events) - before < 2:
            found = f"{len(self._events) - before} event cannot be in any other order"
            raise members.wrong(found, "put at least two events into it")

    def _add_pause(self, members: Members) -> None:
        members.raw("duration", 'a time such as "30 days"')
        ms = read_duration(members, "duration", 0)
        if ms == 0:
            raise members.wrong("no time would pass", 'write a time such as "30 days"')
        members.finish()
        name = self._name(None, "clock")
        timing = Timing(after_ms=ms, has_time=True)
        self._events.append(PassTime(name=name, timing=timing, place=members.shown_place()))

    def _add_firing(self, members: Members) -> None:
        binding = read_binding(members, self._bindings)
        text = members.text("cron", 'a cron expression such as "0 3 * * *"')
        options = read_options(self._source, members)
        name = self._name(options, "cron")
        options.finish()
        members.finish()
        try:
            cron = read_cron(text)
        except NoCron as error:
            remedy = 'write a cron expression of the config, such as "0 3 * * *"'
            raise members.wrong(f'"{text}": {error}', remedy, word=text) from None
        earliest_ms = EPOCH_MS + self._standing_ms(binding, cron)
        scheduled_ms = cron.next_ms(earliest_ms)
        if scheduled_ms is None:
            raise members.wrong(f'"{text}" never comes due', "correct the expression", word=text)
        self._events.append(
            FireSchedule(
                name=name,
                binding=binding,
                cron=cron.text,
                due_ms=scheduled_ms - EPOCH_MS,
                scheduled_ms=scheduled_ms,
                place=members.shown_place(),
            )
        )

    def _standing_ms(self, binding: str, cron: Cron) -> int:
        """Virtual time from which a firing is looked for: where the drive stands by its own times,
        and after the last firing of the same schedule."""
        standing = 0
        group = 0
        for index, event in enumerate(self._events):
            timing = event.timing
            is_same = timing.group == group != 0
            group = timing.group
            if isinstance(event, FireSchedule):
                is_own = (event.binding, event.cron) == (binding, cron.text)
                standing = max(standing, event.due_ms + is_own)
            elif not is_same and (index > 0 or timing.has_time):
                standing += timing.after_ms
        return standing

    def _add_call(self, kind: str, members: Members) -> None:
        binding = read_binding(members, self._bindings)
        operation, args, options = self._called(kind, members)
        timing = self._timing(options)
        name = self._name(options, "call")
        options.finish()
        members.finish()
        self._events.append(
            DirectCall(
                name=name,
                binding=binding,
                operation=operation,
                args=args,
                timing=timing,
                place=members.shown_place(),
            )
        )

    def _called(self, kind: str, members: Members) -> tuple[str, Value, Members]:
        """Operation and arguments as the code's own call would have them, and the options left."""
        if kind == "createInstance":
            options = read_options(self._source, members)
            target = _text(self._instance_id(options))
            retention = self._retention(options)
            asked = _object(id=target, params=read_json(options, "params"), retention=retention)
            return "create", _object(options=asked), options
        if kind == "sendEvent":
            target = _text(self._instance_id(members, is_needed=True))
            options = read_options(self._source, members, "event", is_needed=True)
            event_type = _text(options.text("type", "the type of an event"))
            event = _object(type=event_type, payload=read_json(options, "payload"))
            return "sendEvent", _object(id=target, options=event), options
        operation = members.text("operation", "the name of an operation")
        if operation not in _OPERATIONS:
            raise members.wrong(
                f'`operation` is "{operation}"{near_miss(operation, _OPERATIONS)}',
                f"use one of: {alternatives(_OPERATIONS)}; "
                f"or {self._source.function('createInstance')}(...), "
                f"{self._source.function('sendEvent')}(...)",
                word=operation,
            )
        options = read_options(self._source, members, is_needed=True)
        target = _text(self._instance_id(options, is_needed=True))
        return operation, _object(id=target, options=read_json(options, "options")), options

    def _retention(self, options: Members) -> Value | None:
        """How long the instance is kept once it has ended, as `create` takes it."""
        given = options.optional("retention")
        if given is None:
            return None
        what = f"`retention` of {options.what}"
        members = plain_object(self._source, given, what, options.place)
        kept: dict[str, Plain] = {}
        for name in ("successRetention", "errorRetention"):
            if not members.has(name):
                members.optional(name)
                continue
            kept[name] = read_duration(members, name, 0)
            if kept[name] == 0:
                shown = self._source.spell(name)
                found = f"`{shown}` is no time at all"
                raise members.wrong(found, 'write a time such as "30 days"', word=shown)
        members.finish()
        return encode(kept)

    def _instance_id(self, members: Members, *, is_needed: bool = False) -> str | None:
        wanted = "the id of an instance"
        return members.text("id", wanted) if is_needed else members.optional_text("id", wanted)

    # -- names and times ----------------------------------------------------------------------

    def _name(self, members: Members | None, kind: str) -> str:
        """The user's name for an event, or else its kind with a number."""
        self._counts[kind] += 1
        numbered = f"{kind}-{self._counts[kind]}"
        name = None if members is None else members.optional_text("name", "a name of its own")
        if members is None or name is None:
            return numbered
        if _NAME.fullmatch(name) is None:
            found = f'its name is "{name}", but a name has letters, digits, and . _ - only'
            raise members.wrong(found, "choose a simpler name", word=name)
        if name != numbered and _GIVEN_NAME.fullmatch(name):
            found = f'its name is "{name}", but events without a name are called so'
            raise members.wrong(found, "choose another name", word=name)
        if any(name == each.name for each in self._events):
            found = f'the name "{name}" is taken by an earlier event'
            raise members.wrong(found, "give each event a name of its own", word=name)
        return name

    def _timing(self, members: Members) -> Timing:
        group = self._group
        if group is None:
            return self._read_timing(members)
        if members.has("after"):
            function = self._source.function("concurrently")
            raise members.wrong(
                f"it has a time of its own, but events in {function}() have one together",
                f"give `after` to {function}()",
                word="after",
            )
        members.optional("after")
        return group

    def _read_timing(self, members: Members) -> Timing:
        given = members.optional("after")
        if not isinstance(given, dict) or "$eutaxy" in given:
            after_ms = read_duration(members, "after", _DEFAULT.after_ms)
            return Timing(after_ms=after_ms, has_time=members.has("after"))
        after = plain_object(self._source, given, f"`after` of {members.what}", members.place)
        event = after.text("event", 'the name of an earlier event, such as "req-1"')
        time_ms = read_duration(after, "time", _DEFAULT.after_ms)
        has_time = after.has("time")
        after.finish()
        self._check_earlier(after, event)
        return Timing(after_ms=time_ms, has_time=has_time, after_event=event)

    def _check_earlier(self, members: Members, event: str) -> None:
        earlier = [each.name for each in self._events]
        if event in earlier:
            return
        there_are = f"earlier events: {', '.join(earlier) or 'none'}"
        raise members.wrong(
            f'there is no earlier event "{event}"{near_miss(event, earlier)}',
            f"name an event that was declared before this one; {there_are}",
            word=event,
        )


def read_binding(members: Members, bindings: list[str]) -> str:
    """A binding that the setup has."""
    binding = members.text("binding", "the name of a binding")
    if binding not in bindings:
        raise members.wrong(
            f'`setup` has no workflow "{binding}"{near_miss(binding, bindings)}',
            f'add workflow("{binding}", ...) to `setup`; it has: {alternatives(bindings)}',
            word=binding,
        )
    return binding


def _object(**members: Value | None) -> Value:
    """An object of the members that there are."""
    given = {name: decode(value) for name, value in members.items() if value is not None}
    return encode(given)


def _text(text: str | None) -> Value | None:
    return None if text is None else encode(text)
