"""The `eutaxy` command: one module per command, and `main`, which turns errors into exit codes."""
