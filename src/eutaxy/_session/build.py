"""Building a `Scenario` from what a scenario file declares, or saying what is wrong with it."""

from __future__ import annotations

import re
from pathlib import Path

from eutaxy._base.bounds import Bounds
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    CannedResponse,
    External,
    FetchCallSelector,
    HttpRequest,
    Invariant,
    Scenario,
    Unique,
    WorkflowRows,
    WorkflowSetup,
)
from eutaxy._session.declared import (
    Members,
    alternatives,
    call,
    first_twice,
    near_miss,
    plain_object,
)
from eutaxy._session.evaluate import Declared
from eutaxy._session.http_parts import (
    read_duration,
    read_method,
    read_request,
    read_response,
    targets_of,
)
from eutaxy._session.source import Source

_DEFAULT_DOWNTIME_MS = 1_000
_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NAME = re.compile(r"[\w.-]+")
_ROW_MEMBERS = ("error", "id", "output", "params", "status")
_CALL_MEMBERS = ("body", "headers", "method", "url")


def build_scenario(declared: Declared, source: Source) -> Scenario:
    """Check a declared scenario and turn it into data.

    Args:
        declared: What `evaluate` gave.
        source: The scenario file.

    Raises:
        ScenarioError: Something in it is missing, misspelt, of the wrong type, or contradictory.
    """
    _, outer = call(source, declared, ["scenario"], where="the file", place="")
    function = source.function("scenario")
    given = outer.raw("given", "an object")
    members = plain_object(source, given, f"the argument of {function}()", outer.place)
    members.what = f"{function}()"
    name = members.text("name")
    entry, config = _worker(source, members)
    setup = _setup(source, members)
    drive = _drive(source, members)
    externals = _externals(source, members)
    invariants = _invariants(source, members, setup, externals)
    bounds = _bounds(source, members)
    downtime_ms = read_duration(members, "downtime", _DEFAULT_DOWNTIME_MS)
    members.finish()
    return Scenario(
        name=name,
        path=source.file.shown,
        entry=str(entry),
        config=str(config),
        setup=setup,
        drive=drive,
        externals=externals,
        invariants=invariants,
        bounds=bounds,
        downtime_ms=downtime_ms,
    )


def _worker(source: Source, outer: Members) -> tuple[Path, Path]:
    wanted = "an object with `entry` and `config`"
    tree = outer.raw("worker", wanted)
    members = plain_object(source, tree, "`worker`", outer.place, wanted=wanted)
    entry = members.text("entry", "the path of the Worker's entry file")
    config = members.text("config", "the path of its wrangler config")
    members.finish()
    folder = source.file.path.parent
    path = (folder / entry).resolve()
    if not path.is_file():
        near = near_miss(Path(entry).name, _names_in(path.parent))
        found = f"there is no file {entry}{near}"
        raise members.wrong(found, "correct `entry`, or create the file", word=entry)
    return path, (folder / config).resolve()


def _names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def _setup(source: Source, outer: Members) -> tuple[WorkflowSetup, ...]:
    found: list[WorkflowSetup] = []
    for item in outer.items("setup", "a list"):
        _, members = call(source, item, ["workflow"], where="`setup`", place=outer.place)
        setup = WorkflowSetup(
            binding=members.text("binding", "the name of a binding"),
            class_name=members.text("className", "the name of a class"),
            place=members.shown_place(),
        )
        if any(setup.binding == each.binding for each in found):
            raise members.wrong(f"{setup.binding} is named twice", "keep one of the two")
        members.finish()
        found.append(setup)
    return tuple(found)


def _drive(source: Source, outer: Members) -> tuple[HttpRequest, ...]:
    value = outer.raw("drive", f"{source.function('http')}([...])")
    _, members = call(source, value, ["http"], where="`drive`", place=outer.place)
    requests = members.items("requests", "a list of requests", is_needed=True)
    if not requests:
        raise members.wrong("there are no requests", "add at least one: nothing would happen")
    members.finish()
    places = source.places_of_items(targets_of(requests), members.place)
    return tuple(
        read_request(source, tree, number, place)
        for number, (tree, place) in enumerate(zip(requests, places, strict=True), 1)
    )


