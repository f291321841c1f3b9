"""Errors that the engine gives to user code, by the names and messages that code can see (1.7)."""

from __future__ import annotations

from eutaxy._base.code import Threw
from eutaxy._base.value import Plain, Value, decode, error_value


def fatal(message: str) -> Threw:
    """Bad input to a step: catchable, never retried."""
    return Threw(error_value("WorkflowFatalError", message))


def timed_out(ms: int) -> Threw:
    """An attempt or a wait that ran out of time (R-TO-2, R-EV-5)."""
    return Threw(error_value("WorkflowTimeoutError", f"Execution timed out after {ms}ms"))


def internal(message: str) -> Threw:
    """Storing a result failed (R-RES-4)."""
    return Threw(error_value("WorkflowInternalError", message))


def refused(code: str, message: str) -> Threw:
    """A binding or instance method that rejects with a code."""
    return Threw(error_value("WorkflowError", f"({code}) {message}"))


def not_found() -> Threw:
    """No such instance: a plain error whose whole message is the code (1.2)."""
    return Threw(error_value("Error", "instance.not_found"))


def error_parts(value: Value) -> tuple[str, str]:
    """Name and message of a thrown value; what was no error becomes one by its text (R-ERR-2)."""
    tree = decode(value)
    if isinstance(tree, dict) and tree.get("$") == "error":
        return str(tree.get("name", "Error")), str(tree.get("message", ""))
    return "Error", _text(tree)


def is_non_retryable(value: Value) -> bool:
    """Whether a thrown value ends its step at once (R-ERR-1)."""
    tree = decode(value)
    if not isinstance(tree, dict) or tree.get("$") != "error":
        return False
    return tree.get("name") == NON_RETRYABLE or str(tree.get("message", "")).startswith(
        NON_RETRYABLE
    )


NON_RETRYABLE = "NonRetryableError"


def _text(tree: Plain) -> str:
    if isinstance(tree, str):
        return tree
    if isinstance(tree, dict) and tree.get("$") == "undefined":
        return "undefined"
    if tree is None:
        return "null"
    if isinstance(tree, bool):
        return "true" if tree else "false"
    if isinstance(tree, int | float):
        return str(tree)
    return "[object Object]"
