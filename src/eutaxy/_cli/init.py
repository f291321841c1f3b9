"""`eutaxy init [CONFIG]`: write a first scenario for a Worker."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from eutaxy._cli.environment import environment_option
from eutaxy._cli.interrupts import Interrupts
from eutaxy._cli.output import echo_report
from eutaxy.errors import ExitCode

if TYPE_CHECKING:
    from eutaxy._session.init.first_scenario import FirstScenario


@click.command("init")
@click.argument("config", default=".")
@click.option(
    "--language",
    type=click.Choice(["ts", "python"]),
    help="Language of the scenario.  [default: that of the Worker]",
)
@environment_option
@click.option(
    "--output", metavar="FILE", help="File to write.  [default: NAME.sim.ts or NAME_sim.py]"
)
@click.option("--force", "is_forced", is_flag=True, help="Replace the file if it is there.")
def init_command(
    *, config: str, language: str | None, environment: str, output: str | None, is_forced: bool
) -> int:
    """Write a first scenario for the Worker of CONFIG.

    CONFIG is a wrangler config or a folder that has one; without it, the current folder. What the
    scenario says is guessed from the code; it runs at once, and tells what to fill in.
    """
    # Late, so that `eutaxy --version` and wrong options answer at once.
    from eutaxy._session.init.first_scenario import write_first_scenario  # noqa: PLC0415

    with Interrupts():
        written = write_first_scenario(
            config,
            language=language,
            environment=environment,
            output=output,
            is_forced=is_forced,
        )
    echo_report(_report(written))
    return ExitCode.BOUNDED


def _report(written: FirstScenario) -> str:
    guess = written.guess
    lines = [f"Wrote {written.file}", ""]
    environment = f", environment {written.environment}" if written.environment else ""
    lines += _section("Worker", [f"{written.worker} ({written.config}{environment})"])
    workflows = [f"{binding} ({class_name})" for binding, class_name in written.workflows]
    lines += _section("Workflows", workflows)
    lines += _section(
        "Requests", [f"{each.method} {each.path}  {each.place}" for each in guess.requests]
    )
    lines += _section(
        "Services",
        [
            f"{external.host}: {method} {path}  {place}"
            + ("" if external.is_certain else " (only its URL was seen)")
            for external in guess.externals
            for method, path, place in external.responses
        ],
    )
    lines += ["", "Guessed, to fill in:", *(f"  - {each}" for each in _to_fill_in(written))]
    hidden = [*written.unseen, *_not_modelled(written)]
    if hidden:
        lines += ["", "Not seen, or not modelled:", *(f"  - {each}" for each in hidden)]
    option = f" --env {shlex.quote(written.environment)}" if written.environment else ""
    lines += ["", f"Next: eutaxy check {shlex.quote(written.file)}{option}"]
    return "\n".join(lines) + "\n"


def _section(title: str, items: list[str]) -> list[str]:
    shown = items or ["none seen"]
    return [f"{title if index == 0 else '':<11}{item}" for index, item in enumerate(shown)]


def _to_fill_in(written: FirstScenario) -> list[str]:
    guess = written.guess
    notes = []
    if guess.requests:
        notes.append("values in the paths and bodies of requests")
    else:
        notes.append("what starts the Worker's work: no request could be seen")
    if guess.externals:
        notes.append("what each service answers, and whether it recognises repetitions")
    notes.append("invariants: only the built-in ones are on")
    return notes


def _not_modelled(written: FirstScenario) -> list[str]:
    return [
        f"the binding {name} ({table}): a check that uses it says so"
        for name, table in written.unmodelled.items()
    ]
