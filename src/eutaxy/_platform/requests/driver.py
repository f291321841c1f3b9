"""The driver: plays the outside, event by event, and again as far as redeliveries allow.

Theory: a driver event that names no time comes a second after the previous one. That is its pace
when nothing else is under way; while an invocation is under way and another may run beside it
(`maxConcurrentInvocations`), the next event may come at any moment of it. An event with a time of
its own comes at that time; one that follows another event comes after that has ended. The events of
one group are unordered among each other. A firing of a schedule comes at a moment of the virtual
calendar, or later when the outside is not that far. Any request or firing that was started may be
delivered again at any later moment (CL1, F-CR-3): a client's retry after a failure and a
spontaneous duplicate are the same move.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from eutaxy._base.code import Effect, EffectKind, Returned
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._base.scenario import DirectCall, DriverEvent, FireSchedule, HttpRequest
from eutaxy._base.value import Plain, encode
from eutaxy._platform.call import Answered, Deferred, Fate, Perform, Return, Router
from eutaxy._platform.requests.messages import Begin, Ended
from eutaxy._world.component import Address, Choice, Gate, Local, Step

DRIVER: Address = ("driver",)


@dataclass(frozen=True, slots=True)
class DriverState:
    """Where the driver stands.

    Args:
        next_index: The first event that is not handed over.
        taken: Events after it, of the same group, that are handed over already.
        left_ms: Virtual time until the next event is due.
        redeliveries_left: Redeliveries that may still happen.
        in_flight: (event index, copy) of deliveries under way; copies are numbered from the lowest
            free number, so that equal situations are equal states.
        ended: Events that others wait for and that have ended.
        repeats: (event index, virtual time left) of requests that the client will send again.
        repeated: How often each repeated request was sent again, by event index.
        content: Events whose repeating client has got a good answer and will not send again.
        counts: Deliveries of each event so far; kept only where code reads randomness.
        now_ms: Virtual time; kept only where code reads the clock.
        elapsed_ms: Virtual time; kept only while a later event is the firing of a schedule.
    """

    next_index: int
    left_ms: int
    redeliveries_left: int
    taken: tuple[int, ...] = ()
    in_flight: tuple[tuple[int, int], ...] = ()
    ended: tuple[int, ...] = ()
    repeats: tuple[tuple[int, int], ...] = ()
    repeated: tuple[tuple[int, int], ...] = ()
    content: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    now_ms: int = 0
    elapsed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Deliver:
    """Choice: an event happens (again)."""

    index: int
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Choice: the client sends a request again that was not answered."""

    index: int


REPEAT_MS = 1_000
"""Virtual time after which a client that repeats sends again."""

REFUSED = "refused"
"""How the end of a direct call that failed reads in the trace."""

REPEATS_MAX = 5
"""Most repetitions of one request; more would only show that it never succeeds."""


