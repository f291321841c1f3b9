"""Hypothesis repeats the same examples in every run; `--hypothesis-profile=random` draws new ones."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", derandomize=False, deadline=None, max_examples=1_000)
settings.load_profile("same")
