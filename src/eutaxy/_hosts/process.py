"""A host child process: frames over two inherited pipes, a deadline for each answer, restarts.

The child holds no state that cannot be rebuilt, so a dead or hung child is simply replaced; the
caller loads the program again (see `HostProcess.on_start`).
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from eutaxy.errors import HostError, ProtocolError

DEADLINE_S = 5.0
"""Wall-clock seconds that an answer may take, unless the caller says otherwise."""

DEADLINE_VARIABLE = "EUTAXY_DEADLINE_S"
"""The environment variable that sets another deadline for a check."""


_HEAP_IS_FULL = "heap out of memory"
"""What V8 says at last when it has no memory left."""


class HostDied(HostError):
    """The child ended without answering."""


class HostHung(HostError):
    """The child gave no answer before its deadline."""


class MoveRefused(HostError):
    """The code was not where a move expects it to be: another evaluation of it was.

    Args:
        doing: As in all errors.
        found: Which effect, fiber or function is not there.
        earlier: The reactions to the start and to each move before.
    """

    def __init__(
        self, doing: str, found: str, earlier: Sequence[Sequence[Mapping[str, Any]]]
    ) -> None:
        super().__init__(doing, found, "look for an input that the platform does not control")
        self.earlier = earlier


class HostProcess:
    """One child process that speaks the host protocol.

    Args:
        what: How messages call it ("the Node host").
        command: Program and arguments; the numbers of the read and write descriptors are appended.
        env: The whole environment of the child.
        cwd: Working directory of the child.
        deadline_s: Wall-clock seconds that one answer may take.
        on_start: Called after each start, to load the program again.
    """

    def __init__(
        self,
        what: str,
        command: Sequence[str],
        env: Mapping[str, str],
        *,
        cwd: str | None = None,
        deadline_s: float = DEADLINE_S,
        on_start: Callable[[HostProcess], None] | None = None,
    ) -> None:
        self._what = what
        self._command = tuple(command)
        self._env = dict(env)
        self._cwd = cwd
        self._deadline_s = deadline_s
        self._on_start = on_start
        self._child: subprocess.Popen[bytes] | None = None
        self._read_fd = -1
        self._write_fd = -1
        self._stderr: IO[bytes] | None = None

    def ask(
        self, question: Mapping[str, Any], *, deadline_s: float | None = None
    ) -> dict[str, Any]:
        """Send one question and wait for its answer; starts the child when it is not running.

        Raises:
            HostDied: The child ended instead of answering; the next call starts a new one.
            HostHung: No answer before the deadline; the child was killed.
            ProtocolError: The answer is no frame of JSON.
        """
        self._ensure_started()
        payload = _frame_text(question)
        limit = time.monotonic() + (self._deadline_s if deadline_s is None else deadline_s)
        try:
            self._write(len(payload).to_bytes(4, "big") + payload, limit)
            length = int.from_bytes(self._read(4, limit), "big")
            answer = self._read(length, limit)
        except (BrokenPipeError, EOFError):
            raise self._died() from None
        except TimeoutError:
            self.close()
            raise HostHung(
                f"running user code in {self._what}",
                f"no answer within {self._deadline_s if deadline_s is None else deadline_s:g} s: "
                "the code loops without end, or never becomes quiet",
                "look for an endless loop or a chain of promises that never stops; if the code is "
                f"merely slow, allow it more seconds with {DEADLINE_VARIABLE}",
            ) from None
        try:
            decoded = json.loads(answer)
        except ValueError:
            decoded = None
        if not isinstance(decoded, dict):
            self.close()
            raise ProtocolError(
                f"reading an answer of {self._what}",
                f"{len(answer)} bytes that are no JSON object",
                "report this as a bug of eutaxy",
            )
        return decoded

    def close(self) -> None:
        """End the child, if it runs. The next question starts a new one."""
        child, self._child = self._child, None
        if child is None:
            return
        os.close(self._read_fd)
        os.close(self._write_fd)
        child.kill()
        child.wait()
        if self._stderr is not None:
            self._stderr.close()
            self._stderr = None

    def _ensure_started(self) -> None:
        if self._child is not None:
            return
        child_read, self._write_fd = os.pipe()
        self._read_fd, child_write = os.pipe()
        # Open for as long as the child lives; `close` closes it.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._child = subprocess.Popen(
                [*self._command, str(child_read), str(child_write)],
                env=self._env,
                cwd=self._cwd,
                stdin=subprocess.DEVNULL,
                stdout=self._stderr,
                stderr=self._stderr,
                pass_fds=(child_read, child_write),
                # Ctrl-C is for us: the child must still answer what the report needs.
                process_group=0,
            )
        except OSError as error:
            os.close(self._read_fd)
            os.close(self._write_fd)
            self._stderr.close()
            self._stderr = None
            raise HostError(
                f"starting {self._what}",
                f"{self._command[0]}: {error.strerror}",
                "check that the program exists and may be run",
            ) from None
        finally:
            os.close(child_read)
            os.close(child_write)
        os.set_blocking(self._write_fd, False)
        if self._on_start is not None:
            self._on_start(self)

    def _write(self, data: bytes, limit: float) -> None:
        view = memoryview(data)
        while view:
            _, ready, _ = select.select(
                [], [self._write_fd], [], max(0.0, limit - time.monotonic())
            )
            if not ready:
                raise TimeoutError
            view = view[os.write(self._write_fd, view) :]

    def _read(self, length: int, limit: float) -> bytes:
        parts: list[bytes] = []
        while length > 0:
            ready, _, _ = select.select([self._read_fd], [], [], max(0.0, limit - time.monotonic()))
            if not ready:
                raise TimeoutError
            part = os.read(self._read_fd, min(length, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _died(self) -> HostDied:
        assert self._child is not None
        try:
            code = self._child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            code = None
        said = ""
        if self._stderr is not None:
            self._stderr.seek(0)
            said = self._stderr.read().decode(errors="replace").strip()
        self.close()
        if _HEAP_IS_FULL in said or code == -signal.SIGKILL:
            return self._out_of_memory(is_certain=_HEAP_IS_FULL in said)
        said = said[-2000:]
        ending = "closed its pipes" if code is None else f"ended with exit code {code}"
        return HostDied(
            f"running user code in {self._what}",
            f"the process {ending} instead of answering" + (f"; it said:\n{said}" if said else ""),
            "user code must not end its process; if it did not, run again and report it as a bug",
        )

    def _out_of_memory(self, *, is_certain: bool) -> HostDied:
        found = (
            "memory ran out"
            if is_certain
            else "the process was killed from outside, as happens when the memory of the machine "
            "runs out"
        )
        return HostDied(
            f"running user code in {self._what}",
            found,
            "look for a loop without end that collects things, or for data that is too large (a "
            "Worker has 128 MB on the platform)",
        )


def _frame_text(question: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(question, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # UTF-8 has no lone surrogates, which texts of JavaScript may hold; JSON escapes them.
        return json.dumps(question, separators=(",", ":")).encode()