def _externals(source: Source, outer: Members) -> tuple[External, ...]:
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
    tree = members.optional("options")
    options = plain_object(
        source, {} if tree is None else tree, f"the options of {members.what}", members.place
    )
    options.what = members.what
    dedupe_by = options.optional_text("dedupeBy", "the name of a request header")
    if dedupe_by is not None and _HEADER.fullmatch(dedupe_by) is None:
        raise options.mistyped("dedupeBy", dedupe_by, "the name of a request header")
    trees = options.items("responses", "a list of responses")
    options.finish()
    members.finish()
    places = source.places_of_items(targets_of(trees), members.place)
    responses = tuple(
        read_response(source, tree, f"response {number} of {members.what}", place)
        for number, (tree, place) in enumerate(zip(trees, places, strict=True), 1)
    )
    _check_responses(members, responses)
    return External(
        name=name,
        host=host,
        dedupe_by=None if dedupe_by is None else dedupe_by.lower(),
        responses=responses,
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
    return host


def _check_responses(members: Members, responses: tuple[CannedResponse, ...]) -> None:
    again = first_twice(
        f"{each.method} {each.path}" + (f" once {each.once}" if each.once else "")
        for each in responses
    )
    if again is not None:
        raise members.wrong(
            f"two of its responses answer {again}",
            "keep one: answers that change from call to call are not modelled yet",
        )


def _invariants(
    source: Source,
    outer: Members,
    setup: tuple[WorkflowSetup, ...],
    externals: tuple[External, ...],
) -> tuple[Invariant, ...]:
    items = outer.items("invariants", "a list of invariants", is_needed=True)
    if not items:
        kinds = f"{source.function('atMostOncePerKey')}(...) or {source.function('unique')}(...)"
        found = "there are no invariants, so there is nothing to check"
        raise outer.wrong(found, f"add one: {kinds}", word="invariants")
    built: list[Invariant] = []
    for item in items:
        kind, members = call(
            source, item, ["atMostOncePerKey", "unique"], where="`invariants`", place=outer.place
        )
        name = members.text("name")
        members.what = f'invariant "{name}"'
        if any(name == each.name for each in built):
            raise members.wrong("its name is taken", "give each invariant a name of its own")
        if kind == "unique":
            rows = _rows(source, members, setup)
            key_path = _key_path(members, _ROW_MEMBERS, ())
            invariant: Invariant = Unique(
                name=name, rows=rows, key_path=key_path, place=members.shown_place()
            )
        else:
            selector = _selector(source, members, externals)
            key_path = _key_path(members, ("args",), _CALL_MEMBERS)
            invariant = AtMostOncePerKey(
                name=name, selector=selector, key_path=key_path, place=members.shown_place()
            )
        members.finish()
        built.append(invariant)
    return tuple(built)


def _selector(source: Source, outer: Members, externals: tuple[External, ...]) -> FetchCallSelector:
    value = outer.raw("selector", f"{source.function('fetchCall')}(...)")
    _, members = call(source, value, ["fetchCall"], where=outer.what, place=outer.place)
    name = members.text("external", "the name of an external")
    names = [each.name for each in externals]
    if name not in names:
        raise members.wrong(
            f'there is no external "{name}"{near_miss(name, names)}',
            f"declare it in `externals`; declared: {alternatives(names)}",
            word=name,
        )
    method = members.optional_text("method", "the name of an HTTP method")
    if method is not None:
        method = read_method(members, method)
    members.finish()
    return FetchCallSelector(external=name, method=method, place=members.shown_place())


def _rows(source: Source, outer: Members, setup: tuple[WorkflowSetup, ...]) -> WorkflowRows:
    value = outer.raw("rows", f"{source.function('workflowRows')}(...)")
    _, members = call(source, value, ["workflowRows"], where=outer.what, place=outer.place)
    binding = members.text("binding", "the name of a binding")
    bindings = [each.binding for each in setup]
    if binding not in bindings:
        raise members.wrong(
            f'`setup` has no workflow "{binding}"{near_miss(binding, bindings)}',
            f'add workflow("{binding}", ...) to `setup`; it has: {alternatives(bindings)}',
            word=binding,
        )
    members.finish()
    return WorkflowRows(binding=binding, place=members.shown_place())


def _key_path(members: Members, first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """A key path, checked as far as its members are known beforehand."""
    path = members.text("keyPath", "names joined by dots")
    names = path.split(".")
    for name, known in zip(names, (first, second), strict=False):
        if known and name not in known:
            raise members.wrong(
                f'the key path "{path}" has "{name}"{near_miss(name, known)}',
                f"there, use one of: {alternatives(known)}",
                word=path,
            )
    if not all(names) or (second and len(names) == 1):
        raise members.wrong(
            f'the key path "{path}" is not whole', "join names by single dots", word=path
        )
    return path


def _bounds(source: Source, outer: Members) -> Bounds:
    tree = outer.optional("bounds")
    if tree is None:
        return Bounds()
    if isinstance(tree, dict) and tree.get("$eutaxy") == "bounds":
        _, members = call(source, tree, ["bounds"], where="`bounds`", place=outer.place)
    else:
        members = plain_object(source, tree, "`bounds`", outer.place)
    default = Bounds()
    bounds = Bounds(
        max_faults=members.whole("maxFaultsPerRun", least=0, default=default.max_faults),
        max_redeliveries=members.whole(
            "maxRedeliveries", least=0, default=default.max_redeliveries
        ),
        max_concurrent=members.whole(
            "maxConcurrentInvocations", least=1, default=default.max_concurrent
        ),
        budget_ms=members.whole("budgetMs", least=1, default=default.budget_ms),
    )
    members.finish()
    return bounds
