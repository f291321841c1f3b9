"""When virtual time begins."""

from __future__ import annotations

EPOCH_MS = 1_767_225_600_000
"""Virtual time zero: 2026-01-01T00:00:00Z."""
