"""`eutaxy replay SCENARIO TOKEN`: run one schedule again and print its whole trace."""

from __future__ import annotations

import click

from eutaxy._cli.environment import environment_option
from eutaxy._cli.interrupts import Interrupts
from eutaxy._cli.output import echo_report
from eutaxy.errors import ExitCode


@click.command("replay")
@click.argument("scenario")
@click.argument("token")
@environment_option
@click.option("--full", "is_full", is_flag=True, help="Print long values whole.")
def replay_command(*, scenario: str, token: str, environment: str, is_full: bool) -> int:
    """Run the schedule TOKEN of SCENARIO again and print its whole trace.

    TOKEN is the run seed of a report. It is refused when the scenario or the code has changed so
    that the schedule no longer fits.
    """
    # Late, so that `eutaxy --version` and wrong options answer at once.
    from eutaxy._report.trace import replay_text  # noqa: PLC0415
    from eutaxy._session.session import replay  # noqa: PLC0415

    with Interrupts():
        replayed = replay(scenario, token, environment=environment)
    broken = [(item.invariant, item.claim) for item in replayed.broken]
    echo_report(
        replay_text(
            replayed.trace,
            scenario=replayed.scenario,
            token=replayed.token,
            broken=broken,
            is_full=is_full,
        )
    )
    return ExitCode.VIOLATED if broken else ExitCode.BOUNDED
