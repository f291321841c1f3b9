"""Modules that are not code: text, data and WebAssembly that a Worker imports.

The bundler copies such a file and leaves a `require` of the copy in the bundle. What the import
says, as it is written, decides by Wrangler's rules what it gives; the Node host answers the
`require` with that.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from eutaxy.errors import ScenarioError


class DataKind(Enum):
    """What an import of a data module gives."""

    TEXT = "text"
    DATA = "data"
    WASM = "wasm"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleRule:
    """One rule of `rules`.

    Args:
        kind: What matching imports give.
        globs: Patterns of imports, as they are written in the code.
        is_superseded: An earlier rule of the same kind has ended that kind.
    """

    kind: DataKind
    globs: tuple[str, ...]
    is_superseded: bool = False

    def matches(self, written: str) -> bool:
        """Whether an import, as it is written, is one of this rule."""
        return any(_pattern(glob).fullmatch(written) for glob in self.globs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataModule:
    """A data module of a bundle.

    Args:
        name: As the bundle requires it ("./a-2UCGHXMS.txt").
        kind: What it gives.
        path: Absolute path of the copy.
    """

    name: str
    kind: DataKind
    path: str

    def described(self) -> dict[str, str]:
        """What the `load` question says about it; see docs/host-protocol.md."""
        content = base64.b64encode(Path(self.path).read_bytes()).decode()
        return {"type": self.kind.value, "base64": content}


def extension_of(glob: str) -> str:
    """The file extension that a glob ends with (".txt"); empty when it is not a fixed one."""
    found = re.search(r"(\.[\w-]+)(?:\?[\w-]+)?$", glob)
    return "" if found is None else found[1]


def loader_options(rules: Iterable[ModuleRule]) -> tuple[str, ...]:
    """Options of esbuild that make it copy whatever a rule may be about."""
    extensions = {extension_of(glob) for rule in rules for glob in rule.globs}
    return tuple(f"--loader:{extension}=copy" for extension in sorted(extensions))


def _pattern(glob: str) -> re.Pattern[str]:
    # Stars in a row mean the same as one; it matches slashes too, as in Wrangler.
    parts = re.split(r"\*+", glob)
    return re.compile(".*".join(re.escape(part) for part in parts))


def data_modules(
    meta: Mapping[str, Any],
    rules: Sequence[ModuleRule],
    folder: Path,
    *,
    doing: str,
    shown_folder: str,
) -> tuple[DataModule, ...]:
    """The data modules of a bundle.

    Args:
        meta: What esbuild says of the bundle.
        rules: The rules, in order.
        folder: The folder that the bundle is in.
        doing: What messages say is being done.
        shown_folder: How messages call the folder of the entry file.

    Raises:
        ScenarioError: An import is of no rule, or of one that an earlier rule supersedes.
    """
    kinds = _kinds(meta, rules, doing, shown_folder)
    found = []
    for output, described in meta["outputs"].items():
        for source in described["inputs"]:
            bare = source.partition("?")[0]
            if bare in kinds and "entryPoint" not in described and len(described["inputs"]) == 1:
                name = Path(output).name
                kind = kinds[bare]
                found.append(DataModule(name=f"./{name}", kind=kind, path=str(folder / name)))
    return tuple(found)


def _kinds(
    meta: Mapping[str, Any], rules: Sequence[ModuleRule], doing: str, shown_folder: str
) -> dict[str, DataKind]:
    """The kind of each copied file, by its path as esbuild names it."""
    extensions = {extension_of(glob) for rule in rules for glob in rule.globs}
    kinds: dict[str, DataKind] = {}
    for name, described in meta["inputs"].items():
        importer = os.path.normpath(Path(shown_folder, name))
        for each in described["imports"]:
            path = each["path"].partition("?")[0]
            if each.get("external") or Path(path).suffix not in extensions:
                continue
            kind = _kind(each.get("original", path), importer, rules, doing)
            if kinds.setdefault(path, kind) is not kind:
                raise ScenarioError(
                    doing,
                    f"{path} is imported in two ways, as {kinds[path].value} and as {kind.value}",
                    "import it in one way only: more is not modelled yet",
                    place=importer,
                )
    return kinds


def _kind(written: str, importer: str, rules: Sequence[ModuleRule], doing: str) -> DataKind:
    rule = next((rule for rule in rules if rule.matches(written)), None)
    if rule is None:
        raise ScenarioError(
            doing,
            f'the import of "{written}" matches no rule of the wrangler config',
            "correct `globs` of the rule: they are compared with the import as it is written",
            place=importer,
        )
    if rule.is_superseded:
        raise ScenarioError(
            doing,
            f'the import of "{written}" matches only a rule that an earlier one of the same type '
            "supersedes",
            "add `fallthrough: true` to the earlier rule",
            place=importer,
        )
    return rule.kind


def check_aliases(meta: Mapping[str, Any], options: Iterable[str], *, doing: str) -> None:
    """See that no alias has replaced the beginning of an import.

    The bundler also applies an alias to what is inside the package that it names; Wrangler applies
    it to that name alone.

    Raises:
        ScenarioError: An alias was applied so.
    """
    pairs = (each.removeprefix("--alias:").split("=", 1) for each in options if "--alias:" in each)
    # The bare names of Node's own modules are to include what is inside them.
    names = {name for name, value in pairs if value != f"node:{name}"}
    for importer, described in meta["inputs"].items():
        for each in described["imports"]:
            written = each.get("original", "")
            name = next((name for name in names if written.startswith(f"{name}/")), None)
            if name is not None and written not in names:
                raise ScenarioError(
                    doing,
                    f'{importer} imports "{written}", and `alias` of the wrangler config is about '
                    f'"{name}"',
                    f'give "{written}" an alias of its own: Wrangler does not apply the one of '
                    f'"{name}" to it',
                )
