"""What is remembered of user code: a trie of nodes, each reached by an observation from another.

Theory: in the factored model a node is a fiber after some observations, so what happened in other
fibers of the same lifetime is not part of it. In the unfactored model (`is_factored=False`) a
*life* is a whole activation after all its observations, and a node is merely the number of a fiber
in it. The factored model merges far more; it is right only if fibers share nothing but their
answers, which `_session/lockstep.py` tests. The trie asks the host only for what it has not seen;
the question is always complete (entry and all moves), so any host process can answer it. It can
also ask everything again, in another order and in an isolate that has served others: code that is
a pure function of its observations answers the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from eutaxy._base.code import (
    NO_LIFE,
    Effect,
    EffectKind,
    Entry,
    FibersShare,
    Invoke,
    LifeId,
    Move,
    NewRead,
    NodeId,
    Outcome,
    Reaction,
    Read,
    RequestEntry,
    Returned,
    Threw,
)
from eutaxy._base.value import Value, decode
from eutaxy._hosts.deeds import Deed, did, unfaithful
from eutaxy._hosts.process import MoveRefused
from eutaxy.errors import HostError, ProtocolError, UnfaithfulError


class Host(Protocol):
    """A process that evaluates user code (docs/host-protocol.md)."""

    def evaluate(
        self, entry: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], *, warm: bool = False
    ) -> dict[str, Any]:
        """Answer one question."""
        ...


@dataclass(slots=True)
class _Node:
    entry: dict[str, Any]
    program: str
    moves: tuple[dict[str, Any], ...]
    fiber: int
    told: dict[str, Any]


class NodeTrie:
    """Remembers user code as the pure function that it is.

    Args:
        host: Answers what is not yet known.
        keyed: What is part of the state, as (program, read).
        is_factored: Whether nodes are fibers (else whole activations).
    """

    def __init__(
        self,
        host: Host,
        keyed: frozenset[tuple[str, Read]] = frozenset(),
        *,
        is_factored: bool = True,
    ) -> None:
        self._host = host
        self._keyed = keyed
        self._is_factored = is_factored
        self._reads: dict[str, frozenset[Read]] = {}
        self._nodes: list[_Node] = []
        self._starts: dict[Entry, Reaction] = {}
        self._moves: dict[tuple[LifeId, NodeId, Move], Reaction] = {}
        self._thrown_at: dict[str, str] = {}
        self._uses: dict[int, None] | None = None
        self.questions = 0
        self.asked_of_host = 0

    def start(self, entry: Entry) -> Reaction:
        """Begin an activation."""
        self.questions += 1
        known = self._starts.get(entry)
        if known is None:
            is_request = isinstance(entry, RequestEntry)
            program = entry.handler if isinstance(entry, RequestEntry) else entry.class_name
            wire = {
                "kind": "request" if is_request else "workflow",
                "now": entry.now_ms,
                "salt": entry.salt,
            }
            if isinstance(entry, RequestEntry):
                wire |= {"handler": entry.handler, "request": entry.request}
            else:
                wire |= {"class": entry.class_name, "event": entry.event}
            known = self._evaluate(wire, program, (), 0)
            self._starts[entry] = known
        return self._used(known)

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        """Apply an observation to a fiber, or start a fiber from it."""
        self.questions += 1
        known = self._moves.get((life, node, move))
        if known is None:
            parent = self._nodes[node if self._is_factored else life]
            fiber = parent.fiber if self._is_factored else int(node)
            wire: dict[str, Any] = {"fiber": fiber, "now": move.now_ms}
            if isinstance(move, Invoke):
                wire |= {
                    "invoke": move.ordinal,
                    "part": move.part.value,
                    "argument": move.argument,
                    "salt": move.salt,
                }
                fiber = 1 + sum(1 for each in parent.moves if "invoke" in each)
            else:
                wire |= {"answer": move.ordinal, **outcome_to_wire(move.outcome)}
            known = self._evaluate(parent.entry, parent.program, (*parent.moves, wire), fiber)
            self._moves[life, node, move] = known
        return self._used(known)

    def reads(self, program: str) -> frozenset[Read]:
        """What is part of the state for a program."""
        known = self._reads.get(program)
        if known is None:
            known = frozenset(read for name, read in self._keyed if name == program)
            self._reads[program] = known
        return known

    def require(self, program: str, read: Read) -> None:
        """Make an ambient input part of the state."""
        if read not in self.reads(program):
            raise NewRead(program, read)

    def history(self, number: int) -> str:
        """What a node (in the unfactored model: a life) has observed, as a digest."""
        node = self._nodes[number]
        told = json.dumps([node.entry, node.moves, node.fiber])
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()

    def place_of(self, thrown: Value) -> str:
        """Where code threw a value first."""
        return self._thrown_at.get(_thrown_key(thrown), "")

    def evaluate_again(self, *, host: Host | None = None) -> None:
        """Ask everything a second time, backwards, in an isolate that has served before.

        Args:
            host: Answers this time; None for the one that answered first.

        Raises:
            UnfaithfulError: An answer differed; the message names the effect.
        """
        again = host if host is not None else self._host
        if again is not self._host and self._nodes:
            # An isolate of its own has yet to serve something.
            self._ask(again, self._nodes[-1].entry, self._nodes[-1].moves)
        for node in reversed(self._nodes):
            told = self._ask(again, node.entry, node.moves, warm=True)
            if did(told) != did(node.told):
                raise unfaithful(node.program, did(node.told), did(told), warm=True)

    def evaluate_often(self, work: Callable[[], object], host: Host, times: int) -> None:
        """Ask everything that some work needs so many times more, each other time warm.

        Args:
            work: Asks questions that are known already.
            host: Answers these times.
            times: How often.

        Raises:
            UnfaithfulError: An answer differed; the message names the effect.
        """
        self._uses = {}
        try:
            work()
            numbers = tuple(self._uses)
        finally:
            self._uses = None
        for time in range(times):
            is_warm = time % 2 == 1
            for node in (self._nodes[number] for number in numbers):
                told = self._ask(host, node.entry, node.moves, warm=is_warm)
                if did(told) != did(node.told):
                    raise unfaithful(node.program, did(node.told), did(told), warm=is_warm)

    def _used(self, reaction: Reaction) -> Reaction:
        if self._uses is not None:
            self._uses[int(reaction.node if self._is_factored else reaction.life)] = None
        return reaction

    def _evaluate(
        self,
        entry: dict[str, Any],
        program: str,
        moves: tuple[dict[str, Any], ...],
        fiber: int,
    ) -> Reaction:
        self.asked_of_host += 1
        told = self._ask(self._host, entry, moves)
        for name in told.get("reads", ()):
            read = Read(name)
            if read not in self.reads(program):
                raise NewRead(program, read)
        number = len(self._nodes)
        self._nodes.append(_Node(entry, program, moves, fiber, told))
        if self._is_factored:
            life, node = NO_LIFE, NodeId(number)
        else:
            life, node = LifeId(number), NodeId(fiber)
        reaction = Reaction(life, node)
        others: list[Reaction] = []
        for part in told["reactions"]:
            if "threw" in part and part.get("place"):
                self._thrown_at.setdefault(_thrown_key(part["threw"]), part["place"])
            if part["fiber"] == fiber:
                reaction = _reaction_from_wire(life, node, part)
            elif self._is_factored:
                raise FibersShare(program, _happened(part))
            else:
                others.append(_reaction_from_wire(life, NodeId(part["fiber"]), part))
        return replace(reaction, others=tuple(others)) if others else reaction

    def _ask(
        self,
        host: Host,
        entry: dict[str, Any],
        moves: tuple[dict[str, Any], ...],
        *,
        warm: bool = False,
    ) -> dict[str, Any]:
        try:
            return host.evaluate(entry, moves, warm=warm)
        except ProtocolError:
            raise
        except MoveRefused as refused:
            raise self._departed(entry, moves, refused, warm=warm) from None
        except HostError as error:
            error.doing = f"running {self._activity(entry, moves)}"
            error.place = error.place or self._last_place(entry, moves)
            raise

    def _departed(
        self,
        entry: dict[str, Any],
        moves: tuple[dict[str, Any], ...],
        refused: MoveRefused,
        *,
        warm: bool,
    ) -> UnfaithfulError:
        """The error when code went another way this time, before the last of these moves."""
        known = {
            len(node.moves): node
            for node in self._nodes
            if node.entry == entry and node.moves == moves[: len(node.moves)]
        }
        program = entry["handler" if entry["kind"] == "request" else "class"]
        for number, reactions in enumerate(refused.earlier):
            first, second = did(known[number].told), did({"reactions": reactions})
            if first != second:
                return unfaithful(program, first, second, warm=warm)
        went_on = Deed(0, "it went on with the next answer")
        return unfaithful(program, [went_on], [Deed(0, refused.found)], warm=warm)

    def _activity(self, entry: dict[str, Any], moves: tuple[dict[str, Any], ...]) -> str:
        """What runs after the last of these moves, in words."""
        calls = [number for number, move in enumerate(moves) if "invoke" in move]
        fiber = 0
        if moves:
            fiber = len(calls) if "invoke" in moves[-1] else moves[-1]["fiber"]
        if fiber == 0:
            is_request = entry["kind"] == "request"
            return f"the {entry['handler']} handler" if is_request else f"{entry['class']}.run"
        before, call = moves[: calls[fiber - 1]], moves[calls[fiber - 1]]
        step = self._effect_of(entry, before, call["fiber"], call["invoke"])
        return f"the {_PARTS[call['part']]} of step {step['name']!r}"

    def _last_place(self, entry: dict[str, Any], moves: tuple[dict[str, Any], ...]) -> str:
        """Where the effect was issued that the last of these moves answers or invokes."""
        if not moves:
            return ""
        *before, last = moves
        ordinal = last["invoke" if "invoke" in last else "answer"]
        effect = self._effect_of(entry, tuple(before), last["fiber"], ordinal)
        return str(effect.get("place", ""))

    def _effect_of(
        self, entry: dict[str, Any], before: tuple[dict[str, Any], ...], fiber: int, ordinal: int
    ) -> Mapping[str, Any]:
        for node in self._nodes:
            if node.entry != entry or node.moves != before[: len(node.moves)]:
                continue
            for part in node.told["reactions"]:
                for effect in part.get("effects", ()):
                    if (part["fiber"], effect["ordinal"]) == (fiber, ordinal):
                        found: Mapping[str, Any] = effect
                        return found
        return {"name": ""}


_PARTS = {"callback": "callback", "rollback": "rollback handler", "delay": "delay function"}


def _thrown_key(thrown: str) -> str:
    """What is left of an error on its way through a step and `run`."""
    tree = decode(Value(thrown))
    if isinstance(tree, dict) and tree.get("$") == "error":
        return str(tree["message"])
    return thrown


def _reaction_from_wire(life: LifeId, node: NodeId, part: Mapping[str, Any]) -> Reaction:
    return Reaction(
        life=life,
        node=node,
        effects=tuple(effect_from_wire(effect) for effect in part.get("effects", ())),
        outcome=outcome_from_wire(part),
        is_held=bool(part.get("held", False)),
        cancelled=tuple(part.get("cancelled", ())),
    )


def _happened(part: Mapping[str, Any]) -> str:
    effects = part.get("effects", ())
    return ", ".join(f"{each['name']} {each['operation']}" for each in effects) or "an end"


def outcome_to_wire(outcome: Outcome) -> dict[str, Value]:
    """The outcome as members of a message."""
    if isinstance(outcome, Returned):
        return {"returned": outcome.value}
    return {"threw": outcome.value}


def outcome_from_wire(part: Mapping[str, Any]) -> Outcome | None:
    """The outcome in a message, if there is one."""
    if "returned" in part:
        return Returned(Value(part["returned"]))
    if "threw" in part:
        return Threw(Value(part["threw"]))
    return None


def effect_from_wire(wire: Mapping[str, Any]) -> Effect:
    """An effect in a message."""
    try:
        return Effect(
            ordinal=wire["ordinal"],
            kind=EffectKind(wire["kind"]),
            name=wire["name"],
            operation=wire["operation"],
            args=Value(wire["args"]),
            place=wire.get("place", ""),
        )
    except (KeyError, ValueError) as error:
        raise ProtocolError(
            "reading an effect from a host",
            f"{wire!r} is no effect ({error!r})",
            "report this as a bug of eutaxy",
        ) from error
