"""Building selectors and rows: what invariants are about."""

from __future__ import annotations

from urllib.parse import urlsplit

from eutaxy._base.requests import matches_path
from eutaxy._base.scenario import (
    DriverEvent,
    External,
    HttpRequest,
    Keyed,
    Seen,
    Selector,
    WorkflowRows,
    WorkflowSetup,
)
from eutaxy._base.value import Value, encode
from eutaxy._session.declared import Members, alternatives, call, near_miss, read_options
from eutaxy._session.drive import read_binding
from eutaxy._session.given import ROW, VIEWS, read_key_path, read_where
from eutaxy._session.http_parts import checked_method
from eutaxy._session.path_patterns import overlaps, read_pattern
from eutaxy._session.source import Source

OPERATIONS = (
    "create",
    "createBatch",
    "delete",
    "deleteBatch",
    "get",
    "next",
    "pause",
    "restart",
    "resume",
    "scheduled",
    "sendEvent",
    "status",
    "subscribe",
    "terminate",
)
STATUSES = (
    "complete",
    "errored",
    "paused",
    "queued",
    "running",
    "terminated",
    "waiting",
    "waitingForPause",
)
_KINDS = {
    "bindingCall": Seen.BINDING,
    "fetchCall": Seen.FETCH,
    "response": Seen.RESPONSE,
    "statusChange": Seen.STATUS,
    "stepResult": Seen.STEP,
}
_ORDER = ("fetchCall", "bindingCall", "stepResult", "statusChange", "response")


