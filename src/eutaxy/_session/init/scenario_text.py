"""A guessed scenario as the text of a file, in TypeScript or in Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eutaxy._session.init.guesses import ExternalGuess, Guess, Json, RequestGuess

_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What the file is about.

    Args:
        name: Name of the scenario.
        config: Path of the wrangler config, relative to the file.
        workflows: Binding and class of each Workflow.
        guess: What was guessed.
        starts_directly: Nothing answers requests, so the Workflows are started directly.
    """

    name: str
    config: str
    workflows: tuple[tuple[str, str], ...]
    guess: Guess
    starts_directly: bool


class _Language:
    """How a language writes what a scenario is made of."""

    comment = "//"

    def function(self, name: str) -> str:
        return name

    def value(self, value: Json) -> str:
        if isinstance(value, dict):
            members = ", ".join(f"{_key(key)}: {self.value(each)}" for key, each in value.items())
            return f"{{ {members} }}" if members else "{}"
        return json.dumps(value, ensure_ascii=False)

    def record(self, members: Iterable[tuple[str, Json]]) -> str:
        return self.value(dict(members))

    def external(self, name: str, host: str) -> tuple[str, str]:
        return f'external("{name}", "{host}", {{ responses: [', "] }),"


class _Python(_Language):
    comment = "#"

    def function(self, name: str) -> str:
        return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)

    def value(self, value: Json) -> str:
        if isinstance(value, dict):
            members = ", ".join(
                f"{json.dumps(key, ensure_ascii=False)}: {self.value(each)}"
                for key, each in value.items()
            )
            return f"{{{members}}}"
        return str(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)

    def external(self, name: str, host: str) -> tuple[str, str]:
        return f'external("{name}", "{host}", responses=[', "]),"


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key, ensure_ascii=False)


def typescript_text(draft: Draft) -> str:
    """The scenario as a TypeScript file."""
    language = _Language()
    names = ", ".join(_functions(draft))
    lines = [
        *_head(language),
        f'import {{ {names} }} from "eutaxy/cloudflare";',
        "",
        "export default defineScenario({",
        f"  name: {language.value(draft.name)},",
        f"  worker: {{ config: {language.value(draft.config)} }},",
        *_indented(_parts(draft, language, lambda name: f"{name}: ")),
        "});",
    ]
    return "\n".join(lines) + "\n"


def python_text(draft: Draft) -> str:
    """The scenario as a Python file."""
    language = _Python()
    names = [language.function(name) for name in _functions(draft)]
    lines = [
        *_head(language),
        "from eutaxy.cloudflare import (",
        *(f"    {name}," for name in names),
        ")",
        "",
        "scenario = define_scenario(",
        f"    name={language.value(draft.name)},",
        f'    worker={{"config": {language.value(draft.config)}}},',
        *_indented(_parts(draft, language, lambda name: f"{name}="), "    "),
        ")",
    ]
    return "\n".join(lines) + "\n"


def _head(language: _Language) -> list[str]:
    mark = language.comment
    return [
        f"{mark} A first scenario, guessed from the code. It runs as it is; where it says",
        f'{mark} "Fill in", a guess has to be made true before a verdict means much.',
    ]


def _functions(draft: Draft) -> list[str]:
    names = {"defineScenario"}
    if draft.workflows:
        names.add("workflow")
    if draft.guess.externals:
        names.add("external")
    names.add("createInstance" if draft.starts_directly else "http")
    return sorted(names)


def _indented(lines: Iterable[str], by: str = "  ") -> Iterable[str]:
    return (by + line if line else line for line in lines)


def _parts(draft: Draft, language: _Language, member: Callable[[str], str]) -> list[str]:
    inner = "    " if isinstance(language, _Python) else "  "
    lines = []
    if draft.workflows:
        calls = ", ".join(
            f"workflow({json.dumps(binding)}, {json.dumps(class_name)})"
            for binding, class_name in draft.workflows
        )
        lines.append(f"{member('setup')}[{calls}],")
    lines += _drive(draft, language, member, inner)
    if draft.guess.externals:
        lines.append(f"{member('externals')}[")
        for external in draft.guess.externals:
            lines += _indented(_external(external, language, inner), inner)
        lines.append("],")
    lines += _invariants(draft, language, member, inner)
    return lines


def _drive(
    draft: Draft, language: _Language, member: Callable[[str], str], inner: str
) -> list[str]:
    mark = language.comment
    if draft.starts_directly:
        create = language.function("createInstance")
        lines = [f"{mark} Fill in: the parameters of the instances.", f"{member('drive')}["]
        for binding, _ in draft.workflows:
            options = (
                'id="id-1", params={}'
                if isinstance(language, _Python)
                else '{ id: "id-1", params: {} }'
            )
            lines.append(f"{inner}{create}({json.dumps(binding)}, {options}),")
        return [*lines, "],"]
    requests = draft.guess.requests
    if not requests:
        return [
            f"{mark} Fill in: no request could be seen in the code.",
            f"{member('drive')}http([{language.record([('path', '/')])}]),",
        ]
    return [
        f"{mark} Fill in: the values in paths and bodies.",
        f"{member('drive')}http([",
        *(f"{inner}{_request(each, language)},  {mark} {each.place}" for each in requests),
        "]),",
    ]


def _request(request: RequestGuess, language: _Language) -> str:
    members: list[tuple[str, Json]] = [("path", request.path)]
    default = "GET" if request.body is None else "POST"
    if request.method != default:
        members.insert(0, ("method", request.method))
    if request.body is not None:
        members.append(("body", request.body))
    return language.record(members)


def _external(external: ExternalGuess, language: _Language, inner: str) -> list[str]:
    mark = language.comment
    what = "what it answers" if external.is_certain else "whether it is called, and what it answers"
    opening, closing = language.external(external.name, external.host)
    lines = [f"{mark} Fill in: {what}; and dedupe_by, if it recognises repetitions."]
    if not isinstance(language, _Python):
        lines = [lines[0].replace("dedupe_by", "dedupeBy")]
    lines.append(opening)
    for method, path, place in external.responses:
        members: list[tuple[str, Json]] = [("method", method), ("path", path)]
        members += [("status", 200), ("body", {})]
        lines.append(f"{inner}{language.record(members)},  {mark} {place}")
    return [*lines, closing]


def _invariants(
    draft: Draft, language: _Language, member: Callable[[str], str], inner: str
) -> list[str]:
    mark = language.comment
    lines = [
        f"{mark} The built-in invariants are on. Fill in: what else must be true in the end.",
        f"{member('invariants')}[",
    ]
    if draft.guess.suggestion is not None:
        name, key = draft.guess.suggestion
        at_most, call = language.function("atMostOncePerKey"), language.function("fetchCall")
        lines += [
            f"{inner}{mark} For example (import {at_most} and {call} too):",
            f'{inner}{mark} {at_most}("{name}-once", {call}("{name}", "POST"), "args.body.{key}"),',
        ]
    elif draft.workflows:
        binding = draft.workflows[0][0]
        unique, rows = language.function("unique"), language.function("workflowRows")
        lines += [
            f"{inner}{mark} For example (import {unique} and {rows} too):",
            f'{inner}{mark} {unique}("one-run-each", {rows}("{binding}"), "params.id"),',
        ]
    return [*lines, "],"]
