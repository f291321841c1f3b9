"""What may go wrong where the search has not been."""

from __future__ import annotations

from eutaxy._base.code import NewRead
from eutaxy.errors import HostError, ScenarioError, UnmodelledError

UNSEEN = (NewRead, UnmodelledError, HostError, ScenarioError)
"""An explanation may go where the search has not been. What fails there is no finding about the
schedule that is explained, so that run is left out and nothing is said about it."""
