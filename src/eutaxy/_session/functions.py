"""Functions of the scenario file: called in a process of its language, and remembered.

Predicates, dedupe keys and services with state are code of the user that the model asks again and
again. They must be pure: what they return is remembered for each argument, so a function is called
once for each, and `evaluate_again` calls all of them a second time, in another order, in a process
of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eutaxy._base.scenario import FunctionRef, Scenario
from eutaxy._base.value import Value, decode, encode
from eutaxy._hosts.bundle import Bundle
from eutaxy._hosts.process import HostDied, HostHung, HostProcess
from eutaxy._hosts.toolchain import Node
from eutaxy._session.evaluate import (
    NODE_ENVIRONMENT,
    PYTHON_ENVIRONMENT,
    ScenarioFile,
    node_command,
    python_command,
    threw_in_javascript,
    threw_in_python,
)
from eutaxy._session.function_uses import shortened, uses_of
from eutaxy.errors import ScenarioError

_HOST_JS = Path(__file__).parent.parent / "_hosts" / "js"
_JS = Path(__file__).parent / "js"
_SCRIPTS = (
    _JS / "call_functions.mjs",
    _JS / "declarations.mjs",
    _HOST_JS / "codec.cjs",
    _HOST_JS / "streams.cjs",
    _HOST_JS / "frames.cjs",
)
_PYTHON_SCRIPT = Path(__file__).parent / "py" / "call_functions.py"
_DEADLINE_S = 5.0


class WayToCall(Protocol):
    """The language of a scenario, as far as calling its functions needs it."""

    def command(self) -> list[str]:
        """Program and arguments of the child."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of the child."""
        ...

    def threw(self, doing: str, threw: Mapping[str, str]) -> ScenarioError:
        """The error about what a function threw; its place is empty when it is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class InJavaScript:
    """Functions of a TypeScript or JavaScript scenario."""

    file: ScenarioFile
    bundled: Bundle
    node: Callable[[], Node]

    def command(self) -> list[str]:
        """Program and arguments of the child."""
        return node_command(self.node(), self.bundled, _SCRIPTS)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of the child."""
        return NODE_ENVIRONMENT

    def threw(self, doing: str, threw: Mapping[str, str]) -> ScenarioError:
        """The error about what a function threw."""
        return threw_in_javascript(self.file, doing, threw, self.bundled)


@dataclass(frozen=True, slots=True)
class InPython:
    """Functions of a Python scenario."""

    file: ScenarioFile

    def command(self) -> list[str]:
        """Program and arguments of the child."""
        return python_command(self.file, _PYTHON_SCRIPT)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of the child."""
        return PYTHON_ENVIRONMENT

    def threw(self, doing: str, threw: Mapping[str, str]) -> ScenarioError:
        """The error about what a function raised."""
        return threw_in_python(self.file, doing, threw)


class Functions:
    """The functions of one scenario.

    The child process starts when a function is first called.

    Args:
        scenario: The scenario, which says where its functions are used.
        way: How functions in its language are called.
    """

    def __init__(self, scenario: Scenario, way: WayToCall) -> None:
        self._uses = uses_of(scenario)
        self._way = way
        self._folder = str(Path(scenario.path).absolute().parent)
        self._process: HostProcess | None = None
        self._remembered: dict[tuple[FunctionRef, Value], Value] = {}

    def call(self, function: FunctionRef, argument: Value) -> Value:
        """What the function returns for an argument, in the form of `_base.scenario`.

        Raises:
            ScenarioError: It threw, hung, or gave something that it must not give.
        """
        key = (function, argument)
        known = self._remembered.get(key)
        if known is None:
            self._process = self._process or self._child()
            known = self._asked(self._process, function, argument)
            self._remembered[key] = known
        return known

    def evaluate_again(self) -> None:
        """Call everything a second time, last call first, in a child of its own.

        Raises:
            ScenarioError: A function returned something else than the first time.
        """
        process = self._child()
        try:
            for (function, argument), known in reversed(self._remembered.items()):
                again = self._asked(process, function, argument)
                if again != known:
                    raise self._uses[function].wrong(
                        f"it returned {shortened(known)} at first and {shortened(again)} the "
                        f"second time, both times for {shortened(argument)}",
                        "make it depend on nothing but what it is given",
                    )
        finally:
            process.close()

    def close(self) -> None:
        """End the child process, if there is one."""
        if self._process is not None:
            self._process.close()

    def _child(self) -> HostProcess:
        return HostProcess(
            "the process of the scenario's functions",
            self._way.command(),
            self._way.environment,
            cwd=self._folder,
            deadline_s=_DEADLINE_S,
        )

    def _asked(self, process: HostProcess, function: FunctionRef, argument: Value) -> Value:
        use = self._uses[function]
        try:
            answer = process.ask({"number": function, "argument": argument})
        except HostHung:
            raise use.wrong(
                f"it did not return within {_DEADLINE_S:g} s", "look for an endless loop"
            ) from None
        except HostDied as died:
            raise use.wrong(died.found, "a scenario must not end its process") from None
        if "threw" in answer:
            error = self._way.threw(use.doing, answer["threw"])
            error.place = error.place or use.place
            raise error
        if "odd" in answer:
            raise use.wrong(f"it returns {answer['odd']}", f"return {use.wanted} at once")
        returned = decode(Value(answer["value"]))
        given = use.given(returned, argument)
        if given is None:
            found = f"it returns {shortened(encode(returned))}, but must return {use.wanted}"
            raise use.wrong(found, f"return {use.wanted}")
        return given
