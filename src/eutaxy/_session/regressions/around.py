"""A check with its regressions: tried before the search, told with its verdict, saved at last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import RegressionState, Verdict, VerdictKind, Violation
from eutaxy._session.checker import Checker
from eutaxy._session.options import CheckOptions, UseOfRegressions
from eutaxy._session.regressions.folder import folder_of, read_folder
from eutaxy._session.regressions.keep import save_all
from eutaxy._session.regressions.trial import Trial, try_all


class Regressions:
    """The regressions of one check.

    They are tried with a model and code of their own, so what the search reports is the same with
    and without them.

    Args:
        path: The scenario file as the user named it.
        scenario: The declarations, with the bounds to use.
        profile: Name of the platform behaviour.
        asked: What the caller asked for.
    """

    def __init__(self, path: str, scenario: Scenario, profile: str, asked: CheckOptions) -> None:
        self._folder: Path = folder_of(path)
        self._scenario = scenario
        self._profile = profile
        self._asked = asked
        self._trials: tuple[Trial, ...] = ()
        self.found: tuple[Violation, ...] = ()
        """What the search itself has found."""
        self._said: set[str] = set()
        self.aside: Checker | None = None
        """The checker in which they were tried; None when there were none."""

    def verdict(self, checker: Checker) -> Verdict:
        """Check with them."""
        if self._asked.regressions is UseOfRegressions.ONLY:
            return self._with_trials(checker.without_search(before_search=self._try))
        verdict = checker.verdict(before_search=self._try)
        self.found = verdict.violations
        return self._with_trials(verdict)

    def save(self, checker: Checker) -> None:
        """Save what the search has found, if asked to; once it is known to be faithful."""
        if self._asked.is_saving:
            for note in save_all(checker, self._scenario, self.found, self._folder, self._trials):
                self._asked.watch.note(note)

    def _try(self, checker: Checker) -> None:
        if self._asked.regressions is UseOfRegressions.OFF:
            return
        saved = read_folder(self._folder)
        if saved:
            self.aside = checker.aside()
            self._trials = try_all(self.aside, self._scenario, self._profile, saved)
            for trial in self._trials:
                self._say(trial)

    def _say(self, trial: Trial) -> None:
        """Tell at once, and once, of one that still fails: the search may take long."""
        tried = trial.tried
        if tried.state is RegressionState.FAILS and tried.file not in self._said:
            self._said.add(tried.file)
            self._asked.watch.tell(f"{tried.file} still fails: {tried.text}")

    def _with_trials(self, verdict: Verdict) -> Verdict:
        """The verdict with what came of them; one that still fails makes it VIOLATED."""
        tried = tuple(trial.tried for trial in self._trials)
        verdict = replace(verdict, regressions=tried)
        failing: dict[str, Violation] = {}
        for trial in self._trials:
            if trial.violation is not None:
                failing.setdefault(trial.violation.invariant, trial.violation)
        if not failing or verdict.kind is VerdictKind.VIOLATED:
            return verdict
        return replace(verdict, kind=VerdictKind.VIOLATED, violations=tuple(failing.values()))
