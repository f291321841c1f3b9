"""From the path of a scenario file to a `Scenario` and a Worker that a host can run."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from eutaxy._base.scenario import Scenario
from eutaxy._hosts.bundle import Bundle, bundle, worker_options
from eutaxy._hosts.cache_folder import cache_folder
from eutaxy._hosts.pinned_esbuild import find_esbuild
from eutaxy._hosts.toolchain import Node, find_node
from eutaxy._session.build import build_scenario
from eutaxy._session.declared import alternatives, near_miss
from eutaxy._session.evaluate import (
    Declared,
    ScenarioFile,
    bundle_scenario,
    evaluate_python,
    evaluate_typescript,
)
from eutaxy._session.functions import Functions, InJavaScript, InPython, WayToCall
from eutaxy._session.schedules import check_schedules
from eutaxy._session.source import Source
from eutaxy._session.unfollowed import refuse_assets
from eutaxy._session.worker import Language, Worker, bindings, check_setup
from eutaxy._session.wrangler import WranglerConfig, read_wrangler
from eutaxy.errors import ScenarioError

LANGUAGES = {
    ".cjs": Language.JAVASCRIPT,
    ".js": Language.JAVASCRIPT,
    ".jsx": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".mts": Language.JAVASCRIPT,
    ".cts": Language.JAVASCRIPT,
    ".py": Language.PYTHON,
    ".ts": Language.JAVASCRIPT,
    ".tsx": Language.JAVASCRIPT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A scenario that can be checked.

    Args:
        scenario: What the user declared.
        worker: The Worker under check.
        node: The Node for a JavaScript Worker; None for a Python one.
        functions: The functions of the scenario; to be closed in the end.
    """

    scenario: Scenario
    worker: Worker
    node: Node | None
    functions: Functions


class _Tools:
    """Node and the cache directory, each found when first needed."""

    @cached_property
    def node(self) -> Node:
        return find_node()

    @cached_property
    def cache(self) -> Path:
        return cache_folder()


def load_scenario(shown: str, *, environment: str = "") -> Loaded:
    """Load a scenario file, the wrangler config it names, and its Worker.

    Args:
        shown: Path of the scenario file as the user wrote it.
        environment: Name of the environment of the config; empty for its top level.

    Raises:
        ScenarioError: Something in these files is missing or wrong; or Node or the bundler is.
    """
    file = _scenario_file(shown)
    tools = _Tools()
    language = language_of(file.path, file.doing, place="")
    declared, way = _evaluated(file, language, tools)
    source = Source(file, is_python=language is Language.PYTHON)
    scenario = build_scenario(declared, source)
    config_path = Path(scenario.config)
    config = read_wrangler(config_path, _shown_near(file, config_path), environment)
    scenario = _with_entry(scenario, config, file)
    check_setup(scenario, config)
    check_schedules(scenario, config)
    refuse_assets(scenario, config)
    worker = _worker(scenario, config, file, tools)
    node = tools.node if worker.language is Language.JAVASCRIPT else None
    functions = Functions(scenario, way)
    return Loaded(scenario=scenario, worker=worker, node=node, functions=functions)


def _evaluated(file: ScenarioFile, language: Language, tools: _Tools) -> tuple[Declared, WayToCall]:
    """What a scenario file declares, and how its functions are called."""
    if language is Language.PYTHON:
        return evaluate_python(file), InPython(file)
    esbuild = find_esbuild(file.path.parent)
    bundled = bundle_scenario(file, esbuild=esbuild, cache=tools.cache)
    declared = evaluate_typescript(file, bundled, node=lambda: tools.node, cache=tools.cache)
    return declared, InJavaScript(file, bundled, lambda: tools.node)


