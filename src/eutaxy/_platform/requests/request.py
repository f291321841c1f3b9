"""One delivery of a driver request: an invocation of the Worker's `fetch` handler.

A request is one fiber. It ends when the handler has answered and no `waitUntil` work is open (WU1).
Calls that were issued but not awaited when the handler answered have left the Worker: they still
happen, unheard (WU3).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from eutaxy._base.code import (
    NO_LIFE,
    Answer,
    LifeId,
    Outcome,
    Reaction,
    Read,
    RequestEntry,
    Returned,
    UserCode,
)
from eutaxy._base.note import Note
from eutaxy._base.observation import Happened
from eutaxy._base.record import RecordKind
from eutaxy._base.requests import response_view, segments_of
from eutaxy._base.scenario import HttpRequest, Seen
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._platform.call import (
    LOST,
    UNANSWERED,
    UNAPPLIED,
    Act,
    Answered,
    BeginOutage,
    Deferred,
    Fate,
    Hear,
    Launch,
    Observers,
    Out,
    Perform,
    Return,
    Router,
    unapplied_outcome,
)
from eutaxy._platform.fiber import (
    LATE_MS,
    Fiber,
    Phase,
    fiber_choices,
    fiber_tick,
    fiber_timer,
    pending_of,
)
from eutaxy._platform.requests.driver import DRIVER, request_address
from eutaxy._platform.requests.messages import Begin, Ended
from eutaxy._world.component import Choice, Local, Step

FETCH_PROGRAM = "fetch"
"""Under this name the code of the request handler is known to `UserCode.reads`."""

ROOT = ""
"""Name of the only fiber."""


@dataclass(frozen=True, slots=True)
class RequestState:
    """A delivery under way; `is_fresh` until its first effect or observation."""

    index: int
    copy: int
    fiber: Fiber
    is_fresh: bool = True
    now_ms: int = 0
    life: LifeId = NO_LIFE


class Request:
    """The component of one delivery slot of one request.

    Args:
        request: What is handed over.
        copy: Which delivery slot.
        code: The user's code.
        route: Finds the route of a call.
        observers: Who wants to hear of its response.
        is_end_noticed: Whether something depends on the moment in which it ends.
    """

    def __init__(
        self,
        request: HttpRequest,
        copy: int,
        code: UserCode,
        route: Router,
        observers: Observers,
        *,
        is_end_noticed: bool = False,
    ) -> None:
        self._request = request
        self._is_end_noticed = is_end_noticed
        self._observers = observers
        self._code = code
        self._route = route
        self._address = request_address(request.name, copy)
        self._source = "/".join(self._address)

    def initial(self) -> Local:
        """Not under way."""
        return None

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """What may happen to its pending effects."""
        assert isinstance(local, RequestState)
        return tuple(
            fiber_choices(
                ROOT,
                local.fiber,
                self._route,
                can_crash=True,
                can_crash_before=local.is_fresh,
            )
        )

    def is_running(self, local: Local) -> bool:
        """While a call is outstanding."""
        return isinstance(local, RequestState) and local.fiber.is_busy

    def next_timer(self, local: Local) -> int | None:
        """Timers of the handler."""
        assert isinstance(local, RequestState)
        return fiber_timer(local.fiber)

    def tick(self, local: Local, ms: int) -> Local:
        """Time passes."""
        assert isinstance(local, RequestState)
        now = local.now_ms + ms if Read.CLOCK in self._code.reads(FETCH_PROGRAM) else 0
        return replace(local, fiber=fiber_tick(local.fiber, ms), now_ms=now)

    def on(self, local: Local, message: Hashable) -> Step:
        """Begin, take a choice, or hear an answer."""
        if isinstance(message, Begin):
            return self._begin(message)
        if not isinstance(local, RequestState):
            assert isinstance(message, Answered | Deferred)
            return Step(None)
        if isinstance(message, Act):
            return self._act(local, message)
        if isinstance(message, Hear):
            return self._hear(local, message.ordinal)
        if isinstance(message, Deferred):
            sent = replace(local.fiber.find(message.back.ordinal), phase=Phase.SENT)
            return Step(replace(local, fiber=local.fiber.with_pending(sent)))
        assert isinstance(message, Answered)
        return self._answered(local, message)

    # -- life ---------------------------------------------------------------------------------

    def _begin(self, begin: Begin) -> Step:
        reads = self._code.reads(FETCH_PROGRAM)
        request = self._request
        salt = f"{request.name}/{begin.number}" if Read.RANDOM in reads else ""
        entry = RequestEntry(
            handler="fetch", request=request_value(request), now_ms=begin.now_ms, salt=salt
        )
        reaction = self._code.start(entry)
        local = RequestState(begin.index, begin.copy, Fiber(reaction.node), now_ms=begin.now_ms)
        start = self._note(RecordKind.START, f"{request.method} {request.url}")
        return self._absorb(local, reaction, [start])

    def _absorb(self, local: RequestState, reaction: Reaction, notes: list[Note]) -> Step:
        fiber = local.fiber
        pending = (*fiber.pending, *(pending_of(effect) for effect in reaction.effects))
        outcome = reaction.outcome if fiber.outcome is None else fiber.outcome
        told: tuple[Out, ...] = ()
        if reaction.outcome is not None:
            notes.append(self._end_note(reaction.outcome))
            told = self._response_told(reaction.outcome)
        fiber = Fiber(reaction.node, pending, outcome, reaction.is_held)
        fiber = fiber.without_all(reaction.cancelled)
        step = self._settled(replace(local, fiber=fiber, life=reaction.life), notes)
        return replace(step, out=(*told, *step.out))

    def _response_told(self, outcome: Outcome) -> tuple[Out, ...]:
        observers = self._observers(Seen.RESPONSE, "", self._request.name)
        if not observers or not isinstance(outcome, Returned):
            return ()
        path = urlsplit(self._request.url).path
        request: dict[str, Plain] = {
            "request": self._request.name,
            "method": self._request.method,
            "path": path,
            "segments": segments_of(path),
        }
        happened = Happened(
            seen=Seen.RESPONSE,
            target="",
            operation=self._request.name,
            path=path,
            view=encode({**request, **response_view(outcome.value)}),
            shown=f"response to {self._request.name}",
            origin=self._request.name,
        )
        return tuple((observer, happened) for observer in observers)

    def _settled(self, local: RequestState, notes: list[Note]) -> Step:
        fiber = local.fiber
        if fiber.outcome is not None and not fiber.is_held:
            unheard = tuple(each for each in fiber.pending if each.phase is Phase.NEW)
            if not unheard:
                ended = Ended(local.index, local.copy, is_good_answer(fiber.outcome))
                return Step(None, ((DRIVER, ended),), tuple(notes))
            local = replace(local, fiber=replace(fiber, pending=unheard))
        return Step(local, (), tuple(notes))

    def _act(self, local: RequestState, act: Act) -> Step:
        effect = local.fiber.find(act.ordinal).effect
        route = self._route(effect)
        target, shown = route.target, route.shown
        if act.fate is Fate.CRASH_BEFORE:
            return self._crash(local, act.fate, shown, is_before=True)
        if act.fate is Fate.CRASH_IN_FLIGHT:
            crashed = self._crash(local, act.fate, shown, is_before=True)
            launch = Launch(effect, self._request.name, local.now_ms, self._origin(act.ordinal))
            return Step(None, (*crashed.out, (target, launch)), crashed.notes)
        if act.fate in UNAPPLIED:
            outcome = unapplied_outcome(act)
            notes = [
                self._effect_note(local, act.ordinal, shown, outcome),
                self._fault_note(act.fate, shown),
            ]
            step = self._observe(replace(local, is_fresh=False), act.ordinal, outcome, notes)
            began = ((target, BeginOutage()),) if act.fate is Fate.OUTAGE else ()
            return replace(step, out=(*began, *step.out))
        back = Return(self._address, ROOT, act.ordinal, act.fate)
        perform = Perform(effect, back, local.now_ms, self._origin(act.ordinal))
        return Step(replace(local, is_fresh=False), ((target, perform),))

    def _origin(self, ordinal: int) -> str:
        """The place that a call comes from, the same in every delivery."""
        return f"{self._request.name}/{ordinal}"

    def _answered(self, local: RequestState, answered: Answered) -> Step:
        ordinal, fate = answered.back.ordinal, answered.back.fate
        shown, outcome = answered.shown, answered.outcome
        if not local.fiber.expects(answered, self._route):
            return Step(local)
        notes = [self._effect_note(local, ordinal, shown, outcome)]
        if fate is not Fate.NORMAL:
            notes.append(self._fault_note(fate, shown))
        match fate:
            case Fate.CRASH_AFTER:
                return self._crash(local, fate, shown, is_before=False, notes=notes)
            case Fate.ANSWER_LATE:
                late = replace(
                    local.fiber.find(ordinal),
                    phase=Phase.LATE,
                    outcome=outcome,
                    left_ms=LATE_MS + answered.latency_ms,
                )
                waiting = replace(local, fiber=local.fiber.with_pending(late))
                if self._ends_silently(waiting.fiber, local):
                    # All that is left is to hear the answer and reply: when makes no difference.
                    return self._observe(local, ordinal, outcome, notes)
                return self._settled(waiting, notes)
            case _:
                outcome = LOST if fate in UNANSWERED else outcome
        if answered.latency_ms and outcome is not LOST:
            travelling = replace(
                local.fiber.find(ordinal),
                phase=Phase.TRAVEL,
                outcome=outcome,
                left_ms=answered.latency_ms,
            )
            fiber = local.fiber.with_pending(travelling)
            return self._settled(replace(local, fiber=fiber), notes)
        if local.fiber.without(ordinal).is_busy:
            landed = replace(local.fiber.find(ordinal), phase=Phase.LANDED, outcome=outcome)
            return self._settled(replace(local, fiber=local.fiber.with_pending(landed)), notes)
        return self._observe(local, ordinal, outcome, notes)

    def _ends_silently(self, fiber: Fiber, local: RequestState) -> bool:
        if self._is_end_noticed or len(fiber.pending) != 1 or fiber.outcome is not None:
            return False
        pending = fiber.pending[0]
        assert pending.outcome is not None
        answer = Answer(pending.effect.ordinal, pending.outcome, local.now_ms)
        reaction = self._code.move(local.life, fiber.node, answer)
        return reaction.outcome is not None and not reaction.effects and not reaction.is_held

    def _hear(self, local: RequestState, ordinal: int) -> Step:
        pending = local.fiber.find(ordinal)
        outcome = pending.outcome if pending.outcome is not None else TIMER_FIRED
        return self._observe(replace(local, is_fresh=False), ordinal, outcome, [])

    def _observe(
        self, local: RequestState, ordinal: int, outcome: Outcome, notes: list[Note]
    ) -> Step:
        fiber = local.fiber
        if fiber.outcome is not None and not fiber.is_held:
            return self._settled(replace(local, fiber=fiber.without(ordinal)), notes)
        reaction = self._code.move(local.life, fiber.node, Answer(ordinal, outcome, local.now_ms))
        return self._absorb(replace(local, fiber=fiber.without(ordinal)), reaction, notes)

    def _crash(
        self,
        local: RequestState,
        fate: Fate,
        shown: str,
        *,
        is_before: bool,
        notes: list[Note] | None = None,
    ) -> Step:
        told = notes if notes is not None else [self._fault_note(fate, shown, is_before=is_before)]
        # What is left of a handler that has answered may die; its client has the answer.
        outcome = local.fiber.outcome
        is_answered = outcome is not None and is_good_answer(outcome)
        ended = Ended(local.index, local.copy, is_answered)
        return Step(None, ((DRIVER, ended),), tuple(told))

    # -- telling ------------------------------------------------------------------------------

    def _note(self, kind: RecordKind, text: str) -> Note:
        return Note(kind=kind, activation=self._request.name, source=self._source, text=text)

    def _end_note(self, outcome: Outcome) -> Note:
        text = "answered" if isinstance(outcome, Returned) else "threw"
        return replace(self._note(RecordKind.END, text), answer=outcome.value)

    def _effect_note(self, local: RequestState, ordinal: int, shown: str, outcome: Outcome) -> Note:
        effect = local.fiber.find(ordinal).effect
        note = self._note(RecordKind.EFFECT, shown)
        return replace(note, args=effect.args, answer=outcome.value, place=effect.place)

    def _fault_note(self, fate: Fate, shown: str, *, is_before: bool = False) -> Note:
        assert fate.fault is not None
        note = self._note(RecordKind.FAULT, fate.value)
        return replace(note, fault=fate.fault, struck=shown, is_before=is_before)


TIMER_FIRED = Returned(Value('{"$":"undefined"}'))


def request_value(request: HttpRequest) -> Value:
    """The request as the handler is given it."""
    tree = encode(
        {
            "url": request.url,
            "method": request.method,
            "headers": dict(request.headers),
            "body": None,
        }
    )
    return Value(tree.removesuffix("null}") + request.body + "}")


def is_good_answer(outcome: Outcome) -> bool:
    """Whether a client that repeats until it is answered is content."""
    if not isinstance(outcome, Returned):
        return False
    tree = decode(outcome.value)
    status = tree.get("status") if isinstance(tree, dict) else None
    return isinstance(status, int) and status < 500
