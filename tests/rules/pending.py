"""Tests that cannot pass yet, each with what is missing; one that passes must leave the table."""

from __future__ import annotations

PENDING: dict[str, str] = {}