def _scenario_file(shown: str) -> ScenarioFile:
    doing = f"loading the scenario {shown}"
    try:
        path = Path(shown).absolute()
    except FileNotFoundError:
        raise ScenarioError(
            doing,
            "the current directory is no longer there",
            "change to one that is, and run again",
        ) from None
    if path.is_dir():
        raise ScenarioError(doing, "it is a directory", "name the scenario file in it")
    if not path.is_file():
        folder = path.parent
        if not folder.is_dir():
            raise ScenarioError(doing, f"there is no directory {folder}", "correct the path")
        scenarios = [each.name for each in folder.iterdir() if _looks_like_scenario(each.name)]
        near = near_miss(path.name, [each.name for each in folder.iterdir()])
        raise ScenarioError(
            doing,
            f"there is no such file{near}",
            f"correct the path; scenario files in that directory: {alternatives(scenarios)}",
        )
    return ScenarioFile(path=path, shown=shown)


def _looks_like_scenario(name: str) -> bool:
    path = Path(name)
    return path.suffix in LANGUAGES and path.stem.endswith((".sim", "_sim"))


def language_of(path: Path, doing: str, *, place: str = "") -> Language:
    """The language of a scenario or Worker, by its file extension.

    Raises:
        ScenarioError: It is none that is known.
    """
    language = LANGUAGES.get(path.suffix)
    if language is None:
        raise ScenarioError(
            doing,
            f'{path.name} ends with "{path.suffix}", which is no known language',
            f"use a file that ends with one of: {alternatives(LANGUAGES)}",
            place=place,
        )
    return language


def _shown_near(file: ScenarioFile, path: Path) -> str:
    """A path in terms of how the user named the scenario file."""
    relative = os.path.relpath(path, file.path.parent.resolve())
    return os.path.normpath(Path(file.shown_folder, relative))


def _worker(
    scenario: Scenario, config: WranglerConfig, file: ScenarioFile, tools: _Tools
) -> Worker:
    entry = Path(scenario.entry)
    shown = _shown_near(file, entry)
    language = language_of(entry, f"loading the Worker {shown}", place=file.shown_place())
    bundled: Bundle | None = None
    if language is Language.JAVASCRIPT:
        bundled = bundle_worker(entry, shown, config, tools.cache)
    return Worker(
        language=language,
        entry=scenario.entry,
        shown=shown,
        code=scenario.entry if bundled is None else bundled.code,
        source_map=None if bundled is None else bundled.map,
        root=str(config.folder),
        env=bindings(scenario, config),
        flags=config.compatibility_flags,
        date=config.compatibility_date,
        workflows=config.workflows,
        modules=() if bundled is None else bundled.modules,
    )


def _with_entry(scenario: Scenario, config: WranglerConfig, file: ScenarioFile) -> Scenario:
    """The scenario with `main` of the config as entry, if it names none itself."""
    if scenario.entry:
        return scenario
    entry = main_of(config, file.doing, place=file.shown_place())
    return replace(scenario, entry=entry)


def main_of(config: WranglerConfig, doing: str, *, place: str = "") -> str:
    """Absolute path of the entry file that the config names.

    Raises:
        ScenarioError: It names none, or one that is not there.
    """
    remedy = "name the Worker's entry file as `entry` of the scenario's worker"
    if not config.main:
        raise ScenarioError(doing, f"{config.path} has no `main`", remedy, place=place)
    if config.build_command:
        raise ScenarioError(
            doing,
            f"{config.path} has a build command ({config.build_command}), which eutaxy does not "
            "run, so its `main` may be out of date",
            f"{remedy}: the source, or what the command has built",
            place=config.place_of("build"),
        )
    if not Path(config.main).is_file():
        raise ScenarioError(
            doing,
            f"{config.path} names as `main` {os.path.relpath(config.main, config.folder)}, "
            "but there is no such file",
            "correct `main`, or create the file",
            place=config.place_of("main"),
        )
    return config.main


def bundle_worker(entry: Path, shown: str, config: WranglerConfig, cache: Path) -> Bundle:
    """Bundle a JavaScript or TypeScript Worker as its wrangler config says."""
    flags = config.compatibility_flags
    options = worker_options(
        has_node_compat=any(flag.startswith("nodejs_compat") for flag in flags), **config.bundling
    )
    return bundle(
        entry,
        options,
        esbuild=find_esbuild(entry.parent),
        cache=cache,
        doing=f"bundling the Worker {shown}",
        shown_folder=str(Path(shown).parent),
        rules=config.bundling["rules"],
    )
