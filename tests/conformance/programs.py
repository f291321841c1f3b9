"""The programs of conformance/: what each does, what drives it, and what the real engine did.

The format is that of `conformance/README.md`; what a driver file may leave out is filled in here
just as the recorder does it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "conformance"
DATE = "2026-04-01"
LOG_HOST = "log.example"
OLDER = "recordings-2026-08"
"""Folder of what the engine of August 2026 did otherwise."""
DEFAULT_FLAGS = (
    "enhanced_error_serialization",
    "workflows_preserve_non_retryable_error_message",
)
ENDED = ["complete", "errored", "terminated"]

_NOT_STABLE = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<object id>"),
)

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program with its driver file, complete.

    Args:
        name: Name of the program ("001-one-step").
        shows: Ids of what it is evidence for.
        about: What it does, in a sentence.
        workflows: Binding to {"class", "limits"?}.
        flags: Compatibility flags.
        services: Host to its rules.
        drive: What happens.
        end: Conditions that are awaited afterwards.
        linger_ms: Time that passes then.
        instances: Instances whose final status is observed, as (binding, id).
        has_step_outputs: Whether statuses keep the local step outputs.
    """

    name: str
    shows: tuple[str, ...]
    about: str
    workflows: Mapping[str, Json]
    flags: tuple[str, ...]
    services: Mapping[str, Json]
    drive: tuple[Json, ...]
    end: tuple[Json, ...]
    linger_ms: int
    instances: tuple[tuple[str, str], ...]
    has_step_outputs: bool

    @property
    def entry(self) -> Path:
        """The program's source."""
        return FOLDER / "programs" / f"{self.name}.ts"


def program_names() -> tuple[str, ...]:
    """Every program, in order."""
    return tuple(sorted(path.stem for path in (FOLDER / "programs").glob("*.ts")))


def read_program(name: str) -> Program:
    """One program."""
    driver = _read("programs", name)
    drive = tuple(driver["drive"])
    pairs = driver.get("instances", _created_by_driver(drive))
    instances = tuple((str(binding), str(instance_id)) for binding, instance_id in pairs)
    default_end = [{"status": [*pair, ENDED]} for pair in instances]
    services = {LOG_HOST: {"host": LOG_HOST}}
    services |= {each["host"]: each for each in driver.get("services", ())}
    return Program(
        name=name,
        shows=tuple(driver["shows"]),
        about=driver["about"],
        workflows=driver.get("workflows", {"FLOW": {"class": "Flow"}}),
        flags=tuple(driver.get("compatibility_flags", DEFAULT_FLAGS)),
        services=services,
        drive=drive,
        end=tuple(driver.get("end", default_end)),
        linger_ms=driver.get("linger_ms", 0),
        instances=instances,
        has_step_outputs="step_outputs" in driver.get("observe", ()),
    )


def read_recording(name: str) -> Json:
    """What the real engine did: outcomes of the drive, calls by host, statuses of instances."""
    recording = _read("recordings", name)
    return {key: recording[key] for key in ("drive", "calls", "instances")}


def read_older_recording(name: str) -> Json:
    """What the engine of August 2026 did, which is mostly what the one of November did."""
    is_kept = (FOLDER / OLDER / f"{name}.json").exists()
    recording = _read(OLDER if is_kept else "recordings", name)
    return {key: recording[key] for key in ("drive", "calls", "instances")}


def normalised(observed: Json) -> Json:
    """A copy without what differs from run to run (random ids), as recordings have it."""
    text = json.dumps(observed)
    for pattern, name in _NOT_STABLE:
        text = pattern.sub(name, text)
    return dict(json.loads(text))


def differences(recorded: Any, observed: Any, path: str = "") -> list[str]:
    """Where two observations differ, as lines to print; objects have no order."""
    if _text(recorded) == _text(observed):
        return []
    if isinstance(recorded, dict) and isinstance(observed, dict):
        keys = [*recorded, *(key for key in observed if key not in recorded)]
        return [
            line
            for key in keys
            for line in differences(
                recorded.get(key, MISSING), observed.get(key, MISSING), f"{path}.{key}"
            )
        ]
    if isinstance(recorded, list) and isinstance(observed, list):
        index = 0
        while _text(recorded[index : index + 1]) == _text(observed[index : index + 1]):
            index += 1
        # What comes after the first difference is mostly shifted.
        was = recorded[index] if index < len(recorded) else MISSING
        now = observed[index] if index < len(observed) else MISSING
        return differences(was, now, f"{path}[{index}]")
    return [f"{path}: recorded {_text(recorded)}, the model says {_text(observed)}"]


MISSING = object()
"""Stands for a member that is not there."""


def _text(tree: Any) -> str:
    return "nothing" if tree is MISSING else json.dumps(tree, sort_keys=True, ensure_ascii=False)


def _created_by_driver(drive: tuple[Json, ...]) -> list[list[str]]:
    created: dict[tuple[str, str], list[str]] = {}
    for entry in drive:
        instance_id = entry.get("argument", {}).get("id") if entry.get("call") == "create" else None
        if isinstance(instance_id, str):
            created[entry["workflow"], instance_id] = [entry["workflow"], instance_id]
    return list(created.values())


def _read(folder: str, name: str) -> Json:
    return dict(json.loads((FOLDER / folder / f"{name}.json").read_text(encoding="utf-8")))
