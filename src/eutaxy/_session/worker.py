"""The Worker under check: what a host needs to run it, and whether it fits the scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import cast

from eutaxy._base.scenario import HttpRequest, Scenario, WorkflowSetup
from eutaxy._base.value import Plain, encode
from eutaxy._hosts.data_modules import DataModule
from eutaxy._session.declared import alternatives, near_miss
from eutaxy._session.wrangler import WorkflowConfig, WranglerConfig
from eutaxy.errors import ScenarioError

Binding = Mapping[str, str]
"""What a host's `load` is told of one binding; see docs/host-protocol.md."""


class Language(Enum):
    """What runs a Worker."""

    JAVASCRIPT = "node"
    PYTHON = "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A Worker that a host can load.

    Args:
        language: Which host runs it; TypeScript runs as JavaScript.
        entry: Absolute path of the entry file.
        shown: How messages call the entry file.
        code: Absolute path of what is run: the bundle, or the main module of a Python Worker.
        source_map: Absolute path of the bundle's source map; None for Python.
        root: Absolute path of the project folder, the one of the wrangler config.
        env: Name of each binding to what the host is told of it.
        flags: Compatibility flags.
        date: Compatibility date; empty when the config names none.
        workflows: The Workflows of the config.
        modules: What a bundle requires that is not code.
    """

    language: Language
    entry: str
    shown: str
    code: str
    source_map: str | None
    root: str
    env: Mapping[str, Binding]
    flags: tuple[str, ...]
    date: str
    workflows: tuple[WorkflowConfig, ...] = ()
    modules: tuple[DataModule, ...] = ()


def check_setup(scenario: Scenario, config: WranglerConfig) -> None:
    """See that each Workflow of the setup is in the wrangler config, with the same class.

    Raises:
        ScenarioError: One is not.
    """
    for setup in scenario.setup:
        workflow = _configured(scenario, setup, config)
        if workflow.class_name != setup.class_name:
            raise ScenarioError(
                f"loading the scenario {scenario.path}",
                f"{config.place_of(workflow.class_name)} says that {setup.binding} runs the class "
                f"{workflow.class_name}, but the scenario says {setup.class_name}",
                f'write workflow("{setup.binding}", "{workflow.class_name}"), '
                "or correct class_name in the config",
                place=setup.place,
            )
        if workflow.script_name not in {None, config.name}:
            raise ScenarioError(
                f"loading the scenario {scenario.path}",
                f"the class of {setup.binding} is in another Worker, {workflow.script_name} "
                f"({config.place_of(workflow.script_name or '')})",
                "check the Worker that has the class: more than one Worker is not modelled yet",
                place=setup.place,
            )


def _configured(scenario: Scenario, setup: WorkflowSetup, config: WranglerConfig) -> WorkflowConfig:
    by_binding = {workflow.binding: workflow for workflow in config.workflows}
    if setup.binding in by_binding:
        return by_binding[setup.binding]
    table = config.unmodelled.get(setup.binding)
    if table is not None:
        found = f"{config.place_of(setup.binding)} declares {setup.binding} under {table}"
        remedy = "name a binding of `workflows`"
    elif not by_binding:
        found = f"{config.path} declares no workflows"
        remedy = (
            f'add to it: "workflows": [{{ "name": "...", "binding": "{setup.binding}", '
            f'"class_name": "{setup.class_name}" }}]'
        )
        if config.environment:
            remedy += "; an environment does not take bindings from the top level"
        elif config.environments:
            remedy += (
                "; or choose an environment that has some with --env: "
                f"{alternatives(config.environments)}"
            )
    else:
        near = near_miss(setup.binding, by_binding)
        found = f"{config.path} has no workflow with the binding {setup.binding}{near}"
        remedy = f"use one of its bindings: {alternatives(by_binding)}"
    raise ScenarioError(f"loading the scenario {scenario.path}", found, remedy, place=setup.place)


def bindings(scenario: Scenario, config: WranglerConfig) -> dict[str, Binding]:
    """The bindings of the Worker: Workflows of the setup, variables, and what is not modelled."""
    used = {setup.binding for setup in scenario.setup}
    env: dict[str, Binding] = {}
    for workflow in config.workflows:
        if workflow.binding in used:
            env[workflow.binding] = {
                "type": "workflow",
                "name": workflow.name,
                "class": workflow.class_name,
            }
        else:
            env[workflow.binding] = {
                "type": "unmodelled",
                "what": "a workflow that the scenario's setup does not name:",
            }
    for name, value in config.variables.items():
        env[name] = {"type": "value", "value": encode(cast("Plain", value))}
    for name, table in config.unmodelled.items():
        env[name] = {"type": "unmodelled", "what": table}
    return env


def check_exports(
    scenario: Scenario, worker: Worker, *, handlers: Iterable[str], classes: Mapping[str, str]
) -> None:
    """See that the Worker has what the scenario uses, once a host has loaded it.

    Args:
        scenario: The scenario.
        worker: Its Worker.
        handlers: Handlers of the default export ("fetch").
        classes: Name of each exported class to its kind ("workflow").

    Raises:
        ScenarioError: A class of the setup is not exported as a Workflow, or nothing answers the
            requests of the driver.
    """
    doing = f"loading the Worker {worker.shown}"
    workflows = [name for name, kind in classes.items() if kind == "workflow"]
    named = [(setup, name) for setup in scenario.setup for name in setup.classes]
    for setup, name in named:
        if name in workflows:
            continue
        if name in classes:
            found = f"{name} is exported, but does not extend WorkflowEntrypoint"
            remedy = "make it extend WorkflowEntrypoint"
        else:
            found = f"it exports no class {name}{near_miss(name, workflows)}"
            remedy = f"export the class; Workflows that it exports: {alternatives(workflows)}"
        raise ScenarioError(doing, found, remedy, place=setup.place)
    handlers = tuple(handlers)
    request = next((each for each in scenario.drive if isinstance(each, HttpRequest)), None)
    if request is not None and "fetch" not in handlers:
        raise ScenarioError(
            doing,
            "it has no fetch handler, but the scenario drives it with requests "
            f"(handlers: {alternatives(handlers)})",
            "add a fetch handler to its default export (in Python: to its class Default)",
            place=request.place,
        )
