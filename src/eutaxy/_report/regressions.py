"""What came of regressions, in the text that people read."""

from __future__ import annotations

from eutaxy._base.display import visible
from eutaxy._base.verdict import Verdict


def regression_lines(verdict: Verdict) -> list[str]:
    """One line for each regression that was tried; with its token, when it still fails."""
    return [
        f"Regression {visible(each.file)} {each.state.value}: {visible(each.text)}"
        + (f"; run seed {each.token}" if each.token else "")
        for each in verdict.regressions
    ]
