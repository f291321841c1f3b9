"""Keeps a Python scenario loaded and calls its functions, by number.

A script of its own, run in a child process, that answers the frames of `_session/functions.py`:
`python call_functions.py <scenario> <packages> <read descriptor> <write descriptor>`.
"""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path
from typing import Any


def main(scenario: str, packages: str, read_fd: int, write_fd: int) -> None:
    """Answer questions until the parent closes the pipe."""
    sys.path.append(packages)
    # They need the path just set.
    from eutaxy._hosts.py.frames import Channel  # noqa: PLC0415
    from eutaxy._session.py import evaluate_scenario, forbidden, plain_values  # noqa: PLC0415

    # Prints of the scenario must not reach the terminal each time that it is asked.
    os.dup2(2, 1)
    forbidden.forbid_clock_and_chance()
    path = Path(scenario)
    functions = evaluate_scenario.functions_of(path)
    channel = Channel(read_fd, write_fd)

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        argument = plain_values.read(question["argument"])
        try:
            with forbidden.in_function():
                returned = functions[question["number"]](argument)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it raises is the answer
            return {"threw": evaluate_scenario.thrown(error, path.parent)}
        if inspect.iscoroutine(returned):
            returned.close()
            return {"odd": "a coroutine"}
        try:
            return {"value": plain_values.write(returned)}
        except plain_values.NotWritable as error:
            return {"odd": error.what}

    while (question := channel.receive()) is not None:
        channel.send(answer(question))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
