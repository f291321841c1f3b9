"""`eutaxy check SCENARIO`: search for a schedule that breaks an invariant."""

from __future__ import annotations

import click

from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._cli.output import echo_report
from eutaxy._session.options import CheckOptions
from eutaxy.errors import ExitCode

_EXIT_CODES = {
    VerdictKind.BOUNDED: ExitCode.BOUNDED,
    VerdictKind.VIOLATED: ExitCode.VIOLATED,
    VerdictKind.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    VerdictKind.UNFAITHFUL: ExitCode.UNFAITHFUL,
}


@click.command("check")
@click.argument("scenario")
@click.option(
    "--seed", metavar="TEXT", help="Order the search within a level. [the scenario's name]"
)
@click.option("--all", "is_all", is_flag=True, help="Print every minimal violation.")
@click.option("--strict", "is_strict", is_flag=True, help="Exit with 3 when a level is incomplete.")
@click.option(
    "--budget", "budget_ms", type=click.IntRange(min=1), metavar="MS", help="Time for the search."
)
@click.option(
    "--max-faults", type=click.IntRange(min=0), metavar="N", help="Most faults in one schedule."
)
@click.option(
    "--max-redeliveries",
    type=click.IntRange(min=0),
    metavar="N",
    help="Most redeliveries in one schedule.",
)
@click.option(
    "--max-concurrent",
    type=click.IntRange(min=1),
    metavar="N",
    help="Most invocations under way at once.",
)
@click.option("--json", "is_json", is_flag=True, help="Print the verdict as JSON.")
def check_command(
    *,
    scenario: str,
    seed: str | None,
    is_all: bool,
    is_strict: bool,
    budget_ms: int | None,
    max_faults: int | None,
    max_redeliveries: int | None,
    max_concurrent: int | None,
    is_json: bool,
) -> int:
    """Check the Worker of SCENARIO (a .ts, .js or .py file).

    Bounds given here take the place of those in the scenario.
    """
    # Late, so that `eutaxy --version` and wrong options answer at once.
    from eutaxy._session.session import check  # noqa: PLC0415

    options = CheckOptions(
        seed=seed,
        is_all=is_all,
        is_strict=is_strict,
        budget_ms=budget_ms,
        max_faults=max_faults,
        max_redeliveries=max_redeliveries,
        max_concurrent=max_concurrent,
    )
    verdict = check(scenario, options=options)
    echo_report(_report(verdict, scenario, is_json=is_json))
    code = exit_code(verdict, is_strict=is_strict)
    if code is not _EXIT_CODES[verdict.kind]:
        click.echo("--strict: the bounds were not covered, so this does not pass", err=True)
    return code


def exit_code(verdict: Verdict, *, is_strict: bool) -> ExitCode:
    """Say how the program ends; `--strict` passes only when all of the bounds are covered."""
    if is_strict and verdict.kind is VerdictKind.BOUNDED and not verdict.coverage.is_whole:
        return ExitCode.INCONCLUSIVE
    return _EXIT_CODES[verdict.kind]


def _report(verdict: Verdict, path: str, *, is_json: bool) -> str:
    if is_json:
        from eutaxy._report.json_text import verdict_json  # noqa: PLC0415 - only when asked for.

        return verdict_json(verdict)
    import shlex  # noqa: PLC0415 - only when there is a report.

    from eutaxy._report.text import verdict_text  # noqa: PLC0415 - only when there is a report.

    return verdict_text(verdict, replay_path=shlex.quote(path))
