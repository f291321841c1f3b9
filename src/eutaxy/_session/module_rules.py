"""`rules` of a wrangler config: which imports become text, data or WebAssembly."""

from __future__ import annotations

from collections.abc import Iterator

from eutaxy._hosts.data_modules import DataKind, ModuleRule, extension_of
from eutaxy._session.config_reader import ConfigReader, Tree
from eutaxy._session.declared import alternatives

_DEFAULT = (
    ModuleRule(kind=DataKind.TEXT, globs=("**/*.txt", "**/*.html", "**/*.sql")),
    ModuleRule(kind=DataKind.DATA, globs=("**/*.bin",)),
    ModuleRule(kind=DataKind.WASM, globs=("**/*.wasm", "**/*.wasm?module")),
)
# Code stays in the bundle, whatever rule says so.
_CODE = ("CommonJS", "ESModule", "PythonModule", "PythonRequirement")
_KINDS = {"CompiledWasm": DataKind.WASM, "Data": DataKind.DATA, "Text": DataKind.TEXT}


def read_module_rules(reader: ConfigReader, tree: Tree) -> tuple[ModuleRule, ...]:
    """The rules of the config and then Wrangler's own, as far as they are about data.

    The first rule of a kind ends that kind unless it says `fallthrough: true`; a rule after it is
    kept as superseded, because importing what it names is an error.

    Raises:
        ScenarioError: A rule is malformed, or its glob names no file extension.
    """
    ended: set[DataKind] = set()
    active: list[ModuleRule] = []
    superseded: list[ModuleRule] = []
    given = [*_given(reader, tree), *((rule, False) for rule in _DEFAULT)]
    for rule, falls_through in given:
        if rule.kind in ended:
            superseded.append(ModuleRule(kind=rule.kind, globs=rule.globs, is_superseded=True))
            continue
        active.append(rule)
        if not falls_through:
            ended.add(rule.kind)
    return (*active, *superseded)


def _given(reader: ConfigReader, tree: Tree) -> Iterator[tuple[ModuleRule, bool]]:
    for entry in reader.optional(tree, "rules", list, "a list of objects") or []:
        reader.expect(entry, dict, "rules", "a list of objects")
        name = entry.get("type")
        if name in _CODE:
            continue
        if name not in _KINDS:
            raise reader.wrong(
                "rules",
                f"a rule has the type {name!r}",
                f"use one of: {alternatives((*_KINDS, *_CODE))}",
            )
        globs = reader.expect(entry.get("globs"), list, "globs", "a list of texts")
        for glob in globs:
            reader.expect(glob, str, "globs", "a list of texts")
            if not extension_of(glob):
                raise reader.wrong(
                    glob,
                    f'the glob "{glob}" does not end with a file extension, and eutaxy tells data '
                    "from code by the extension",
                    'name the extension: "**/*.txt"',
                )
        falls_through = reader.optional(entry, "fallthrough", bool, "true or false")
        yield ModuleRule(kind=_KINDS[name], globs=tuple(globs)), falls_through is True
