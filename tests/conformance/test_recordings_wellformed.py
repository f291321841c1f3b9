"""The committed recordings of the real engine: complete, of one engine, in the documented form.

Cheap and offline: nothing is recorded here (`make conformance` does that). The format is that of
`conformance/README.md`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "conformance"
PROGRAMS = sorted(path.stem for path in (FOLDER / "programs").glob("*.ts"))

PROGRAMS_MIN = 70
# Cases of the engine specification that the local engine can show: all but those whose outcome
# needs days of waiting (K-40's default timeout is shown by its absence) or a fault between two of
# the engine's own writes (K-47, K-55).
CASES = {f"K-{number:02}" for number in range(1, 71)} - {"K-47", "K-55"}

DRIVER_KEYS = {
    "shows",
    "about",
    "workflows",
    "compatibility_flags",
    "services",
    "drive",
    "instances",
    "end",
    "linger_ms",
    "observe",
}
ACTIONS = {"call", "request", "marks", "together", "crash"}
ENTRY_KEYS = ACTIONS | {"when", "after_ms", "workflow", "id", "argument", "on", "outcome"}
CALLS = {
    "create",
    "createBatch",
    "deleteBatch",
    "get",
    "status",
    "sendEvent",
    "pause",
    "resume",
    "terminate",
    "restart",
    "delete",
}
SERVICE_KEYS = {"host", "answers", "per", "order"}
CONDITION_KEYS = {"calls", "status"}

UNSTABLE = re.compile(
    r"""\b1[6-9]\d{11}\b            # a time of these years, in milliseconds
    | \b20[2-4]\d-\d\d-\d\d         # or as text
    | [0-9a-f]{8}-[0-9a-f]{4}-4     # a random id
    | \b[0-9a-f]{64}\b              # the id of a Durable Object
    | file:// | /tmp/ | 127\.0\.0\.1
    """,
    re.VERBOSE,
)

Json = dict[str, Any]


@cache
def _json(path: Path) -> Json:
    return cast("Json", json.loads(path.read_text(encoding="utf-8")))


def _driver(name: str) -> Json:
    return _json(FOLDER / "programs" / f"{name}.json")


def _recording(name: str) -> Json:
    return _json(FOLDER / "recordings" / f"{name}.json")


def _instances(driver: Json) -> list[str]:
    """The instances whose status a recording must hold, as "BINDING/id"."""
    if "instances" in driver:
        return [f"{workflow}/{id_}" for workflow, id_ in driver["instances"]]
    created = [
        f"{entry['workflow']}/{entry['argument']['id']}"
        for entry in driver["drive"]
        if entry.get("call") == "create" and isinstance(entry.get("argument", {}).get("id"), str)
    ]
    return list(dict.fromkeys(created))


def _outcome_problem(entry: Json, outcome: Any) -> str | None:
    """What is wrong with the outcome recorded for an entry of a drive; None when nothing is."""
    if entry.get("outcome") == "unstable" or not {"call", "request", "together"} & set(entry):
        return None if outcome is None else "has an outcome although it should have none"
    if "together" in entry:
        right = isinstance(outcome, list) and len(outcome) == len(entry["together"])
        return None if right else "needs one outcome for each of its entries"
    wanted = {"status", "body"} if "request" in entry else {"ok"}
    if isinstance(outcome, dict) and set(outcome) in (wanted, {"error"}):
        return None
    return f"needs an outcome with {sorted(wanted)}"


def _entry_problems(entry: Json) -> list[str]:
    problems = [f"unknown key {key}" for key in sorted(set(entry) - ENTRY_KEYS)]
    if len(ACTIONS & set(entry)) > 1:
        problems.append("more than one action")
    if not set(entry.get("when", {})) <= CONDITION_KEYS:
        problems.append("unknown condition")
    if "call" in entry and entry["call"] not in CALLS:
        problems.append(f"unknown call {entry['call']}")
    return problems


def _form_problem(service: Json, calls: Any) -> str | None:
    """What is wrong with the calls recorded for a service; None when nothing is."""
    if service.get("order") == "path":
        lanes = list(calls.values()) if isinstance(calls, dict) else [[None]]
        flat = [call for lane in lanes for call in lane]
    else:
        flat = calls if isinstance(calls, list) else [None]
    keys = [set(call) if isinstance(call, dict) else set() for call in flat]
    if all(one in ({"method", "path", "body"}, {"mark"}) for one in keys):
        return None
    return f"calls of {service['host']} are not in the form that its order asks for"


def test_every_program_has_a_driver_and_a_recording_and_nothing_is_left_over() -> None:
    drivers = sorted(path.stem for path in (FOLDER / "programs").glob("*.json"))
    recordings = sorted(path.stem for path in (FOLDER / "recordings").glob("*.json"))
    assert drivers == PROGRAMS
    assert recordings == PROGRAMS
    assert len(PROGRAMS) >= PROGRAMS_MIN


def test_all_recordings_are_of_the_pinned_engine() -> None:
    package = _json(FOLDER / "package.json")
    lock = _json(FOLDER / "package-lock.json")["packages"]
    pinned = {
        "miniflare": package["dependencies"]["miniflare"],
        "workerd": lock["node_modules/workerd"]["version"],
    }
    assert lock["node_modules/miniflare"]["version"] == pinned["miniflare"]
    engines = [_recording(name)["engine"] for name in PROGRAMS]
    assert [{key: engine[key] for key in pinned} for engine in engines] == [pinned] * len(engines)
    assert len({engine["node"].split(".")[0] for engine in engines}) == 1


def test_every_case_that_the_engine_can_show_is_shown() -> None:
    shown = {rule for name in PROGRAMS for rule in _driver(name)["shows"]}
    assert sorted(CASES - shown) == []


def test_numbers_of_programs_are_used_once() -> None:
    numbers = [name.split("-")[0] for name in PROGRAMS]
    assert [number for number in numbers if numbers.count(number) > 1] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_comment_says_what_the_driver_file_says(name: str) -> None:
    source = (FOLDER / "programs" / f"{name}.ts").read_text(encoding="utf-8")
    comment = source[: source.index("*/")].removeprefix("/**")
    words = " ".join(comment.replace("\n *", " ").split())
    driver = _driver(name)
    assert words == f"Shows {', '.join(driver['shows'])}: {driver['about']}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_driver_files_use_only_what_is_documented(name: str) -> None:
    driver = _driver(name)
    assert set(driver) <= DRIVER_KEYS
    assert driver["shows"]
    assert all(set(service) <= SERVICE_KEYS for service in driver.get("services", []))
    assert all(set(condition) <= CONDITION_KEYS for condition in driver.get("end", []))
    entries = [one for entry in driver["drive"] for one in (entry, *entry.get("together", []))]
    assert [problem for entry in entries for problem in _entry_problems(entry)] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_recordings_have_the_documented_form(name: str) -> None:
    driver, recording = _driver(name), _recording(name)
    assert list(recording) == ["program", "engine", "drive", "calls", "instances"]
    assert recording["program"] == name
    outcomes = recording["drive"]
    problems = [
        f"entry {index} {problem}"
        for index, entry in enumerate(driver["drive"])
        if (problem := _outcome_problem(entry, outcomes[index]))
    ]
    services = {service["host"]: service for service in driver.get("services", [])}
    services.setdefault("log.example", {"host": "log.example"})
    assert set(recording["calls"]) <= set(services)
    problems += [
        problem
        for host, calls in recording["calls"].items()
        if (problem := _form_problem(services[host], calls))
    ]
    assert problems == []
    assert len(outcomes) == len(driver["drive"])
    assert list(recording["instances"]) == _instances(driver)


@pytest.mark.parametrize("name", PROGRAMS)
def test_recordings_hold_nothing_that_changes_from_run_to_run(name: str) -> None:
    text = (FOLDER / "recordings" / f"{name}.json").read_text(encoding="utf-8")
    assert [found.group() for found in UNSTABLE.finditer(text)] == []


def test_these_checks_notice_what_is_wrong() -> None:
    call = {"call": "status", "workflow": "FLOW", "id": "a"}
    assert _outcome_problem(call, None)
    assert _outcome_problem(call, {"status": 200, "body": ""})
    assert _outcome_problem({"marks": [1]}, {"ok": 1})
    assert _outcome_problem({"together": [call, call]}, [{"ok": 1}])
    assert _entry_problems({"call": "destroy", "marks": [1], "when": {"at": 5}, "odd": 1}) == [
        "unknown key odd",
        "more than one action",
        "unknown condition",
        "unknown call destroy",
    ]
    assert _form_problem({"host": "h", "order": "path"}, [{"mark": "1 ms"}])
    assert _form_problem({"host": "h"}, [{"method": "GET", "path": "/"}])
    assert UNSTABLE.search('{"at":1764533760000}')
    assert UNSTABLE.search("run-3f2b8c1e-0d52-4a56-9c1f-000000000000")
