"""Options, exit codes and messages of the program, with a scripted session."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from eutaxy import __version__, errors
from eutaxy._base.bounds import Bounds
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.verdict import Coverage, Level, Verdict, VerdictKind, Violation
from eutaxy._session.options import BrokenInvariant, CheckOptions, Replayed
from eutaxy._session.workers.cores import usable_cores
from tests.cli.scripted import Run, ScriptedSession

BOUNDED = Verdict(
    kind=VerdictKind.BOUNDED,
    scenario="expenses",
    seed="expenses",
    bounds=Bounds(),
    coverage=Coverage(
        complete=Level(faults=1, redeliveries=1),
        schedules=(1, 2),
        worlds=3,
        transitions=4,
        is_whole=True,
    ),
)
VIOLATION = Violation(
    invariant="paid-once",
    claim="twice",
    faults=(),
    redelivered=(),
    kept=("req-1",),
    token="e1-abc",
    certificate="",
    others=0,
    trace=(),
)
REPLAYED = Replayed(
    scenario="expenses",
    token="e1-abc",
    broken=(BrokenInvariant(invariant="paid-once", claim="twice (seq 1)"),),
    trace=(
        Record(
            seq=1, kind=RecordKind.START, at_ms=0, activation="req-1", effect_number=0, text="start"
        ),
    ),
)


def test_version(eutaxy: Run) -> None:
    ended = eutaxy("--version")
    assert (ended.code, ended.out) == (0, f"eutaxy {__version__}\n")


def test_help_names_the_exit_codes(eutaxy: Run) -> None:
    ended = eutaxy("--help")
    assert ended.code == 0
    assert "1 VIOLATED" in ended.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["check"],
        ["check", "a.ts", "--nonsense"],
        ["check", "a.ts", "--max-faults", "-1"],
        ["check", "a.ts", "--max-concurrent", "0"],
        ["check", "a.ts", "--budget", "soon"],
        ["check", "a.ts", "--workers", "0"],
        ["check", "a.ts", "--workers", "2", "--dask", "tcp://127.0.0.1:8786"],
        ["check", "a.ts", "--seed", "\udcff"],
        ["replay", "a.ts"],
    ],
)
def test_a_wrong_command_line_is_exit_code_2(eutaxy: Run, arguments: list[str]) -> None:
    ended = eutaxy(*arguments)
    assert ended.code == errors.ExitCode.USAGE
    assert ended.out == ""
    assert "Error:" in ended.err


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (VerdictKind.BOUNDED, 0),
        (VerdictKind.VIOLATED, 1),
        (VerdictKind.INCONCLUSIVE, 3),
        (VerdictKind.UNFAITHFUL, 4),
    ],
)
def test_each_verdict_has_its_exit_code(
    eutaxy: Run, session: ScriptedSession, kind: VerdictKind, code: int
) -> None:
    session.verdict = replace(BOUNDED, kind=kind, reasons=("why",))
    ended = eutaxy("check", "a.ts")
    assert ended.code == code
    assert ended.out.startswith(f"{kind.value}  expenses  (seed expenses)\n")
    assert ended.err == ""


def test_options_reach_the_session(eutaxy: Run, session: ScriptedSession) -> None:
    session.verdict = BOUNDED
    eutaxy("check", "a.ts")
    eutaxy(
        *("check", "b.py", "--seed", "example", "--all", "--strict", "--budget", "5"),
        *("--max-faults", "0", "--max-redeliveries", "2", "--max-concurrent", "3"),
        *("--workers", "4"),
    )
    eutaxy("check", "c.py", "--dask", "tcp://127.0.0.1:8786")
    assert session.asked == [
        ("a.ts", CheckOptions(workers=usable_cores())),
        (
            "b.py",
            CheckOptions(
                seed="example",
                is_all=True,
                is_explaining=True,
                is_strict=True,
                budget_ms=5,
                max_faults=0,
                max_redeliveries=2,
                max_concurrent=3,
                workers=4,
            ),
        ),
        ("c.py", CheckOptions(dask="tcp://127.0.0.1:8786", workers=usable_cores())),
    ]


def test_json_is_the_verdict_alone(eutaxy: Run, session: ScriptedSession) -> None:
    session.verdict = replace(BOUNDED, kind=VerdictKind.VIOLATED, violations=(VIOLATION,))
    ended = eutaxy("check", "a.ts", "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["violations"][0]["token"] == "e1-abc"


def test_the_replay_command_in_a_report_can_be_pasted(
    eutaxy: Run, session: ScriptedSession
) -> None:
    session.verdict = replace(BOUNDED, kind=VerdictKind.VIOLATED, violations=(VIOLATION,))
    ended = eutaxy("check", "my scenarios/a.ts")
    assert "Replay: eutaxy replay 'my scenarios/a.ts' e1-abc\n" in ended.out


def test_replay_prints_the_trace_and_the_violation(eutaxy: Run, session: ScriptedSession) -> None:
    session.replayed = REPLAYED
    ended = eutaxy("replay", "a.ts", "e1-abc")
    assert session.asked == [("a.ts", "e1-abc")]
    assert ended.code == errors.ExitCode.VIOLATED
    assert ended.out.splitlines()[-1] == "Invariant paid-once is violated: twice (seq 1)"


def test_the_environment_reaches_the_session_and_the_replay_command(
    eutaxy: Run, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.verdict = replace(BOUNDED, kind=VerdictKind.VIOLATED, violations=(VIOLATION,))
    session.replayed = REPLAYED
    ended = eutaxy("check", "a.ts", "--env", "staging")
    assert "Replay: eutaxy replay a.ts --env staging e1-abc\n" in ended.out
    eutaxy("replay", "a.ts", "--env", "staging", "e1-abc")
    monkeypatch.setenv("CLOUDFLARE_ENV", "production")
    eutaxy("check", "a.ts")
    eutaxy("check", "a.ts", "--env", "")
    assert session.asked == [
        ("a.ts", CheckOptions(environment="staging", workers=usable_cores())),
        ("a.ts", ("e1-abc", "staging")),
        ("a.ts", CheckOptions(environment="production", workers=usable_cores())),
        ("a.ts", CheckOptions(workers=usable_cores())),
    ]


def test_replay_of_a_harmless_schedule_is_exit_code_0(
    eutaxy: Run, session: ScriptedSession
) -> None:
    session.replayed = replace(REPLAYED, broken=())
    assert eutaxy("replay", "a.ts", "e1-abc").code == 0


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.ScenarioError, 2),
        (errors.ReplayError, 2),
        (errors.HostError, 4),
        (errors.UnmodelledError, 4),
        (errors.UnfaithfulError, 4),
    ],
)
def test_errors_have_three_parts_on_stderr_and_no_traceback(
    eutaxy: Run, session: ScriptedSession, kind: type[errors.EutaxyError], code: int
) -> None:
    session.verdict = kind("loading a.ts", "this was found", "do that", place="a.ts:3:1")
    ended = eutaxy("check", "a.ts")
    assert ended.code == code
    assert ended.out == ""
    assert "Traceback" not in ended.err
    for part in ("loading a.ts", "a.ts:3:1", "this was found", "do that"):
        assert part in ended.err


@pytest.mark.parametrize(
    "error",
    [
        errors.InternalError("merging worlds", "two keys", "nothing to do"),
        errors.ProtocolError("reading an answer", "no JSON", "report it"),
        AssertionError("never"),
        RecursionError("too deep"),
        EOFError("an answer that never came"),
        BrokenPipeError(32, "a pipe of ours"),
    ],
)
def test_our_bugs_show_a_traceback_and_ask_for_a_report(
    eutaxy: Run, session: ScriptedSession, error: BaseException
) -> None:
    session.verdict = error
    ended = eutaxy("check", "a.ts")
    assert ended.code == errors.ExitCode.INTERNAL
    assert ended.out == ""
    assert "Traceback" in ended.err
    assert "a bug in eutaxy" in ended.err


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(13, "Permission denied", "/cache/eutaxy/esbuild"),
        OSError(28, "No space left on device", "/cache/eutaxy/bundles"),
    ],
)
def test_what_the_machine_refuses_is_no_bug_of_ours(
    eutaxy: Run, session: ScriptedSession, error: OSError
) -> None:
    session.verdict = error
    ended = eutaxy("check", "a.ts")
    assert ended.code == errors.ExitCode.USAGE
    assert str(error.strerror) in ended.err
    assert "bug" not in ended.err
    assert "Traceback" not in ended.err


def test_interruption_is_one_clean_line(eutaxy: Run, session: ScriptedSession) -> None:
    session.verdict = KeyboardInterrupt()
    ended = eutaxy("check", "a.ts")
    assert ended.code == 130
    assert ended.out == ""
    assert ended.err.strip() == "interrupted"
