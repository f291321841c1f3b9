"""Runs a program of conformance/ on the model, in the real Node host, and gives its observables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from eutaxy._base.bounds import Bounds
from eutaxy._base.code import NewRead, Read, UserCode
from eutaxy._base.scenario import External, HttpRequest, Scenario, Seen, WorkflowSetup
from eutaxy._hosts.bundle import bundle, worker_options
from eutaxy._hosts.node import NodeHost
from eutaxy._hosts.node_trie import NodeTrie
from eutaxy._hosts.pinned_esbuild import find_esbuild
from eutaxy._hosts.toolchain import Esbuild, Node, find_node
from eutaxy._platform.assembly import Parts, Platform, platform_order
from eutaxy._platform.requests.request import Request
from eutaxy._platform.workflows.profile import LOCAL_2026_11, Engine, Profile
from eutaxy._session.epoch import EPOCH_MS
from eutaxy._world.component import Address, Component
from eutaxy._world.system import System
from tests.conformance.outside import RecordingService, SilentDriver
from tests.conformance.programs import DATE, FOLDER, Json, Program, normalised
from tests.conformance.stage import Stage


def run_on_model(program: Program, cache_folder: Path, profile: Profile = LOCAL_2026_11) -> Json:
    """What the model says that a program does: outcomes of its drive, calls, final statuses."""
    with _host(program, cache_folder) as host:
        keyed: frozenset[tuple[str, Read]] = frozenset()
        while True:
            # Whole activations: programs may share variables between their steps.
            code = NodeTrie(host, keyed, is_factored=False)
            try:
                return normalised(_stage(program, code, profile).play())
            except NewRead as read:
                keyed |= {(read.program, read.read)}


@contextmanager
def _host(program: Program, cache_folder: Path) -> Iterator[NodeHost]:
    bundled = bundle(
        program.entry,
        worker_options(),
        esbuild=_esbuild(),
        cache=cache_folder,
        doing=f"bundling {program.name}",
    )
    env = {
        binding: {
            "type": "workflow",
            "name": _workflow_name(program, binding),
            "class": workflow["class"],
        }
        for binding, workflow in program.workflows.items()
    }
    host = NodeHost(_node().path, bundled, env, flags=program.flags, date=DATE, epoch_ms=EPOCH_MS)
    try:
        host.load()
        yield host
    finally:
        host.close()


@cache
def _node() -> Node:
    return find_node()


@cache
def _esbuild() -> Esbuild:
    return find_esbuild(FOLDER / "programs")


def _workflow_name(program: Program, binding: str) -> str:
    return f"{program.name}-{binding.lower()}"


def _stage(program: Program, code: UserCode, profile: Profile) -> Stage:
    requests: dict[str, HttpRequest] = {}
    components: dict[Address, Component] = {}
    platform = Platform(_parts(program, code, profile))

    def component_at(address: Address) -> Component:
        components[address] = make(address)
        return components[address]

    def make(address: Address) -> Component:
        match address[0]:
            case "driver":
                return SilentDriver()
            case "external":
                return RecordingService(program.services[address[1]])
            case "request":
                return Request(requests[address[1]], int(address[2]), code, platform.route, _nobody)
        return platform.component_at(address)

    system = System(component_at, platform.initial(), slots_max=2**31, order=platform_order)
    return Stage(program, system, code, components, requests)


def _parts(program: Program, code: UserCode, profile: Profile) -> Parts:
    scenario = Scenario(
        name=program.name,
        path="",
        entry="",
        config="",
        setup=tuple(
            WorkflowSetup(binding=binding, class_name=workflow["class"])
            for binding, workflow in program.workflows.items()
        ),
        drive=(),
        externals=tuple(External(name=host, host=host) for host in program.services),
        invariants=(),
        bounds=Bounds(),
    )
    engine = Engine(
        profile=profile,
        names={binding: _workflow_name(program, binding) for binding in program.workflows},
        steps_max={
            binding: workflow["limits"]["steps"]
            for binding, workflow in program.workflows.items()
            if "limits" in workflow
        },
        errors_are_enhanced="enhanced_error_serialization" in program.flags,
        non_retryable_message_kept=(
            "workflows_preserve_non_retryable_error_message" in program.flags
        ),
    )
    return Parts(
        scenario=scenario,
        code=code,
        observers=_nobody,
        monitors=_no_monitor,
        epoch_ms=EPOCH_MS,
        engine=engine,
    )


def _nobody(_seen: Seen, _target: str, _operation: str) -> tuple[Address, ...]:
    return ()


def _no_monitor(address: Address) -> Component:
    raise AssertionError(f"there are no monitors, so there is no {address}")
