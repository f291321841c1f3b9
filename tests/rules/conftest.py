"""Plays every rule test on both hosts, and sees that twins tell the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.rules.play import Play, differences, normal_form
from tests.rules.programs import HOSTS, Host, Program, programs_of, running

Start = Callable[..., Play]

_TOLD: dict[str, dict[str, list[Any]]] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the hosts of a test: both, unless it is marked with the reason why one cannot."""
    if "host" in metafunc.fixturenames:
        alone = metafunc.definition.get_closest_marker("node_only")
        hosts = HOSTS[:1] if alone is not None else HOSTS
        metafunc.parametrize("host", hosts, indirect=True, scope="module")


@pytest.fixture(scope="module")
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The kind of host, and a host with all programs of the module."""
    kind = request.param
    with running(kind, programs_of(request.module), tmp_path_factory.mktemp(kind)) as started:
        yield kind, started


@pytest.fixture
def play(host: tuple[str, Host], request: pytest.FixtureRequest) -> Iterator[Start]:
    """Begins a run of a program; the instance "i" is created unless the test does it.

    The traces of twins are compared once both have run, unless the test is marked with the rule by
    which they differ.
    """
    kind, started = host
    plays: list[Play] = []

    def start(program: Program, *, params: Any = None, creates: bool = True, **more: Any) -> Play:
        run = Play(program, started, language=kind, **more)
        plays.append(run)
        return run.create(params) if creates else run

    yield start
    if request.node.get_closest_marker("languages_differ") is None:
        twin = _TOLD.setdefault(request.node.nodeid.replace(kind, "*"), {})
        twin[kind] = [normal_form(run.records) for run in plays]
        if set(twin) == set(HOSTS):
            assert list(differences(twin["node"], twin["cpython"])) == []
