"""The engine's `WorkflowStep` as the SDK sees it, and the SDK's own wrapper around it.

Each method is one effect. A callback is not called here: only an `invoke` move does that.
"""
# ruff: noqa: N802 - names of JavaScript's own methods

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from eutaxy._hosts.py.context_reads import watched_event
from eutaxy._hosts.py.convert import is_function
from eutaxy._hosts.py.fibers import Parts, Receive, emit
from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.jsvalues import JsObject, JsProxy, js_text
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.promise import JsPromise
from eutaxy._hosts.py.reports import Unmodelled
from eutaxy._hosts.py.tracebacks import format_exception, last_line_message

NON_RETRYABLE = "NonRetryableError"


class WorkflowStep(JsProxy):
    """The object that JavaScript's `run` gets as `step`."""

    def do(self, name: Any, *rest: Any) -> JsPromise:
        """`do(name, [config,] callback[, rollback])`; what is given is passed on as it is."""
        has_config = not (rest and is_function(rest[0]))
        given: list[Any] = [*rest, None, None, None]
        if not has_config:
            given.insert(0, None)
        config, callback, rollback, *_ = given
        delay = _property(_property(config, "retries"), "delay")
        handler = _property(rollback, "rollback")
        functions = {"callback": callback, "delay": delay, "rollback": handler}
        parts = {part: each for part, each in functions.items() if is_function(each)}
        args: dict[str, Any] = {
            "config": _without_delay(config) if "delay" in parts else config,
            "hasCallback": "callback" in parts,
            "hasDelayFunction": "delay" in parts,
            "rollback": None,
        }
        if isinstance(rollback, JsProxy) and not is_function(rollback):
            rollback_config = _property(rollback, "rollbackConfig")
            described = {"hasHandler": "rollback" in parts, "config": rollback_config}
            args["rollback"] = JsObject(described)
        elif rollback is not None:
            args["isValidRollback"] = False
        return _ask("step", "do", name, args, parts=parts)

    def sleep(self, name: Any, duration: Any = None) -> JsPromise:
        """`sleep(name, duration)`."""
        return _ask("sleep", "sleep", name, {"duration": duration})

    def sleepUntil(self, name: Any, timestamp: Any = None) -> JsPromise:
        """`sleepUntil(name, timestamp)`."""
        return _ask("sleep", "sleepUntil", name, {"until": timestamp})

    def waitForEvent(self, name: Any, options: Any = None) -> JsPromise:
        """`waitForEvent(name, {type, timeout})`."""
        return _ask("wait", "waitForEvent", name, {"options": options}, receive=watched_event)


def _ask(
    kind: str,
    operation: str,
    name: Any,
    args: dict[str, Any],
    *,
    parts: Parts | None = None,
    receive: Receive | None = None,
) -> JsPromise:
    if not isinstance(name, str):
        args["nameIsText"] = False
    return emit(
        kind,
        js_text(name),
        operation,
        JsObject(args),
        parts=parts,
        receive=receive,
        functions_as_objects=True,
    )


def _property(value: Any, name: str) -> Any:
    return value.as_object_map().get(name) if isinstance(value, JsObject) else None


def _without_delay(config: JsObject) -> JsObject:
    retries = dict(config.retries.as_object_map())
    del retries["delay"]
    return JsObject({**config.as_object_map(), "retries": JsObject(retries)})


class _WrappedStep(JsProxy):
    """A step whose `do` passes every callback through `_guarded`."""

    def __init__(self, step: Any) -> None:
        self._step = step

    def do(self, name: Any, *rest: Any) -> Any:
        """As the step's own."""
        return self._step.do(
            name, *(_guarded(each) if is_function(each) else each for each in rest)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._step, name)


def _guarded(callback: Callable[..., Any]) -> Callable[..., Any]:
    async def guarded(*args: Any) -> Any:
        try:
            result = callback(*args)
            return await result if inspect.isawaitable(result) else result
        except Exception as error:
            if type(error).__qualname__ != NON_RETRYABLE:
                raise
            cause, message = error, last_line_message(format_exception(error))
        raise JsErrorThrough(JsException(NON_RETRYABLE, message), cause)

    return guarded


class JsErrorThrough(BaseException):
    """A JavaScript error on its way to the engine: unlike a Python exception it stays as it is.

    Args:
        error: The error.
        cause: The Python exception that it stands for.
    """

    def __init__(self, error: JsException, cause: BaseException) -> None:
        super().__init__(str(error))
        self.error = error
        self.cause = cause


class WorkflowsModule(JsProxy):
    """What the SDK gets for its own `workflows.js`."""

    def wrapWorkflowStep(self, step: Any) -> Any:
        """Make a NonRetryableError raised in a step known to the engine by name."""
        return _WrappedStep(step)

    def wrapWorkflowStepCallback(self, callback: Any) -> Any:
        """The same for one callback."""
        return _guarded(callback)


def sdk_javascript_module(name: str) -> WorkflowsModule:
    """The JavaScript module that Python code imports by name.

    Raises:
        Unmodelled: It is not one of the SDK's.
    """
    if name.rsplit("/", 1)[-1] == "workflows.js":
        return WorkflowsModule()
    return moment.stop(Unmodelled(f"the JavaScript module {name!r}"))
