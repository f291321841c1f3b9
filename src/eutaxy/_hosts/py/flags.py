"""Compatibility flags of Python Workers and the dates that imply them
(`compatibility-date.capnp`)."""

from __future__ import annotations

from collections.abc import Iterable

_IMPLIED_FROM: dict[str, tuple[str, str]] = {
    # flag: (date that implies it, flag that switches it off)
    "python_workers_force_new_vendor_path": ("2025-08-11", ""),
    "python_no_global_handlers": ("2025-08-14", "disable_python_no_global_handlers"),
    "python_workflows": ("2025-09-20", ""),
    "python_workers_20250116": ("2025-09-29", ""),
    "python_dedicated_snapshot": ("2025-10-16", ""),
    "python_check_rng_state": ("2025-12-16", ""),
    "python_request_headers_preserve_commas": ("2026-02-17", ""),
    "python_workflows_implicit_dependencies": (
        "2026-02-25",
        "no_python_workflows_implicit_dependencies",
    ),
    "enable_python_external_sdk": ("2026-04-21", ""),
    "python_process_pth_files": ("2026-05-26", ""),
}


def effective_flags(given: Iterable[str], date: str) -> frozenset[str]:
    """The flags that are on for a compatibility date (ISO text) and the flags of the config."""
    explicit = set(given)
    on = set(explicit)
    for flag, (implied_from, off) in _IMPLIED_FROM.items():
        if date >= implied_from and off not in explicit:
            on.add(flag)
    return frozenset(on)