class Driver:
    """The component that plays the outside.

    Args:
        events: What happens, in order.
        route: Finds the target of a direct call.
        redeliveries_max: Most redeliveries in one schedule.
        has_clock: Whether virtual time is part of the state.
        has_random: Whether the number of deliveries is part of the state.
    """

    def __init__(
        self,
        events: tuple[DriverEvent, ...],
        route: Router,
        *,
        redeliveries_max: int,
        has_clock: bool,
        has_random: bool,
    ) -> None:
        self._events = events
        self._route = route
        self._redeliveries_max = redeliveries_max
        self._has_clock = has_clock
        self._has_random = has_random
        names = {event.name: index for index, event in enumerate(events)}
        # An event that is left out of a smaller drive is not waited for.
        self._waits_for = [names.get(event.timing.after_event) for event in events]
        firings = [at for at, event in enumerate(events) if isinstance(event, FireSchedule)]
        self._last_firing = max(firings, default=0)

    def initial(self) -> Local:
        """Nothing has happened; the first event is due at once unless it names a time."""
        return DriverState(
            next_index=0,
            left_ms=self._pause_before(0, 0),
            redeliveries_left=self._redeliveries_max,
            counts=(0,) * len(self._events) if self._has_random else (),
        )

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """The next events, when due (or overlapping); every started request again."""
        assert isinstance(local, DriverState)
        choices: list[Choice] = []
        for index in self._open(local):
            has_time = self._events[index].timing.has_time
            if local.left_ms == 0:
                choices.append(Choice(Deliver(index), gate=Gate.START))
            elif not has_time:
                choices.append(Choice(Deliver(index), gate=Gate.OVERLAP))
        for index, left in local.repeats:
            gate = Gate.START if left == 0 else Gate.OVERLAP
            choices.append(Choice(Repeat(index), gate=gate))
        if local.redeliveries_left:
            started = (*range(local.next_index), *local.taken)
            choices += [
                Choice(Deliver(index, is_again=True), gate=Gate.AGAIN)
                for index in started
                if isinstance(self._events[index], HttpRequest | FireSchedule)
            ]
        return tuple(choices)

    def is_running(self, local: Local) -> bool:
        """Never: the driver runs no user code."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """Time until the next event; None while it waits for another to end."""
        assert isinstance(local, DriverState)
        left = [repeat for _, repeat in local.repeats]
        if self._open(local):
            left.append(local.left_ms)
        return min(left) if left else None

    def tick(self, local: Local, ms: int) -> Local:
        """Time passes."""
        assert isinstance(local, DriverState)
        now = local.now_ms + ms if self._has_clock else 0
        left = max(0, local.left_ms - ms)
        repeats = tuple((index, max(0, each - ms)) for index, each in local.repeats)
        elapsed = local.elapsed_ms + ms if local.next_index < self._last_firing else 0
        return replace(local, left_ms=left, now_ms=now, repeats=repeats, elapsed_ms=elapsed)

    def on(self, local: Local, message: Hashable) -> Step:
        """Let an event happen, or note that one has ended."""
        assert isinstance(local, DriverState)
        if isinstance(message, Ended):
            return Step(self._delivered(local, message))
        if isinstance(message, Repeat):
            left = tuple(each for each in local.repeats if each[0] != message.index)
            return self._hand_over(replace(local, repeats=left), message.index)
        if isinstance(message, Deferred):
            return Step(local)
        if isinstance(message, Answered):
            index = message.back.ordinal
            event = self._events[index]
            assert isinstance(event, DirectCall | FireSchedule)
            note = self._note(event, RecordKind.EFFECT, message.shown)
            args = _effect(event).args
            told = replace(note, args=args, answer=message.outcome.value)
            end = self._note(event, RecordKind.END, "answered")
            if not isinstance(message.outcome, Returned):
                end = replace(end, text=REFUSED, answer=message.outcome.value)
            left = tuple(each for each in local.in_flight if each != (index, 0))
            after = self._ended(replace(local, in_flight=left), index)
            return Step(after, (), (told, end))
        assert isinstance(message, Deliver)
        return self._deliver(local, message)

    def _deliver(self, local: DriverState, message: Deliver) -> Step:
        if message.is_again:
            after = replace(local, redeliveries_left=local.redeliveries_left - 1)
        else:
            after = self._advanced(local, message.index)
        return self._hand_over(after, message.index)

    def _delivered(self, local: DriverState, ended: Ended) -> DriverState:
        """The state once a delivery is over; a client that repeats may have more of them."""
        index = ended.index
        left = tuple(each for each in local.in_flight if each != (index, ended.copy))
        local = replace(local, in_flight=left)
        event = self._events[index]
        if isinstance(event, HttpRequest) and event.is_repeated and index not in local.content:
            if ended.is_answered:
                local = replace(local, content=tuple(sorted((*local.content, index))))
            else:
                local = self._with_repeat(local, index)
        if any(each == index for each, _ in local.repeats):
            return local
        return self._ended(local, index)

    def _with_repeat(self, local: DriverState, index: int) -> DriverState:
        """The state once a client that repeats was not answered."""
        count = dict(local.repeated).get(index, 0)
        is_due = any(each == index for each, _ in local.repeats)
        if count >= REPEATS_MAX or is_due:
            return local
        repeated = {**dict(local.repeated), index: count + 1}
        return replace(
            local,
            repeats=tuple(sorted((*local.repeats, (index, REPEAT_MS)))),
            repeated=tuple(sorted(repeated.items())),
        )

    def _hand_over(self, local: DriverState, index: int) -> Step:
        event = self._events[index]
        busy = [copy for at, copy in local.in_flight if at == index]
        copy = next(number for number in range(len(busy) + 1) if number not in busy)
        after = self._counted(local, index)
        number = after.counts[index] if after.counts else 0
        if isinstance(event, HttpRequest):
            after = self._flying(after, index, copy)
            begin = Begin(index, copy, number, local.now_ms)
            return Step(after, ((request_address(event.name, copy), begin),))
        if isinstance(event, DirectCall | FireSchedule):
            after = self._flying(after, index, 0)
            effect = _effect(event)
            target = self._route(effect).target
            back = Return(DRIVER, "", index, Fate.NORMAL)
            perform = Perform(effect, back, local.now_ms, event.name)
            return Step(after, ((target, perform),), (self._note(event, RecordKind.START, ""),))
        return Step(self._ended(after, index))

    def _counted(self, local: DriverState, index: int) -> DriverState:
        counts = local.counts
        if counts:
            counts = (*counts[:index], counts[index] + 1, *counts[index + 1 :])
        return replace(local, counts=counts)

    def _flying(self, local: DriverState, index: int, copy: int) -> DriverState:
        return replace(local, in_flight=tuple(sorted((*local.in_flight, (index, copy)))))

    def _advanced(self, local: DriverState, index: int) -> DriverState:
        """The state once an event has been handed over for the first time."""
        taken = tuple(sorted((*local.taken, index)))
        following = local.next_index
        while following in taken:
            following += 1
        taken = tuple(each for each in taken if each > following)
        is_last = following >= len(self._events)
        is_same = not is_last and self._group(following) == self._group(index) != 0
        # The others of a group are due as soon as one of it has come.
        left = 0 if is_same else self._pause_before(following, local.elapsed_ms)
        elapsed = local.elapsed_ms if following < self._last_firing else 0
        return replace(local, next_index=following, taken=taken, left_ms=left, elapsed_ms=elapsed)

    def _ended(self, local: DriverState, index: int) -> DriverState:
        ended = local.ended
        if index in self._waits_for and index not in ended:
            ended = tuple(sorted((*ended, index)))
        return replace(local, ended=ended)

    def _open(self, local: DriverState) -> list[int]:
        """Events that may happen next: the first that has not, and the others of its group."""
        first = local.next_index
        if first >= len(self._events):
            return []
        group = self._group(first)
        candidates = [first]
        if group:
            rest = range(first + 1, len(self._events))
            candidates += [i for i in rest if self._group(i) == group and i not in local.taken]
        return [
            index
            for index in candidates
            if self._waits_for[index] is None or self._waits_for[index] in local.ended
        ]

    def _group(self, index: int) -> int:
        return self._events[index].timing.group

    def _pause_before(self, index: int, elapsed_ms: int) -> int:
        if index >= len(self._events):
            return 0
        event = self._events[index]
        if isinstance(event, FireSchedule):
            return max(0, event.due_ms - elapsed_ms)
        timing = event.timing
        return 0 if index == 0 and not timing.has_time else timing.after_ms

    def _note(self, event: DriverEvent, kind: RecordKind, text: str) -> Note:
        return Note(kind=kind, activation=event.name, source=event.name, text=text)


def _effect(event: DirectCall | FireSchedule) -> Effect:
    """The call that an event makes."""
    target = f"Workflow:{event.binding}"
    if isinstance(event, DirectCall):
        return Effect(1, EffectKind.CALL, target, event.operation, event.args)
    schedule: Plain = {"cron": event.cron, "scheduledTime": event.scheduled_ms}
    args = encode({"id": event.instance_id, "options": {"schedule": schedule}})
    return Effect(1, EffectKind.CALL, target, "scheduled", args)


def request_address(name: str, copy: int) -> Address:
    """Address of one delivery of a request."""
    return ("request", name, str(copy))
