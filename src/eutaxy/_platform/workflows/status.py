"""What `status()` tells of an instance, in the shape of production and of local engines.

Local engines read outputs and errors back from their log, which is JSON: whatever JSON cannot say
is lost on the way (R-RES-6, DIFF-15).
"""

from __future__ import annotations

from eutaxy._base.code import Returned, Threw
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._base.value_json import UNDEFINED_TREE, json_form
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.state import Instance


def status_value(local: Instance, *, is_local: bool = False) -> Value:
    """What `status()` returns (1.3, R-ST-3, DIFF-15)."""
    return encode(_local_status(local) if is_local else _status(local))


def unknown_status(*, is_local: bool = False) -> Value:
    """What `status()` returns when the platform cannot tell (F-LC-11)."""
    if is_local:
        outputs: list[Plain] = []
        rest: dict[str, Plain] = {"__LOCAL_DEV_STEP_OUTPUTS": outputs, "output": None}
        return encode({"status": "unknown", **rest, "error": UNDEFINED_TREE})
    return encode({"status": "unknown", "rollback": None})


def _status(local: Instance) -> dict[str, Plain]:
    tree: dict[str, Plain] = {"status": local.status.value}
    if isinstance(local.result, Threw):
        name, message = errors.error_parts(local.result.value)
        tree["error"] = {"name": name, "message": message}
    if isinstance(local.result, Returned):
        output = decode(local.result.value)
        tree["output"] = None if output == UNDEFINED_TREE else output
    tree["rollback"] = _rollback_status(local)
    return tree


def _local_status(local: Instance) -> dict[str, Plain]:
    output: Plain = None
    error: Plain = UNDEFINED_TREE
    if isinstance(local.result, Returned):
        output = json_form(local.result.value)
        output = None if output == UNDEFINED_TREE else output
    elif isinstance(local.result, Threw):
        error = _local_error(local.result)
    return {
        "status": local.status.value,
        "__LOCAL_DEV_STEP_OUTPUTS": [decode(each) for _, each in local.outputs],
        "output": output,
        "error": error,
    }


def _local_error(thrown: Threw) -> Plain:
    """The error of a failed instance; what was no error is shown as it is (section 6)."""
    tree = decode(thrown.value)
    if isinstance(tree, dict) and tree.get("$") == "error":
        name, message = errors.error_parts(thrown.value)
        return {"message": message, "name": name}
    return {"message": json_form(thrown.value), "name": "Error"}


def _rollback_status(local: Instance) -> Plain:
    if local.rollback_error is None or not local.status.is_terminal:
        return None
    if decode(local.rollback_error) is None:
        return {"outcome": "complete", "error": None}
    name, message = errors.error_parts(local.rollback_error)
    return {"outcome": "failed", "error": {"name": name, "message": message}}


def row_value(instance_id: str, local: Instance) -> Value:
    """The row of an instance, as `workflowRows` shows it."""
    status = _status(local)
    return encode(
        {
            "id": instance_id,
            "status": status["status"],
            "params": decode(local.params),
            "output": status.get("output"),
            "error": status.get("error"),
        }
    )
