"""Run user code in child processes, by the contract of `_base/code.py` and docs/host-protocol.md."""
