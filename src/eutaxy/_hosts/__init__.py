"""Run user code in child processes (docs/host-protocol.md)."""
