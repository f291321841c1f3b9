"""Checks on a real Dask cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import Executor
from multiprocessing import parent_process
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from eutaxy._report.json_text import verdict_json
from eutaxy._session import session
from eutaxy._session.options import CheckOptions
from eutaxy._session.workers import dask_cluster, identity, start, together
from eutaxy._session.workers.dask_cluster import DaskCluster
from eutaxy._session.workers.identity import Identity
from eutaxy.errors import ScenarioError

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"

pytestmark = [pytest.mark.host, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the cluster search from the first world on."""
    monkeypatch.setattr(together, "START_AT", 0)


def report(scenario: str, *, dask: str = "", workers: int = 1) -> str:
    options = CheckOptions(
        max_faults=3,
        max_concurrent=2,
        budget_ms=100_000,
        is_all=True,
        dask=dask,
        workers=workers,
    )
    return verdict_json(session.check(str(EXAMPLE / scenario), options=options))


@pytest.mark.parametrize("scenario", ["expenses.fixed.sim.ts", "python/expenses_sim.py"])
def test_the_report_is_the_same(scenario: str, address: str) -> None:
    assert report(scenario, dask=address) == report(scenario, workers=1)


class _Killing(DaskCluster):
    """Kills the process of a worker in the middle of a search."""

    killed = 0

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._calls = 0

    def executor(self, partition: int) -> Executor:
        self._calls += 1
        executor = super().executor(partition)
        if self._calls == 40:
            os.kill(self._client.run(os.getpid)[self._workers[partition]], signal.SIGKILL)
            _Killing.killed += 1
        return executor


def test_a_killed_worker_changes_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "DaskCluster", _Killing)
    alone = report("expenses.fixed.sim.ts", workers=1)
    assert report("expenses.fixed.sim.ts", dask=address) == alone
    assert _Killing.killed == 1


def test_nothing_is_left_on_the_cluster(address: str) -> None:
    report("expenses.fixed.sim.ts", dask=address)
    with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        assert set(client.run(_seats).values()) == {0}


def _seats() -> int:
    from eutaxy._session.workers import seat  # noqa: PLC0415 - in the worker

    return len(seat._SEATS)


def test_another_version_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "identity", _other_identity)
    with pytest.raises(ScenarioError) as raised:
        report("expenses.sim.ts", dask=address)
    assert "has 0.0.1 (source 00)" in raised.value.found
    assert identity.identity().source in raised.value.found
    assert "install the same version" in raised.value.remedy


def _other_identity() -> Identity:
    """What this process has; a worker runs the same function and finds something else."""
    return identity.identity() if parent_process() is None else Identity("0.0.1", "00")


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECTING_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ScenarioError, match="its scheduler does not answer"):
        report("expenses.sim.ts", dask=f"tcp://127.0.0.1:{port}")


def test_what_is_no_address() -> None:
    with pytest.raises(ScenarioError, match="that is no address of a scheduler"):
        report("expenses.sim.ts", dask="nonsense")


def test_a_cluster_without_workers() -> None:
    with (
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=0, dashboard_address=":0"
        ) as cluster,
        pytest.raises(ScenarioError, match="it has no workers"),
    ):
        report("expenses.sim.ts", dask=cluster.scheduler_address)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "find_spec", lambda _: None)
    with pytest.raises(ScenarioError, match="Dask is not installed here") as raised:
        report("expenses.sim.ts", dask="tcp://127.0.0.1:8786")
    assert "eutaxy[dask]" in raised.value.remedy
