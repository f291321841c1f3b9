"""What the outside does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from eutaxy._declare.notes import declared, portable_or_none, with_portable_bodies
from eutaxy._declare.types import AfterEvent, Drive, Duration, Json, Request, Retention

T = TypeVar("T")


def http(requests: Sequence[Request]) -> Drive:
    """Drive the Worker with requests, in order; they are called req-1, req-2 and so on.

    Args:
        requests: At least one.
    Example:
        >>> drive = http([{"path": "/expenses", "body": {"expenseId": "exp-1"}, "after": 500}])
    """
    return Drive(declared("http", requests=with_portable_bodies(requests)))


def concurrently(events: Sequence[Drive], *, after: Duration | AfterEvent | None = None) -> Drive:
    """Let events happen at one time, in any order.

    Args:
        events: Requests and direct calls; at least two.
        after: When all of them come.
    Example:
        >>> both = concurrently([http([{"path": "/return"}, {"path": "/webhook"}])])
    """
    return Drive(declared("concurrently", events=events, options={"after": after}))


def create_instance(
    binding: str,
    *,
    id: str | None = None,  # noqa: A002 - the platform calls it so
    params: Json = None,
    retention: Retention | None = None,
    after: Duration | AfterEvent | None = None,
    name: str | None = None,
) -> Drive:
    """Create an instance of a Workflow directly, not through the Worker.

    Args:
        binding: A binding named in `setup`.
        id: Its id; None: one is made.
        params: Its parameters.
        retention: How long it is kept once it has ended; None: as long as the account says.
        after: When.
        name: What the event is called, instead of call-1 and so on.
    Example:
        >>> start = create_instance("APPROVALS", id="exp-1", params={"cents": 4200})
    """
    options = {
        "id": id,
        "params": portable_or_none(params),
        "retention": retention,
        "after": after,
        "name": name,
    }
    return Drive(declared("createInstance", binding=binding, options=options))


def send_event(
    binding: str,
    id: str,  # noqa: A002 - the platform calls it so
    *,
    type: str,  # noqa: A002 - the platform calls it so
    payload: Json = None,
    after: Duration | AfterEvent | None = None,
    name: str | None = None,
) -> Drive:
    """Send an event to an instance directly, not through the Worker.

    Args:
        binding: A binding named in `setup`.
        id: The id of the instance.
        type: Type of the event.
        payload: Its payload.
        after: When.
        name: What the driver event is called, instead of call-1 and so on.
    Example:
        >>> approve = send_event("APPROVALS", "exp-1", type="approval", payload={"ok": True})
    """
    event = {"type": type, "payload": portable_or_none(payload), "after": after, "name": name}
    return Drive(declared("sendEvent", binding=binding, id=id, event=event))


def call(
    binding: str,
    operation: str,
    *,
    id: str,  # noqa: A002 - the platform calls it so
    options: Mapping[str, Json] | None = None,
    after: Duration | AfterEvent | None = None,
    name: str | None = None,
) -> Drive:
    """Operate on an instance directly, as an operator does from the dashboard.

    Args:
        binding: A binding named in `setup`.
        operation: terminate, pause, resume, restart or delete.
        id: The id of the instance.
        options: What the operation takes ({"rollback": True} for terminate).
        after: When.
        name: What the event is called, instead of call-1 and so on.
    Example:
        >>> stop = call("APPROVALS", "terminate", id="exp-1", after="1 hour")
    """
    given = {"id": id, "options": portable_or_none(options), "after": after, "name": name}
    return Drive(declared("call", binding=binding, operation=operation, options=given))


def fire_schedule(binding: str, cron: str, *, name: str | None = None) -> Drive:
    """Let a schedule of a Workflow fire: it creates an instance.

    The firing comes at the next moment that the cron expression names, counted from where the
    events before it stand; virtual time begins on 1 January 2026, 00:00 UTC.

    Args:
        binding: A binding named in `setup`.
        cron: One of the `schedules` that the wrangler config gives the Workflow.
        name: What the event is called, instead of cron-1 and so on.
    Example:
        >>> nightly = fire_schedule("REPORTS", "0 3 * * *")
    """
    return Drive(declared("fireSchedule", binding=binding, cron=cron, options={"name": name}))


def pass_time(duration: Duration) -> Drive:
    """Let time pass in which the outside does nothing; called clock-1 and so on.

    Args:
        duration: How much; the next event counts from its end.
    Example:
        >>> drive = [http([{"path": "/start"}]), pass_time("30 days")]
    """
    return Drive(declared("passTime", duration=duration))


def times(count: int, make: Callable[[int], T]) -> list[T]:
    """Make several things alike, such as requests.

    Args:
        count: How many.
        make: Makes one from its number, which begins at 1.
    Example:
        >>> times(2, lambda n: {"path": f"/orders/{n}"})
        [{'path': '/orders/1'}, {'path': '/orders/2'}]
    """
    return [make(number) for number in range(1, count + 1)]
