"""JavaScript promises: awaitable in Python, with `then` by which the SDK knows them."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Generator
from typing import Any

from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.jsvalues import JsArray, JsConstructor, JsObject, JsProxy

Settled = Callable[["JsPromise"], None]


class JsPromise(JsProxy):
    """A promise. Awaiting one always goes through the event loop, even when it is settled."""

    def __init__(self) -> None:
        self.is_settled = False
        self.value: Any = None
        self.error: BaseException | None = None
        self._waiting: list[tuple[Settled, contextvars.Context]] = []

    def resolve(self, value: Any = None) -> None:
        """Settle with a value; another promise or awaitable is followed."""
        if self.is_settled:
            return
        if inspect.isawaitable(value):
            followed = as_promise(value)
            followed.when_settled(lambda done: self._settle(done.value, done.error))
            return
        self._settle(value, None)

    def reject(self, error: BaseException) -> None:
        """Settle with an exception."""
        self._settle(None, error)

    def _settle(self, value: Any, error: BaseException | None) -> None:
        if self.is_settled:
            return
        self.is_settled, self.value, self.error = True, value, error
        waiting, self._waiting = self._waiting, []
        for callback, context in waiting:
            asyncio.get_running_loop().call_soon(callback, self, context=context)

    def when_settled(self, callback: Settled) -> None:
        """Call back through the event loop once it is settled, in the present context."""
        context = contextvars.copy_context()
        if self.is_settled:
            asyncio.get_running_loop().call_soon(callback, self, context=context)
        else:
            self._waiting.append((callback, context))

    def __await__(self) -> Generator[Any, None, Any]:
        future = asyncio.get_running_loop().create_future()

        def wake(settled: JsPromise) -> None:
            if future.done():
                return
            if settled.error is not None:
                future.set_exception(settled.error)
            else:
                future.set_result(settled.value)

        self.when_settled(wake)
        return future.__await__()

    def then(self, on_value: Any = None, on_error: Any = None) -> JsPromise:
        """JavaScript's `then`."""
        result = JsPromise()

        def go_on(settled: JsPromise) -> None:
            callback = on_value if settled.error is None else on_error
            if callback is None:
                result._settle(settled.value, settled.error)
                return
            given = settled.value if settled.error is None else settled.error
            try:
                result.resolve(callback(given))
            except Exception as error:  # noqa: BLE001 - a throwing callback rejects the promise
                result.reject(error)

        self.when_settled(go_on)
        return result

    def catch(self, on_error: Any) -> JsPromise:
        """JavaScript's `catch`."""
        return self.then(None, on_error)

    def finally_(self, callback: Any) -> JsPromise:
        """JavaScript's `finally`."""
        result = JsPromise()

        def go_on(settled: JsPromise) -> None:
            callback()
            result._settle(settled.value, settled.error)

        self.when_settled(go_on)
        return result


def resolved(value: Any = None) -> JsPromise:
    """A promise that is already settled with a value."""
    promise = JsPromise()
    promise.resolve(value)
    return promise


def rejected(error: BaseException) -> JsPromise:
    """A promise that is already settled with an exception."""
    promise = JsPromise()
    promise.reject(error)
    return promise


def as_promise(value: Any) -> JsPromise:
    """A promise of anything: itself, an awaitable's result, or a value."""
    if isinstance(value, JsPromise):
        return value
    if not inspect.isawaitable(value):
        return resolved(value)
    promise = JsPromise()

    def finish(future: asyncio.Future[Any]) -> None:
        if future.cancelled():
            promise.reject(asyncio.CancelledError())
        elif (error := future.exception()) is not None:
            promise.reject(error)
        else:
            promise.resolve(future.result())

    asyncio.ensure_future(value).add_done_callback(finish)
    return promise


def _all(values: Any) -> JsPromise:
    return _collect(values, lambda done: done.value, is_first_error_final=True)


def _all_settled(values: Any) -> JsPromise:
    def record(done: JsPromise) -> JsObject:
        if done.error is None:
            return JsObject({"status": "fulfilled", "value": done.value})
        return JsObject({"status": "rejected", "reason": done.error})

    return _collect(values, record, is_first_error_final=False)


def _collect(
    values: Any, record: Callable[[JsPromise], Any], *, is_first_error_final: bool
) -> JsPromise:
    promises = [as_promise(value) for value in values]
    result = JsPromise()
    collected = JsArray(None for _ in promises)
    left = len(promises)

    def settle(index: int, done: JsPromise) -> None:
        nonlocal left
        if done.error is not None and is_first_error_final:
            result.reject(done.error)
            return
        collected[index] = record(done)
        left -= 1
        if left == 0:
            result.resolve(collected)

    if not promises:
        result.resolve(collected)
    for index, promise in enumerate(promises):
        promise.when_settled(lambda done, index=index: settle(index, done))  # type: ignore[misc]
    return result


def _race(values: Any) -> JsPromise:
    result = JsPromise()
    for value in values:
        as_promise(value).when_settled(lambda done: result._settle(done.value, done.error))  # noqa: SLF001
    return result


def _execute(executor: Any) -> JsPromise:
    promise = JsPromise()

    def reject(reason: Any = None) -> None:
        is_error = isinstance(reason, BaseException)
        promise.reject(reason if is_error else JsException("Error", str(reason)))

    try:
        executor(promise.resolve, reject)
    except Exception as error:  # noqa: BLE001 - a throwing executor rejects the promise
        promise.reject(error)
    return promise


JsPromise.constructor = JsConstructor(
    "Promise",
    _execute,
    all=_all,
    allSettled=_all_settled,
    race=_race,
    resolve=resolved,
    reject=rejected,
)
