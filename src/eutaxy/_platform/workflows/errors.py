"""Errors that the engine gives to user code, by the names and messages that code can see (1.7)."""

from __future__ import annotations

from eutaxy._base.code import Outcome, Threw
from eutaxy._base.value import BUILT_IN_ERRORS, Plain, Value, decode, encode, error_value

NON_RETRYABLE = "NonRetryableError"
ABORTED_BY_PAUSE = "Aborting engine: User called pause"
TERMINATED = error_value("Terminated", "Instance terminated during rollback")


def fatal(message: str) -> Threw:
    """Bad input to a step: catchable, never retried."""
    return Threw(error_value("WorkflowFatalError", message))


def plain(message: str, name: str = "Error") -> Threw:
    """An error of a built-in class."""
    return Threw(error_value(name, message))


def timed_out(ms: int) -> Threw:
    """An attempt or a wait that ran out of time (R-TO-2, R-EV-5)."""
    return Threw(error_value("WorkflowTimeoutError", f"Execution timed out after {ms}ms"))


def internal(message: str) -> Threw:
    """Storing a result failed (R-RES-4)."""
    return Threw(error_value("WorkflowInternalError", message))


INTERRUPTED = internal("Attempt failed due to internal workflows error")
"""What production says of an attempt that a crash cut off (DIFF-18)."""


def paused() -> Threw:
    """What local engines throw into code that waits when they pause (R-LC-5)."""
    return Threw(error_value("Error", ABORTED_BY_PAUSE))


def is_pause(value: Value) -> bool:
    """Whether `run` ended because of a pause: local engines go by the message."""
    return error_parts(value)[1] == ABORTED_BY_PAUSE


_STERN = ("WorkflowFatalError: ", "NonRetryableDelayError: ", ABORTED_BY_PAUSE)


def stern(value: Value) -> str:
    """The text of an error by which the engine refuses what the program asks for, or stops it.

    It is empty for errors that belong to the life of a Workflow, such as timeouts and failed steps
    (1.7).
    """
    name, message = error_parts(value)
    text = message if name == "Error" else f"{name}: {message}"
    return text if text.startswith(_STERN) else ""


def bad_delay(message: str) -> Threw:
    """A broken delay function (R-DLY-3, R-DLY-4)."""
    return Threw(error_value("NonRetryableDelayError", message))


def refused(code: str, message: str) -> Threw:
    """A binding or instance method that rejects with a code."""
    return Threw(error_value("WorkflowError", f"({code}) {message}"))


def already_exists(instance_id: str) -> Threw:
    """An instance with that id exists (R-CR-2)."""
    message = f'Workflow instance with id "{instance_id}" already exists'
    return refused("instance.already_exists", message)


def invalid_id() -> Threw:
    """An id that cannot be one (1.2); `create` gives no code."""
    return Threw(error_value("WorkflowError", "Workflow instance has invalid id"))


def not_found() -> Threw:
    """No such instance: a plain error whose whole message is the code (1.2)."""
    return Threw(error_value("Error", "instance.not_found"))


def error_parts(value: Value) -> tuple[str, str]:
    """Name and message of a thrown value; what was no error becomes one by its text (R-RUN-2)."""
    tree = decode(value)
    if isinstance(tree, dict) and tree.get("$") == "error":
        return str(tree.get("name", "Error")), str(tree.get("message", ""))
    return "Error", _text(tree)


def is_non_retryable(value: Value) -> bool:
    """Whether a thrown value ends its step at once (R-ERR-1)."""
    tree = decode(value)
    if not isinstance(tree, dict) or tree.get("$") != "error":
        return False
    message = str(tree.get("message", ""))
    return tree.get("name") == NON_RETRYABLE or message.startswith(NON_RETRYABLE)


