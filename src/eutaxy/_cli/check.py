"""`eutaxy check SCENARIO`: search for a schedule that breaks an invariant."""

from __future__ import annotations

import sys

import click

from eutaxy._base.bounds import BUDGET_MAX_MS, COUNT_MAX
from eutaxy._base.display import visible
from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._cli.environment import environment_option
from eutaxy._cli.interrupts import Interrupts
from eutaxy._cli.output import echo_report
from eutaxy._session.options import SAMPLES_MAX, WORKERS_MAX, CheckOptions, UseOfRegressions
from eutaxy.errors import ExitCode

_EXIT_CODES = {
    VerdictKind.BOUNDED: ExitCode.BOUNDED,
    VerdictKind.VIOLATED: ExitCode.VIOLATED,
    VerdictKind.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    VerdictKind.UNFAITHFUL: ExitCode.UNFAITHFUL,
}

_MAY_BE_CUT_SHORT = (VerdictKind.BOUNDED, VerdictKind.INCONCLUSIVE)


def _encodable(_context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """Refuse bytes that are no UTF-8: they could not be printed so that they can be repeated."""
    if text is not None and any("\ud800" <= char <= "\udfff" for char in text):
        raise click.BadParameter("the text is not valid UTF-8", param=option)
    return text


@click.command("check")
@click.argument("scenario")
@click.option(
    "--seed",
    metavar="TEXT",
    callback=_encodable,
    help="Order the search within a level.  [default: the scenario's name]",
)
@click.option("--all", "is_all", is_flag=True, help="Print every minimal violation.")
@click.option(
    "--explain",
    "is_explaining",
    is_flag=True,
    help="Say more about violations. [also with --all and --json]",
)
@click.option(
    "--strict", "is_strict", is_flag=True, help="INCONCLUSIVE unless all of the bounds are covered."
)
@click.option(
    "--budget",
    "budget_ms",
    type=click.IntRange(min=1, max=BUDGET_MAX_MS),
    metavar="MS",
    help="Time for the search.",
)
@click.option(
    "--max-faults",
    type=click.IntRange(min=0, max=COUNT_MAX),
    metavar="N",
    help="Most faults in one schedule.",
)
@click.option(
    "--max-redeliveries",
    type=click.IntRange(min=0, max=COUNT_MAX),
    metavar="N",
    help="Most redeliveries in one schedule.",
)
@click.option(
    "--max-concurrent",
    type=click.IntRange(min=1, max=COUNT_MAX),
    metavar="N",
    help="Most invocations under way at once.",
)
@click.option(
    "--profile",
    metavar="NAME",
    help="Platform behaviour: prod, local-2026-08 or local-2026-11. [the scenario's, or prod]",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=WORKERS_MAX),
    metavar="N",
    help="Processes for a long search.  [default: one for each core, at most 8]",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    default="",
    help="Search on a Dask cluster: the address of its scheduler (tcp://...).",
)
@click.option(
    "--ledger",
    default="",
    metavar="FILE",
    help="Write what closes the search, for `eutaxy verify` (.gz compresses it).",
)
@click.option(
    "--samples",
    type=click.IntRange(min=0, max=SAMPLES_MAX),
    default=0,
    metavar="N",
    help="Schedules to draw at random beyond what was covered.  [default: none]",
)
@click.option(
    "--one-by-one",
    "is_one_by_one",
    is_flag=True,
    help="Take parallel steps that share nothing one by one.",
)
@click.option(
    "--no-reduction",
    is_flag=True,
    help="Interleave also driver events that share nothing.",
)
@environment_option
@click.option("--json", "is_json", is_flag=True, help="Print the verdict as JSON.")
@click.option(
    "--save/--no-save",
    "is_saving",
    default=None,
    envvar="EUTAXY_SAVE",
    show_envvar=True,
    help="Save found schedules under .eutaxy/ beside SCENARIO.  [default: on a terminal, but not "
    "in CI]",
)
@click.option(
    "--regressions",
    type=click.Choice(["first", "only", "off"]),
    default="first",
    help="Try the schedules under .eutaxy/ before the search, instead of it, or not at all.",
)
@click.option(
    "--progress/--no-progress",
    "has_progress",
    default=None,
    help="Show how far the search is, on standard error.  [default: on a terminal, but not in CI]",
)
def check_command(
    *,
    scenario: str,
    seed: str | None,
    is_all: bool,
    is_explaining: bool,
    is_strict: bool,
    budget_ms: int | None,
    max_faults: int | None,
    max_redeliveries: int | None,
    max_concurrent: int | None,
    profile: str | None,
    workers: int | None,
    ledger: str,
    samples: int,
    is_one_by_one: bool,
    no_reduction: bool,
    dask: str,
    environment: str,
    is_json: bool,
    has_progress: bool | None,
    is_saving: bool | None,
    regressions: str,
) -> int:
    """Check the Worker of SCENARIO (a .ts, .js or .py file).

    Bounds given here take the place of those in the scenario. Ctrl-C ends the search and prints
    what it has covered; a second one ends the program.
    """
    if dask and workers is not None:
        raise click.UsageError("--dask has its own workers: leave out --workers")
    # Late, so that `eutaxy --version` and wrong options answer at once.
    from eutaxy._cli.live_line import LiveLine, wants_line  # noqa: PLC0415
    from eutaxy._session.session import check  # noqa: PLC0415
    from eutaxy._session.watch import Watch  # noqa: PLC0415
    from eutaxy._session.workers.cores import usable_cores  # noqa: PLC0415

    is_watched = wants_line(sys.stderr)
    is_shown = is_watched if has_progress is None else has_progress
    line = LiveLine(sys.stderr)
    watch = Watch(line.show, line.say) if is_shown else Watch()
    options = CheckOptions(
        seed=seed,
        is_all=is_all,
        is_explaining=is_explaining or is_all or is_json,
        is_strict=is_strict,
        budget_ms=budget_ms,
        max_faults=max_faults,
        max_redeliveries=max_redeliveries,
        max_concurrent=max_concurrent,
        environment=environment,
        profile=profile,
        workers=usable_cores() if workers is None else workers,
        regressions=UseOfRegressions(regressions),
        is_saving=is_watched if is_saving is None else is_saving,
        dask=dask,
        watch=watch,
        is_reducing=not no_reduction,
        is_one_by_one=is_one_by_one,
        samples=samples,
        ledger=ledger,
    )
    with Interrupts(watch) as interrupts, line:
        verdict = check(scenario, options=options)
    echo_report(_report(verdict, scenario, environment, is_json=is_json))
    for note in watch.notes:
        click.echo(visible(note), err=True)
    return _exit_code(verdict, interrupts.number)


def _exit_code(verdict: Verdict, interrupted_by: int | None) -> int:
    """What the shell is told: what a signal cut short is no success to go on from."""
    is_cut_short = verdict.kind in _MAY_BE_CUT_SHORT and not verdict.coverage.is_whole
    if interrupted_by is not None and is_cut_short:
        return 128 + interrupted_by
    return _EXIT_CODES[verdict.kind]


def _report(verdict: Verdict, path: str, environment: str, *, is_json: bool) -> str:
    if is_json:
        from eutaxy._report.json_text import verdict_json  # noqa: PLC0415 - only when asked for.

        return verdict_json(verdict)
    import shlex  # noqa: PLC0415 - only when there is a report.

    from eutaxy._report.text import verdict_text  # noqa: PLC0415 - only when there is a report.

    option = f" --env {shlex.quote(environment)}" if environment else ""
    return verdict_text(verdict, replay_path=shlex.quote(path) + option)
