"""`eutaxy check SCENARIO`: search for a schedule that breaks an invariant."""

from __future__ import annotations

import click

from eutaxy._base.bounds import BUDGET_MAX_MS, COUNT_MAX
from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._cli.environment import environment_option
from eutaxy._cli.output import echo_report
from eutaxy._session.options import CheckOptions
from eutaxy.errors import ExitCode

_EXIT_CODES = {
    VerdictKind.BOUNDED: ExitCode.BOUNDED,
    VerdictKind.VIOLATED: ExitCode.VIOLATED,
    VerdictKind.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    VerdictKind.UNFAITHFUL: ExitCode.UNFAITHFUL,
}


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
@environment_option
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
    profile: str | None,
    environment: str,
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
        environment=environment,
        profile=profile,
    )
    verdict = check(scenario, options=options)
    echo_report(_report(verdict, scenario, environment, is_json=is_json))
    return _EXIT_CODES[verdict.kind]


def _report(verdict: Verdict, path: str, environment: str, *, is_json: bool) -> str:
    if is_json:
        from eutaxy._report.json_text import verdict_json  # noqa: PLC0415 - only when asked for.

        return verdict_json(verdict)
    import shlex  # noqa: PLC0415 - only when there is a report.

    from eutaxy._report.text import verdict_text  # noqa: PLC0415 - only when there is a report.

    option = f" --env {shlex.quote(environment)}" if environment else ""
    return verdict_text(verdict, replay_path=shlex.quote(path) + option)
