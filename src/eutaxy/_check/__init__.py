"""Invariants, compiled to monitors; selectors; key paths."""
