"""`env` and `ctx`: bindings by type, and what keeps an activation open."""
# ruff: noqa: N802 - names of JavaScript's own methods

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

from eutaxy._hosts.py import codec
from eutaxy._hosts.py.fibers import current_fiber, emit
from eutaxy._hosts.py.jsvalues import JsArray, JsConstructor, JsObject, JsProxy, js_text
from eutaxy._hosts.py.moment import moment
from eutaxy._hosts.py.promise import JsPromise, as_promise, rejected, resolved
from eutaxy._hosts.py.reports import Failure, Unmodelled

_KINDS = {
    "ai": "Workers AI",
    "analytics_engine_datasets": "Analytics Engine dataset",
    "assets": "static assets",
    "browser": "Browser Rendering",
    "d1_databases": "D1 database",
    "dispatch_namespaces": "dispatch namespace",
    "durable_objects": "Durable Object namespace",
    "hyperdrive": "Hyperdrive",
    "images": "Images",
    "kv_namespaces": "KV namespace",
    "mtls_certificates": "mTLS certificate",
    "pipelines": "pipeline",
    "queues": "queue",
    "r2_buckets": "R2 bucket",
    "ratelimits": "rate limit",
    "secrets_store_secrets": "Secrets Store secret",
    "send_email": "send_email",
    "services": "service binding",
    "vectorize": "Vectorize index",
    "version_metadata": "version metadata",
}
"""How people call a binding that Wrangler's configuration lists under a key."""

_INSTANCE_OPERATIONS = (
    "status",
    "sendEvent",
    "pause",
    "resume",
    "terminate",
    "restart",
    "delete",
)

_LAST_EVENTS = ("workflow_completed", "workflow_errored", "workflow_terminated")
"""Events after which a subscription ends."""


class WorkflowImpl(JsProxy):
    """A Workflow binding.

    Args:
        binding: Its name in `env`.
    """

    def __init__(self, binding: str) -> None:
        self._target = f"Workflow:{binding}"

    def create(self, options: Any = None, /, **named: Any) -> JsPromise:
        """Start an instance; resolves to its handle."""
        args = _options(options, named)
        return self._call("create", JsObject({"options": args})).then(self._instance)

    def createBatch(self, options: Any = None, /, **named: Any) -> JsPromise:
        """Start several instances; resolves to their handles."""
        args = _options(options, named)
        return self._call("createBatch", JsObject({"options": args})).then(self._batch)

    def get(self, instance_id: Any = None) -> JsPromise:
        """Resolves to the handle of an instance."""
        return self._call("get", JsObject({"id": instance_id})).then(self._instance)

    def deleteBatch(self, ids: Any = None) -> JsPromise:
        """Delete several instances."""
        return self._call("deleteBatch", JsObject({"ids": ids}))

    def _call(self, operation: str, args: JsObject) -> JsPromise:
        return emit("call", self._target, operation, args)

    def _instance(self, answer: Any) -> WorkflowInstance:
        instance_id = answer.as_object_map().get("id") if isinstance(answer, JsObject) else None
        if not isinstance(instance_id, str):
            moment.stop(Failure(f"the answer of {self._target} has no instance id"))
        return WorkflowInstance(self._target, instance_id)

    def _batch(self, answer: Any) -> Any:
        if isinstance(answer, JsArray):
            return JsArray(self._instance(each) for each in answer)
        made = JsArray(self._instance(each) for each in answer.created)
        return JsObject({**answer.as_object_map(), "created": made})

    def __getattr__(self, name: str) -> Any:
        return _absent("Workflow binding", name)


class WorkflowInstance(JsProxy):
    """A handle of an instance: its id, and one method for each operation."""

    def __init__(self, target: str, instance_id: Any) -> None:
        self._target = target
        self.id = instance_id

    def subscribe(self, options: Any = None, /, **named: Any) -> JsPromise:
        """Hear what has happened to the instance, and what happens; a subscription."""
        given = _options(options, named)
        args = JsObject({"id": self.id, "options": given})
        members = given.as_object_map() if isinstance(given, JsObject) else {}
        made = WorkflowSubscription(self._target, self.id, members)
        return emit("call", self._target, "subscribe", args).then(lambda _: made)

    def __getattr__(self, name: str) -> Any:
        if name not in _INSTANCE_OPERATIONS:
            return _absent("Workflow instance", name)

        def operation(options: Any = None, /, **named: Any) -> JsPromise:
            args = JsObject({"id": self.id, "options": _options(options, named)})
            return emit("call", self._target, name, args)

        return operation


