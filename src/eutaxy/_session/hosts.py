"""Which host runs a Worker."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from eutaxy._hosts.node import NodeHost
from eutaxy._hosts.process import DEADLINE_S, DEADLINE_VARIABLE
from eutaxy._session.epoch import EPOCH_MS
from eutaxy._session.load import Loaded
from eutaxy._session.worker import Language, check_exports
from eutaxy.errors import ScenarioError


class LoadedHost(Protocol):
    """A host that can load its program."""

    def load(self) -> dict[str, Any]:
        """Evaluate the module once and say what it exports."""
        ...

    def evaluate(
        self, entry: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], *, warm: bool = False
    ) -> dict[str, Any]:
        """Answer one question."""
        ...

    def close(self) -> None:
        """End the child process."""
        ...


@dataclass(frozen=True, slots=True)
class _Script:
    """A bundle, as the Node host wants it."""

    code: str
    map: str


@contextmanager
def open_host(loaded: Loaded) -> Iterator[LoadedHost]:
    """Start the host of a Worker, see that the Worker fits the scenario, and end it afterwards."""
    host = _make_host(loaded)
    try:
        exports = host.load()
        check_exports(
            loaded.scenario,
            loaded.worker,
            handlers=exports["handlers"],
            classes={each["name"]: each["kind"] for each in exports["classes"]},
        )
        yield host
    finally:
        host.close()


@contextmanager
def second_host(loaded: Loaded, first: LoadedHost) -> Iterator[LoadedHost]:
    """The host that is to answer everything a second time.

    For Python it is another process, in which sets of texts have another order; it starts when it
    is first asked.
    """
    if loaded.worker.language is not Language.PYTHON:
        yield first
        return
    host = _make_host(loaded, hash_seed=1)
    try:
        yield host
    finally:
        host.close()


def _make_host(loaded: Loaded, *, hash_seed: int = 0) -> LoadedHost:
    worker = loaded.worker
    if worker.language is Language.PYTHON:
        # Only a Python Worker pays for what its host imports.
        from eutaxy._hosts.cpython import CPythonHost  # noqa: PLC0415

        return CPythonHost(
            sys.executable,
            worker.entry,
            env=worker.env,
            root=worker.root,
            flags=worker.flags,
            date=worker.date,
            epoch_ms=EPOCH_MS,
            deadline_s=deadline_s(),
            hash_seed=hash_seed,
        )
    assert loaded.node is not None
    assert worker.source_map is not None
    return NodeHost(
        loaded.node.path,
        _Script(worker.code, worker.source_map),
        worker.env,
        flags=worker.flags,
        date=worker.date,
        epoch_ms=EPOCH_MS,
        root=worker.root,
        modules={module.name: module.described() for module in worker.modules},
        deadline_s=deadline_s(),
    )


def deadline_s() -> float:
    """Wall-clock seconds that one evaluation of user code may take.

    Raises:
        ScenarioError: The environment says something that is no number of seconds.
    """
    said = os.environ.get(DEADLINE_VARIABLE, "")
    if not said:
        return DEADLINE_S
    try:
        seconds = float(said)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise ScenarioError(
            "reading the environment",
            f"{DEADLINE_VARIABLE} is {said!r}, which is no number of seconds",
            f"give a number greater than 0, or unset it: the default is {DEADLINE_S:g}",
        )
    return seconds