class SelectorReader:
    """Reads what invariants are about, against what the scenario has.

    Args:
        source: The scenario file.
        setup: The Workflows that there are.
        drive: The driver events that there are.
        externals: The services that there are.
    """

    def __init__(
        self,
        source: Source,
        setup: tuple[WorkflowSetup, ...],
        drive: tuple[DriverEvent, ...],
        externals: tuple[External, ...],
    ) -> None:
        self._source = source
        self._bindings = [each.binding for each in setup]
        self._requests = [each for each in drive if isinstance(each, HttpRequest)]
        self._externals = externals

    def rows(self, outer: Members) -> WorkflowRows:
        """The rows of an invariant."""
        value = outer.raw("rows", f"{self._source.function('workflowRows')}(...)")
        _, members = call(
            self._source, value, ["workflowRows"], where=outer.what, place=outer.place
        )
        binding = read_binding(members, self._bindings)
        members.finish()
        return WorkflowRows(binding=binding, place=members.shown_place())

    def row_key(self, outer: Members) -> str:
        """A key path into rows."""
        return read_key_path(outer, ROW)

    def keyed(self, outer: Members) -> Keyed:
        """The selector and the key path of an invariant."""
        selector = self.selector(outer)
        return Keyed(selector=selector, key_path=read_key_path(outer, VIEWS[selector.seen]))

    def pair(self, outer: Members, name: str) -> Keyed:
        """A selector with a key path, written as a list of two."""
        function = self._source.function("fetchCall")
        wanted = f'a selector with a key path, such as [{function}(...), "args.body.id"]'
        return self.pair_of(outer, name, outer.raw(name, wanted))

    def pair_of(self, outer: Members, name: str, given: object) -> Keyed:
        """A pair that stands in a list, or alone, under a name."""
        shown = self._source.spell(name)
        function = self._source.function("fetchCall")
        wanted = f'a selector with a key path, such as [{function}(...), "args.body.id"]'
        if not isinstance(given, list) or len(given) != 2:
            raise outer.mistyped(name, given, wanted)
        members = Members(
            self._source,
            {"selector": given[0], "keyPath": given[1]},
            f"`{shown}` of {outer.what}",
            outer.place,
        )
        return self.keyed(members)

    def selector(self, outer: Members, name: str = "selector") -> Selector:
        """A selector."""
        value = outer.raw(name, f"{self._source.function('fetchCall')}(...)")
        kind, members = call(self._source, value, _ORDER, where=outer.what, place=outer.place)
        seen = _KINDS[kind]
        options = read_options(self._source, members)
        target = self._target(seen, members)
        operation = self._operation(seen, members, options)
        path = self._path(options) if seen in {Seen.FETCH, Seen.RESPONSE} else ""
        where = read_where(options, "where", VIEWS[seen])
        if seen is Seen.RESPONSE:
            where += _status(options)
        options.finish()
        members.finish()
        selector = Selector(
            seen=seen,
            target=target,
            operation=operation,
            path=path,
            where=where,
            place=members.shown_place(),
        )
        if seen is Seen.FETCH:
            self._check_answered(members, selector)
        if seen is Seen.RESPONSE:
            self._check_sent(members, selector)
        return selector

    def _target(self, seen: Seen, members: Members) -> str:
        if seen is Seen.RESPONSE:
            return ""
        if seen is not Seen.FETCH:
            return read_binding(members, self._bindings)
        name = members.text("external", "the name of an external")
        names = [each.name for each in self._externals]
        if name not in names:
            raise members.wrong(
                f'there is no external "{name}"{near_miss(name, names)}',
                f"declare it in `externals`; declared: {alternatives(names)}",
                word=name,
            )
        return name

    def _operation(self, seen: Seen, members: Members, options: Members) -> str | None:
        match seen:
            case Seen.FETCH:
                method = members.optional_text("method", "the name of an HTTP method")
                return None if method is None else checked_method(members, "method", method)
            case Seen.BINDING:
                return _one_of(members, "operation", "the name of an operation", OPERATIONS)
            case Seen.STEP:
                return members.optional_text("step", "the name of a step")
            case Seen.STATUS:
                return _one_of(members, "status", "a status of an instance", STATUSES)
            case Seen.RESPONSE | Seen.ODDITY:
                assert seen is Seen.RESPONSE
                requests = [each.name for each in self._requests]
                return _one_of(members, "request", "the name of a request", requests)
            case _:
                raise AssertionError(f"{seen} is not for selectors")

    def _path(self, options: Members) -> str:
        if options.has("path"):
            return read_pattern(options)
        options.optional("path")
        return ""

    def _check_answered(self, members: Members, selector: Selector) -> None:
        """See that the external has an answer to requests that are selected."""
        external = next(each for each in self._externals if each.name == selector.target)
        if external.stateful is not None:
            return
        for each in external.responses:
            is_selected = not selector.path or overlaps(selector.path, each.path)
            if is_selected and selector.operation in {None, each.method}:
                return
        known = [f"{each.method} {each.path}" for each in external.responses]
        asked = " ".join(filter(None, (selector.operation or "request", selector.path)))
        raise members.wrong(
            f'external "{external.name}" answers no {asked}, so nothing can be selected',
            f"correct the selector, or declare a response; declared: {alternatives(known)}",
            word=selector.path or selector.operation or external.name,
        )

    def _check_sent(self, members: Members, selector: Selector) -> None:
        """See that the driver makes requests that are selected."""
        paths = {each.name: urlsplit(each.url).path for each in self._requests}
        for name, path in paths.items():
            is_selected = not selector.path or matches_path(selector.path, path)
            if is_selected and selector.operation in {None, name}:
                return
        shown = [f"{name} {path}" for name, path in paths.items()]
        raise members.wrong(
            "the driver makes no such request, so nothing can be selected",
            f"correct the selector, or add the request; there are: {', '.join(shown) or 'none'}",
            word=selector.path,
        )


def _status(options: Members) -> tuple[tuple[str, Value], ...]:
    """The condition that an answer has a status."""
    status = options.whole("status", least=100, most=599, default=0)
    return (("status", encode(status)),) if status else ()


def _one_of(
    members: Members, name: str, wanted: str, known: tuple[str, ...] | list[str]
) -> str | None:
    value = members.optional_text(name, wanted)
    if value is not None and value not in known:
        raise members.wrong(
            f'`{members.source.spell(name)}` is "{value}"{near_miss(value, known)}',
            f"use one of: {alternatives(known)}",
            word=value,
        )
    return value
