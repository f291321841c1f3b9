"""The loaded Worker: what its main module offers, and how each entry is called.

The rules are those of the platform's Python entrypoint helper: classes come from the main module
only, `Default` is the default entrypoint, surplus arguments of `fetch` and `run` are dropped.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from eutaxy._hosts.py.bindings import ExecutionContext, make_env
from eutaxy._hosts.py.context_reads import watched_event
from eutaxy._hosts.py.isolates import Isolates
from eutaxy._hosts.py.jserrors import js_error
from eutaxy._hosts.py.jsvalues import JsObject
from eutaxy._hosts.py.messages import JsResponse, incoming_request
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.reports import Failure, Unmodelled
from eutaxy._hosts.py.sources import Sources
from eutaxy._hosts.py.steps import WorkflowStep

HANDLERS = ("fetch", "scheduled", "queue", "email", "tail", "test", "connect")
_KINDS = (
    ("WorkflowEntrypoint", "workflow"),
    ("DurableObject", "object"),
    ("WorkerEntrypoint", "entrypoint"),
)


class CannotLoad(Exception):
    """The module was executed, but the platform would refuse the Worker."""


class Program:
    """One loaded Worker.

    Args:
        sources: Tells user files from others.
        main: Path of the main module.
        sdk_folder: Where the SDK that comes with eutaxy lies.
        bindings: Bindings as the protocol describes them.
        flags: The compatibility flags that are on.
    """

    def __init__(
        self,
        sources: Sources,
        main: str,
        sdk_folder: str,
        *,
        bindings: dict[str, Any],
        flags: frozenset[str],
    ) -> None:
        self.bindings = bindings
        self.flags = flags
        self.isolates = Isolates(sources, main, sdk_folder)

    def describe(self, module: ModuleType) -> dict[str, Any]:
        """Handlers and classes of the main module.

        Raises:
            CannotLoad: The platform would not accept the module; the message says why.
        """
        classes = list(_entrypoint_classes(module))
        default = next((cls for cls, _ in classes if cls.__name__ == "Default"), None)
        legacy = [name for name in HANDLERS if _is_function(module, f"on_{name}")]
        self._check(default, legacy, {cls.__name__ for cls, kind in classes if kind == "workflow"})
        if default is not None:
            names = [name for name in HANDLERS if inspect.isfunction(getattr(default, name, None))]
        else:
            names = legacy
        listed = [
            {"name": cls.__name__, "kind": kind} for cls, kind in classes if cls is not default
        ]
        return {"handlers": names, "classes": listed}

    def _check(self, default: Any, legacy: list[str], workflows: set[str]) -> None:
        if legacy and "python_no_global_handlers" in self.flags:
            raise CannotLoad(
                f"on_{legacy[0]} is a global handler, which the platform ignores from "
                "compatibility date 2025-08-14 on (python_no_global_handlers); write "
                f"`class Default(WorkerEntrypoint)` with a method `{legacy[0]}` instead"
            )
        if legacy and default is not None:
            raise CannotLoad(
                f"the module has both class Default and the global handler on_{legacy[0]}; keep one"
            )
        if workflows and "python_workflows" not in self.flags:
            raise CannotLoad(
                f"class {min(workflows)} is a WorkflowEntrypoint, which needs the compatibility "
                "flag python_workflows (implied from 2025-09-20 on)"
            )

    def call_entry(self, entry: dict[str, Any], decode: Callable[[str], Any]) -> Any:
        """Start an entry; gives an awaitable or a value, not yet converted."""
        module = self.isolates.main
        assert module is not None
        if entry["kind"] == "workflow":
            return self._run_workflow(module, entry["class"], watched_event(decode(entry["event"])))
        if entry["handler"] != "fetch":
            moment.stop(Unmodelled(f"the handler {entry['handler']!r}"))
        return self._fetch(module, decode(entry["request"]))

    def _run_workflow(self, module: ModuleType, name: str, event: JsObject) -> Any:
        cls = next(
            (
                cls
                for cls, kind in _entrypoint_classes(module)
                if kind == "workflow" and cls.__name__ == name
            ),
            None,
        )
        if cls is None:
            moment.stop(Failure(f"the main module has no WorkflowEntrypoint class {name}"))
        instance = cls(ExecutionContext(), make_env(self.bindings))
        return call_relaxed(instance.run, event, WorkflowStep())

    async def _fetch(self, module: ModuleType, value: JsObject) -> JsObject:
        request = incoming_request(value)
        ctx, env = ExecutionContext(), make_env(self.bindings)
        default = getattr(module, "Default", None)
        if default is not None:
            from_rpc = _sdk("python_from_rpc")
            result = call_relaxed(default(ctx, env).fetch, from_rpc(request), env, ctx)
        else:
            result = call_relaxed(vars(module)["on_fetch"], request, env, ctx)
        if inspect.isawaitable(result):
            result = await result
        for attribute in ("js_object", "js_response"):
            result = getattr(result, attribute, result)
        if not isinstance(result, JsResponse):
            raise JsResponseExpected
        return result.as_value()


class JsResponseExpected(Exception):
    """A handler ended without a response; the platform's own error takes its place."""

    error = js_error(
        "TypeError", "Incorrect type for Promise: the Promise did not resolve to 'Response'."
    )


def call_relaxed(function: Callable[..., Any], *args: Any) -> Any:
    """Call with as many of the arguments as the function takes."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return function(*args)
    count = sum(
        1 for each in parameters if each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}
    )
    return function(*args[:count])


def _sdk(name: str) -> Any:
    import workers  # noqa: PLC0415 - the project's SDK is known only once it is loaded

    return getattr(workers, name)


def _entrypoint_classes(module: ModuleType) -> Iterable[tuple[type, str]]:
    members = vars(module)
    names = members.get("__all__")
    if names is None:
        names = [name for name in members if not name.startswith("_")]
    import workers  # noqa: PLC0415 - the project's SDK is known only once it is loaded

    for name in names:
        cls = members.get(name)
        if not isinstance(cls, type):
            continue
        for base_name, kind in _KINDS:
            base = getattr(workers, base_name, None)
            if base is not None and cls is not base and issubclass(cls, base):
                yield cls, kind


def _is_function(module: ModuleType, name: str) -> bool:
    return isinstance(vars(module).get(name), FunctionType)
