"""Whether the drive lets only those schedules fire that the wrangler config has."""

from __future__ import annotations

from eutaxy._base.scenario import FireSchedule, Scenario
from eutaxy._session.declared import alternatives, near_miss
from eutaxy._session.wrangler import WranglerConfig
from eutaxy.errors import ScenarioError


def check_schedules(scenario: Scenario, config: WranglerConfig) -> None:
    """See that the config has each schedule that the drive lets fire.

    A schedule of the config that never fires in the drive is no error: the drive says what happens.

    Raises:
        ScenarioError: The Workflow has no such schedule.
    """
    schedules = {each.binding: each.schedules for each in config.workflows}
    for event in scenario.drive:
        if not isinstance(event, FireSchedule) or event.cron in schedules[event.binding]:
            continue
        known = schedules[event.binding]
        at = config.place_of(event.binding)
        if known:
            found = f'"{event.cron}"{near_miss(event.cron, known)} is no schedule of it ({at})'
            remedy = f"use one of its schedules: {alternatives(known)}"
        else:
            found = f"the config gives it no schedule ({at})"
            remedy = f'add to it: "schedules": ["{event.cron}"]'
        raise ScenarioError(
            f"reading {event.name}, a firing of {event.binding}", found, remedy, place=event.place
        )
