"""`eutaxy verify LEDGER`: check what a search has written down."""

from __future__ import annotations

import click

from eutaxy._cli.interrupts import Interrupts
from eutaxy._cli.output import echo_report
from eutaxy.errors import ExitCode


@click.command("verify")
@click.argument("ledger")
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    metavar="N",
    help="Choices to execute again.  [default: 200]",
)
@click.option("--all", "is_all", is_flag=True, help="Execute every choice again.")
@click.option("--seed", default="", metavar="TEXT", help="Decides which choices are executed.")
def verify_command(*, ledger: str, sample: int | None, is_all: bool, seed: str) -> int:
    """Check LEDGER, a file that `eutaxy check --ledger` has written.

    It must leave no choice unexplored in the level that it calls complete, and hold as many worlds,
    transitions and schedules as its report says; some of its choices are executed again on a fresh
    host. No code of the search takes part.
    """
    if is_all and sample is not None:
        raise click.UsageError("--all executes every choice: leave out --sample")
    # Late, so that `eutaxy --version` and wrong options answer at once.
    from eutaxy._report.verified import verified_text  # noqa: PLC0415
    from eutaxy._session.ledger import SAMPLE  # noqa: PLC0415
    from eutaxy._session.session import verify  # noqa: PLC0415

    with Interrupts():
        verified = verify(
            ledger, sample=None if is_all else SAMPLE if sample is None else sample, seed=seed
        )
    echo_report(
        verified_text(
            verified.opened.ledger.header,
            file=ledger,
            scenario_path=verified.opened.scenario_path,
            unexplored=verified.opened.closed.unexplored,
            bad_worlds=len(verified.opened.closed.bad_worlds),
            worlds=verified.worlds,
            edges=verified.edges,
        )
    )
    return ExitCode.BOUNDED
