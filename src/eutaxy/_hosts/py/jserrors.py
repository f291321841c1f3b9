"""JavaScript errors."""
# ruff: noqa: N802 - names of JavaScript's own methods

from __future__ import annotations

from typing import Any

from eutaxy._hosts.py.jsvalues import JsConstructor, JsProxy, js_text


class JsException(JsProxy, Exception):
    """A JavaScript error, both as a value and as the exception that Python code catches.

    Args:
        name: Its `name`.
        message: Its `message`.
        stack: Its `stack`.
        properties: Own properties beyond those three.
    """

    def __init__(
        self,
        name: str = "Error",
        message: str = "",
        stack: str = "",
        properties: dict[str, Any] | None = None,
    ) -> None:
        Exception.__init__(self, name, message)
        self.name = name
        self.message = message
        self.stack = stack
        self.properties = properties if properties is not None else {}

    @property
    def constructor(self) -> Any:
        """The built-in class that its name names, else Error."""
        return ERROR_CONSTRUCTORS.get(self.name, ERROR_CONSTRUCTORS["Error"])

    @property
    def js_error(self) -> JsException:
        """The error itself; older code asks for it."""
        return self

    def __getattr__(self, name: str) -> Any:
        properties = self.__dict__.get("properties")
        if properties is not None and name in properties:
            return properties[name]
        raise AttributeError(name)

    def __str__(self) -> str:
        if not self.message:
            return self.name
        return f"{self.name}: {self.message}" if self.name else self.message

    def toString(self) -> str:
        """`name: message`."""
        return str(self)


BUILT_IN_ERRORS = (
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
)


def _error_constructor(name: str) -> JsConstructor:
    return JsConstructor(name, lambda message="", **_: JsException(name, js_text(message)))


ERROR_CONSTRUCTORS = {name: _error_constructor(name) for name in ("Error", *BUILT_IN_ERRORS)}


def js_error(name: str, message: str) -> JsException:
    """An error that the platform throws into Python code."""
    return JsException(name, message)
