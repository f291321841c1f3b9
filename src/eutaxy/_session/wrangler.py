"""Reading a wrangler config: entry, flags, Workflows, variables, secrets, and all other bindings.

The top level is read, or one environment by the rules of `wrangler --env`. Whatever gives the
Worker a binding that the model lacks is kept by name, so that its use is reported instead of
guessed; what else would change its behaviour and is not followed is refused (`unfollowed.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eutaxy._session.config_reader import ConfigReader, Tree, parse, place_of, read_text
from eutaxy._session.cron import NoCron, read_cron
from eutaxy._session.dev_vars import chosen_secrets, read_secrets
from eutaxy._session.environments import choose_environment
from eutaxy._session.module_rules import read_module_rules
from eutaxy._session.unfollowed import refuse_unfollowed
from eutaxy.errors import ScenarioError

# Tables whose entries do not call the name of their binding "binding".
_NAMED_BY_NAME = ("durable_objects", "logfwdr", "unsafe", "ratelimits", "send_email")
_NAMED_BY_KEY = ("data_blobs", "text_blobs", "wasm_modules")
STEPS_LIMIT = 25_000
"""The highest `limits.steps` that the platform accepts."""

# Tables that give the running Worker no binding of their own at this level.
_NO_BINDINGS = ("env", "previews", "secrets", "vars", "workflows")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowConfig:
    """One entry of `workflows`.

    Args:
        name: Name of the Workflow.
        binding: Name of the binding in `env`.
        class_name: The class that its instances run.
        script_name: The Worker that has the class; None means this one.
        steps_max: `limits.steps`; None means the platform's limit.
        schedules: `schedules`, each with single spaces.
    """

    name: str
    binding: str
    class_name: str
    script_name: str | None = None
    steps_max: int | None = None
    schedules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WranglerConfig:
    """What a wrangler config says, as far as eutaxy needs it.

    Args:
        path: The file, as messages name it.
        text: The whole file, for finding lines in it.
        folder: Absolute path of the folder that relative paths start from.
        name: Name of the Worker; empty when it has none.
        compatibility_date: "2026-10-01"; empty when not given.
        compatibility_flags: In the order given.
        workflows: In the order given.
        variables: `vars`, name to any JSON value; and secrets, which take the place of vars.
        unmodelled: Name of each other binding to the table that declares it.
        environments: Names under `env`.
        bundling: What the bundler needs: options of `worker_options`, by name; absolute paths.
        environment: The environment that was read; empty for the top level.
        main: Absolute path of the entry file; empty when none is named.
        build_command: `build.command`, which is not run; empty for none.
        secrets: Names of the variables that are secrets.
        assets: Absolute path of the folder of static assets that answer before the Worker does;
            empty for none.
    """

    path: str
    text: str
    folder: Path
    name: str
    compatibility_date: str
    compatibility_flags: tuple[str, ...]
    workflows: tuple[WorkflowConfig, ...]
    variables: Mapping[str, Any]
    unmodelled: Mapping[str, str]
    environments: tuple[str, ...] = ()
    bundling: Mapping[str, Any] = field(default_factory=dict)
    environment: str = ""
    main: str = ""
    build_command: str = ""
    secrets: tuple[str, ...] = ()
    assets: str = ""

    def place_of(self, word: str) -> str:
        """The line that has `word`, as "wrangler.jsonc:7"; only the file when none has."""
        return place_of(self.path, self.text, word, self.environment)


def read_wrangler(file: Path, shown: str, environment: str = "") -> WranglerConfig:
    """Read wrangler.jsonc, wrangler.json or wrangler.toml, and the secrets beside it.

    Args:
        file: Absolute path.
        shown: How messages call the file.
        environment: Name of the environment; empty for the top level.

    Raises:
        ScenarioError: It is missing, cannot be parsed, says something of the wrong type, or asks
            for something that changes what the Worker does and is not modelled.
    """
    text = read_text(file, shown)
    reader = ConfigReader(shown, text, environment)
    whole: Tree = reader.expect(parse(text, file, shown), dict, "the config", "an object")
    tree = choose_environment(reader, whole, environment)
    refuse_unfollowed(reader, tree)
    flags = reader.optional(tree, "compatibility_flags", list, "a list of texts") or []
    for flag in flags:
        reader.expect(flag, str, "compatibility_flags", "a list of texts")
    variables = reader.optional(tree, "vars", dict, "an object") or {}
    workflows = tuple(_workflows(reader, tree))
    unmodelled = dict(_other_bindings(tree))
    secrets, missing = _secrets(reader, tree, file.parent, environment)
    unmodelled |= dict.fromkeys(missing, "secrets")
    _check_names(reader, workflows, {**variables, **secrets}, unmodelled)
    return WranglerConfig(
        path=shown,
        text=text,
        folder=file.parent,
        name=reader.optional(tree, "name", str, "a text") or "",
        compatibility_date=_date(reader, tree),
        compatibility_flags=tuple(flags),
        workflows=workflows,
        variables={**variables, **secrets},
        unmodelled=unmodelled,
        environments=tuple(whole.get("env") or {}),
        bundling=_bundling(reader, tree, file.parent),
        environment=environment,
        main=_path(reader, tree, "main", file.parent),
        build_command=_build_command(reader, tree),
        secrets=tuple(secrets),
        assets=_assets(reader, tree, file.parent),
    )


def _path(reader: ConfigReader, tree: Tree, name: str, folder: Path) -> str:
    given = reader.optional(tree, name, str, "a path")
    return str((folder / given).resolve()) if given else ""


def _build_command(reader: ConfigReader, tree: Tree) -> str:
    build = reader.optional(tree, "build", dict, "an object") or {}
    return reader.optional(build, "command", str, "a text") or ""


def _assets(reader: ConfigReader, tree: Tree, folder: Path) -> str:
    assets = reader.optional(tree, "assets", dict, "an object") or {}
    if assets.get("run_worker_first") is True:
        return ""
    return _path(reader, assets, "directory", folder)


def _secrets(
    reader: ConfigReader, tree: Tree, folder: Path, environment: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    table = reader.optional(tree, "secrets", dict, "an object")
    required: list[Any] | None = None
    if table is not None:
        required = reader.optional(table, "required", list, "a list of names") or []
        for name in required:
            reader.expect(name, str, "required", "a list of names")
    return chosen_secrets(read_secrets(folder, environment), required)


def _date(reader: ConfigReader, tree: Tree) -> str:
    # An unquoted date in TOML is a date of its own type; its text is the same.
    date = str(tree.get("compatibility_date", ""))
    if date and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise reader.wrong(
            "compatibility_date",
            f'compatibility_date is "{date}"',
            "write it as year, month and day: 2026-10-01",
        )
    return date


def _workflows(reader: ConfigReader, tree: Tree) -> Iterator[WorkflowConfig]:
    entries = reader.optional(tree, "workflows", list, "a list of objects") or []
    for entry in entries:
        reader.expect(entry, dict, "workflows", "a list of objects")
        for name in ("name", "binding", "class_name"):
            if not isinstance(entry.get(name), str) or not entry[name]:
                raise reader.wrong(
                    "workflows",
                    f"a workflow has no `{name}` (it says {entry!r})",
                    "give each workflow a `name`, a `binding` and a `class_name`",
                )
        yield WorkflowConfig(
            name=entry["name"],
            binding=entry["binding"],
            class_name=entry["class_name"],
            script_name=reader.optional(entry, "script_name", str, "a text"),
            steps_max=_steps_max(reader, entry),
            schedules=tuple(_schedules(reader, entry)),
        )


def _steps_max(reader: ConfigReader, entry: Tree) -> int | None:
    limits = reader.optional(entry, "limits", dict, "an object") or {}
    steps = limits.get("steps")
    if steps is None:
        return None
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= STEPS_LIMIT:
        raise reader.wrong(
            "limits",
            f"`limits.steps` is {steps!r}, but must be a whole number from 1 to {STEPS_LIMIT}",
            "correct it, or leave it out",
        )
    return steps


def _schedules(reader: ConfigReader, entry: Tree) -> Iterator[str]:
    """The cron expressions of a Workflow: one text, or a list of some."""
    given = entry.get("schedules")
    if given is None:
        return
    wanted = "a cron expression or a list of some"
    listed = [given] if isinstance(given, str) else given
    if not listed or not isinstance(listed, list):
        raise reader.wrong(
            "schedules", f"schedules is {given!r}, but must be {wanted}", "correct it"
        )
    for each in listed:
        text = reader.expect(each, str, "schedules", wanted)
        try:
            yield read_cron(text).text
        except NoCron as error:
            remedy = 'write five fields such as "0 3 * * *", or remove it'
            raise reader.wrong(text, f'schedules has "{text}": {error}', remedy) from None


def _other_bindings(tree: Tree) -> Iterator[tuple[str, str]]:
    """Name and table of each binding that is neither a Workflow nor a variable."""
    for table, content in tree.items():
        if table in _NO_BINDINGS:
            continue
        if table in _NAMED_BY_KEY and isinstance(content, dict):
            yield from ((name, table) for name in content)
        elif table == "site" and content:
            yield "__STATIC_CONTENT", table
        else:
            key = "name" if table in _NAMED_BY_NAME else "binding"
            yield from ((name, table) for name in _names(content, key))


def _names(content: object, key: str) -> Iterator[str]:
    """Values of `key` anywhere in `content`: new kinds of tables are found like old ones."""
    if isinstance(content, list):
        for item in content:
            yield from _names(item, key)
    elif isinstance(content, dict):
        name = content.get(key)
        if isinstance(name, str):
            yield name
        for item in content.values():
            yield from _names(item, key)


def _check_names(
    reader: ConfigReader,
    workflows: tuple[WorkflowConfig, ...],
    variables: Mapping[str, Any],
    unmodelled: Mapping[str, str],
) -> None:
    owner = {name: f"a binding of {table}" for name, table in unmodelled.items()}
    for name in variables:
        if name in owner:
            raise _twice(reader, name, owner[name], "a variable")
        owner[name] = "a variable"
    for workflow in workflows:
        if workflow.binding in owner:
            raise _twice(reader, workflow.binding, owner[workflow.binding], "a workflow")
        owner[workflow.binding] = "a workflow"


def _twice(reader: ConfigReader, name: str, first: str, second: str) -> ScenarioError:
    found = f"{name} is the name of {first} and of {second}"
    return reader.wrong(name, found, "give each binding a name of its own")


def _bundling(reader: ConfigReader, tree: Tree, folder: Path) -> dict[str, Any]:
    bundling: dict[str, Any] = {}
    for name in ("define", "alias"):
        table = reader.optional(tree, name, dict, "an object of texts") or {}
        for value in table.values():
            reader.expect(value, str, name, "an object of texts")
        bundling[name] = table
    bundling["alias"] = {
        name: str(folder / value) if value.startswith(".") else value
        for name, value in bundling["alias"].items()
    }
    for name in ("jsx_factory", "jsx_fragment", "tsconfig"):
        bundling[name] = reader.optional(tree, name, str, "a text")
    if bundling["tsconfig"] is not None:
        bundling["tsconfig"] = str(folder / bundling["tsconfig"])
    keep_names = reader.optional(tree, "keep_names", bool, "true or false")
    bundling["keep_names"] = keep_names is not False
    bundling["is_minified"] = reader.optional(tree, "minify", bool, "true or false") is True
    bundling["rules"] = read_module_rules(reader, tree)
    return bundling
