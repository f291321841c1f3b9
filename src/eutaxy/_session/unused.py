"""Externals that nothing calls, and declared responses that are never given."""

from __future__ import annotations

from eutaxy._base.note import Reached
from eutaxy._base.scenario import External, Scenario
from eutaxy._base.verdict import Suspicion
from eutaxy._session.model import Model

UNUSED_EXTERNAL = "unused-external"
UNUSED_RESPONSE = "unused-response"


def unused_parts(scenario: Scenario, model: Model, *, is_whole: bool) -> list[Suspicion]:
    """What the scenario declares and no schedule has needed.

    Args:
        scenario: The declarations.
        model: Their graph, after the search.
        is_whole: Whether everything inside the bounds was covered.
    """
    where = "in the whole search" if is_whole else "in what was covered"
    found: list[Suspicion] = []
    for external in scenario.externals:
        if model.has_reached(Reached("external", external.name)):
            found += _unused_responses(external, model, where)
        else:
            text = f'external "{external.name}" ({external.host}) is never called {where}'
            found.append(Suspicion(rule=UNUSED_EXTERNAL, text=text, place=external.place))
    return found


def _unused_responses(external: External, model: Model, where: str) -> list[Suspicion]:
    found: list[Suspicion] = []
    for index, response in enumerate(external.responses):
        if not model.has_reached(Reached("response", external.name, index)):
            text = (
                f'response {index + 1} of external "{external.name}" '
                f"({response.method} {response.path}, status {response.status}) is never given "
                f"{where}"
            )
            found.append(Suspicion(rule=UNUSED_RESPONSE, text=text, place=response.place))
    return found
