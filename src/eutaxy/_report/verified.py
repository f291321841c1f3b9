"""What `eutaxy verify` prints of a ledger that holds."""

from __future__ import annotations

from eutaxy._base.display import visible
from eutaxy._evidence.ledger import Header
from eutaxy._report.text import at_most, counted


def verified_text(
    header: Header,
    *,
    file: str,
    scenario_path: str,
    unexplored: int,
    bad_worlds: int,
    worlds: int,
    edges: int,
) -> str:
    """The report.

    Args:
        header: What the ledger is of.
        file: The ledger.
        scenario_path: The scenario.
        unexplored: Worlds of which nothing more is known.
        bad_worlds: Worlds in which an invariant is broken.
        worlds: Worlds that were rebuilt and compared.
        edges: Choices that were executed again.
    """
    level = "no level is complete" if header.complete is None else at_most(header.complete)
    lines = [
        f"HOLDS  {visible(file)}  ({visible(header.scenario)}: {header.verdict})",
        "",
        f"Scenario        {visible(scenario_path)}",
        f"Complete level  {level}",
        f"Worlds          {header.worlds:,} ({counted(header.transitions, 'transition')})",
        f"Schedules       {sum(header.schedules):,}, counted again",
        f"Executed again  {counted(edges, 'choice')}, {counted(worlds, 'world')}, on a fresh host",
    ]
    if unexplored:
        lines.append(f"Unexplored      {counted(unexplored, 'world')} beyond the complete level")
    if bad_worlds:
        lines.append(f"Broken          an invariant in {counted(bad_worlds, 'world')}")
    return "\n".join(lines)