def what_cannot_be_stored(value: Value) -> str | None:
    """What a callback returned that cannot be cloned; None when the value is another error."""
    tree = decode(value)
    if not isinstance(tree, dict) or tree.get("name") != "DataCloneError":
        return None
    own = tree.get("of")
    found = own.get("notCloneable") if isinstance(own, dict) else None
    return found if isinstance(found, str) else None


_PLATFORM_CLASSES = ("Promise", "WeakMap", "WeakRef", "WeakSet")
_CLASS = "an object of class "


def not_cloned(what: str) -> Threw:
    """The error of a value that cannot cross, in the platform's words (R-RES-3, R-RES-6)."""
    message = f"{what} could not be cloned."
    if what.startswith("function"):
        message = "RpcStub cannot be serialized in this context."
    elif what == f"{_CLASS}Response":
        message = "ReadableStream can only be serialized for RPC."
    elif what.startswith(_CLASS):
        name = what.removeprefix(_CLASS)
        message = f"#<{name}> could not be cloned."
        if name not in _PLATFORM_CLASSES:
            message = (
                f'Could not serialize object of type "{name}". This type does not support '
                "serialization."
            )
    return Threw(error_value("DataCloneError", message))


_CROSSING_CLASSES = BUILT_IN_ERRORS | {"AggregateError"}


def crossed(thrown: Threw, *, is_enhanced: bool, mark: str = "") -> Threw:
    """A thrown value as `run` catches it: a copy that has crossed the step boundary (R-ERR-2).

    Args:
        thrown: What was thrown.
        is_enhanced: Errors keep name and properties.
        mark: Id that local engines add to what has crossed (section 6); empty for none.
    """
    tree = decode(thrown.value)
    if not isinstance(tree, dict) or tree.get("$") != "error":
        is_object = isinstance(tree, list) or (isinstance(tree, dict) and "$" not in tree)
        if not is_enhanced or not is_object:
            return Threw(error_value("Error", _text(tree)))
        if isinstance(tree, dict) and mark:
            return Threw(encode({**tree, "remote": True, "durableObjectId": mark}))
        return thrown
    if is_enhanced and mark:
        own = tree.get("of")
        marked = {**(own if isinstance(own, dict) else {}), "remote": True, "durableObjectId": mark}
        return Threw(encode({**tree, "of": marked}))
    if is_enhanced:
        return thrown
    name, message = str(tree.get("name", "Error")), str(tree.get("message", ""))
    if tree.get("class") == "DOMException" or name in _CROSSING_CLASSES:
        kept = {"$": "error", "name": name, "message": message}
        return Threw(encode({**kept, "class": tree.get("class", name)}))
    if name == "Error":
        return Threw(error_value(name, message))
    # What crosses is text that ends at the first NUL.
    return Threw(error_value("Error", f"{name}: {message}".partition("\0")[0]))


def reported(thrown: Threw, *, is_kept: bool) -> Threw:
    """The error of an instance that a non-retryable error has ended (R-NR-2)."""
    name, message = error_parts(thrown.value)
    if not is_kept:
        return fatal(
            "The execution of the Workflow instance was terminated, as a step threw an "
            "NonRetryableError and it was not handled"
        )
    if name != NON_RETRYABLE:
        message = message.removeprefix(NON_RETRYABLE).removeprefix(":").lstrip()
    return Threw(error_value(NON_RETRYABLE, message))


def crossed_outcome(outcome: Outcome, *, is_enhanced: bool) -> Outcome:
    """The outcome of a call as the caller sees it."""
    return crossed(outcome, is_enhanced=is_enhanced) if isinstance(outcome, Threw) else outcome


def _text(tree: Plain) -> str:
    """What becomes of a thrown value that is no error, where only text crosses."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, list):
        return "[object Array]"
    if isinstance(tree, dict) and tree.get("$") in ("undefined", "number", "bigint"):
        return str(tree.get("of", "undefined"))
    if isinstance(tree, dict):
        return "#<Object>"
    return str(encode(tree))
