"""Runs a Python scenario file and writes what it declares, as JSON, on the last line of stdout.

A script of its own, run in a child process: `python evaluate_scenario.py <scenario> <packages>`,
where `packages` is the folder that holds eutaxy, for interpreters that would not find it.
"""

from __future__ import annotations

import difflib
import inspect
import json
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

_UNKNOWN_KEYWORD = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")


def main(scenario: str, packages: str) -> None:
    """Run the scenario and answer."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Prints of the scenario must not mix with the answer.
    os.dup2(2, 1)
    sys.path.append(packages)
    path = Path(scenario)
    try:
        result: dict[str, object] = {"declared": [*scenarios_of(executed(path), [])]}
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the user's file raises is the answer
        result = {"threw": thrown(error, path.parent)}
    answer.write(f"\n{json.dumps(result)}\n")
    answer.close()


def executed(path: Path) -> ModuleType:
    """The scenario file as a module; modules beside it can be imported."""
    sys.path[0] = str(path.parent)
    module = ModuleType(re.sub(r"\W", "_", path.stem))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 - running the user's file is what this is for
    return module


def functions_of(path: Path) -> list[Callable[..., object]]:
    """The functions in the scenarios of a file, by the numbers that they have there."""
    functions: list[Callable[..., object]] = []
    for _ in scenarios_of(executed(path), functions):
        pass
    return functions


def scenarios_of(
    module: ModuleType, functions: list[Callable[..., object]]
) -> Iterator[dict[str, object]]:
    """Each scenario that a variable of the module holds, with the names of its variables.

    Args:
        module: The scenario file, executed.
        functions: Gets the functions that stand in the scenarios; there they have their number.
    """
    from eutaxy._base.declaration import Declaration  # noqa: PLC0415 - needs the path set above

    names: dict[int, list[str]] = {}
    found: dict[int, Declaration] = {}
    for name, value in vars(module).items():
        if isinstance(value, Declaration) and value.kind == "scenario":
            found[id(value)] = value
            names.setdefault(id(value), []).append(name)
    for key, value in found.items():
        yield {"names": names[key], "scenario": _portable(value, functions, ())}


def _portable(
    value: object, functions: list[Callable[..., object]], above: tuple[int, ...]
) -> object:
    """JSON keeps only some values; what it would change is named, so that it can be refused."""
    from eutaxy._base.declaration import Declaration  # noqa: PLC0415 - needs the path set above

    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _odd(repr(value))
    if id(value) in above:
        return _odd("an object that contains itself")
    inside = (*above, id(value))
    if isinstance(value, Declaration):
        members = {
            name: _portable(member, functions, inside) for name, member in value.members.items()
        }
        return {"$eutaxy": value.kind, "place": value.place, **members}
    if isinstance(value, Mapping):
        return {
            str(key): _portable(member, functions, inside)
            for key, member in value.items()
            if member is not None
        }
    if isinstance(value, (list, tuple)):
        return [_portable(item, functions, inside) for item in value]
    if callable(value):
        if not any(value is each for each in functions):
            functions.append(value)
        number = next(at for at, each in enumerate(functions) if each is value)
        return {"$eutaxy": "function", "number": number}
    return _odd(f"a {type(value).__name__}")


def _odd(what: str) -> dict[str, object]:
    return {"$eutaxy": "odd", "what": what}


def thrown(error: BaseException, folder: Path) -> dict[str, str]:
    """What was raised, for messages."""
    told = {
        "name": type(error).__name__,
        "message": str(error),
        "place": _place(error, folder),
        "hint": _hint(error),
    }
    if isinstance(error, SyntaxError):
        told["message"] = error.msg
    return told


def _place(error: BaseException, folder: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno or 1}:{error.offset or 1}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(folder)
    ]
    if not frames:
        return ""
    last = frames[-1]
    return f"{last.filename}:{last.lineno or 1}:{(last.colno or 0) + 1}"


def _hint(error: BaseException) -> str:
    """The keyword that was probably meant by one that a scenario function does not have."""
    unknown = _UNKNOWN_KEYWORD.search(str(error)) if isinstance(error, TypeError) else None
    function = getattr(sys.modules.get("eutaxy.cloudflare"), unknown[1], None) if unknown else None
    if unknown is None or function is None:
        return ""
    keywords = [*inspect.signature(function).parameters]
    close = difflib.get_close_matches(unknown[2], keywords, n=1)
    return f"did you mean {close[0]}?" if close else f"it takes {', '.join(keywords)}"


if __name__ == "__main__":
    main(*sys.argv[1:])