class WorkflowSubscription(JsProxy):
    """Events of an instance, one after another, until the last."""

    def __init__(self, target: str, instance_id: Any, options: Mapping[str, Any]) -> None:
        self._target = target
        self._id = instance_id
        self._cursor = options.get("cursor")
        self._filter = options.get("filter")
        self._is_closed = False
        self._broken: BaseException | None = None
        self._asking: JsPromise | None = None

    def next(self) -> JsPromise:
        """Resolves to `done` and the next event."""
        before = self._asking
        if before is None or before.is_settled:
            request = self._next()
        else:
            request = before.then(lambda _: self._next(), lambda _: self._next())
        self._asking = request
        return request

    def _next(self) -> JsPromise:
        if self._broken is not None:
            return rejected(self._broken)
        if self._is_closed:
            return resolved(JsObject({"done": True, "value": None}))
        options = JsObject({"cursor": self._cursor, "filter": self._filter})
        args = JsObject({"id": self._id, "options": options})
        asked = emit("call", self._target, "next", args)
        return asked.then(self._told, self._failed)

    def _told(self, answer: Any) -> Any:
        told = answer.as_object_map()
        if told["done"] is True:
            self._is_closed = True
        else:
            event = told["value"].as_object_map()
            self._cursor = event["eventId"]
            self._is_closed = event["type"] in _LAST_EVENTS
        return answer

    def _failed(self, error: Any) -> JsPromise:
        # The connection is gone, and what it has told the engine of this subscription with it.
        self._broken = error
        return rejected(error)

    def __getattr__(self, name: str) -> Any:
        return _absent("Workflow subscription", name)


def _absent(what: str, name: str) -> Any:
    raise AttributeError(f"{what} has no {name}")


def _options(options: Any, named: dict[str, Any]) -> Any:
    if isinstance(options, dict):
        moment.stop(
            Unmodelled(
                "a Python dict passed to JavaScript as it is",
                "call the binding through self.env, or convert the dict with to_js",
            )
        )
    if not named:
        return options
    return JsObject(named) if options is None else options


class _Absent(JsProxy):
    """A binding that the model lacks; naming it is harmless, using it is reported."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return moment.stop(Unmodelled(vars(self)["_what"]))


def make_env(bindings: dict[str, Any]) -> JsObject:
    """A fresh `env` object for an isolate."""
    return JsObject({name: _make_binding(name, given) for name, given in bindings.items()})


def _make_binding(name: str, given: dict[str, Any]) -> Any:
    match given["type"]:
        case "workflow":
            return WorkflowImpl(name)
        case "value":
            return codec.decode(given["value"])
        case _:
            return _Absent(f"{_KINDS.get(given['what'], given['what'])} {name}")


class ExecutionContext(JsProxy):
    """`ctx` of a handler or an entrypoint."""

    def __init__(self) -> None:
        self.props = JsObject()

    def waitUntil(self, awaited: Any) -> None:
        """Keep the activation open until a coroutine, future or promise has ended."""
        wait_until(awaited)

    def passThroughOnException(self) -> None:
        """Not modelled."""
        moment.stop(Unmodelled("ctx.passThroughOnException"))

    @property
    def exports(self) -> Any:
        """Not modelled."""
        return moment.stop(Unmodelled("ctx.exports"))


def wait_until(awaited: Any) -> None:
    """What `ctx.waitUntil` does."""
    fiber = current_fiber()
    fiber.holds += 1
    is_awaitable = inspect.isawaitable(awaited)
    promise = as_promise(asyncio.ensure_future(awaited) if is_awaitable else awaited)

    def done(settled: JsPromise) -> None:
        fiber.holds -= 1
        if settled.error is not None:
            error = settled.error
            moment.prints.append(f"waitUntil promise rejected: {type(error).__name__}: {error}")

    promise.when_settled(done)


WorkflowImpl.constructor = JsConstructor("WorkflowImpl", WorkflowImpl)
WorkflowInstance.constructor = JsConstructor("WorkflowInstance", WorkflowInstance)
WorkflowSubscription.constructor = JsConstructor("WorkflowSubscription", WorkflowSubscription)
ExecutionContext.constructor = JsConstructor("ExecutionContext", ExecutionContext)
_Absent.constructor = JsConstructor("Unmodelled", js_text)
