"""The program `eutaxy`: its commands, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import signal
import sys
import traceback
from collections.abc import Sequence

import click

from eutaxy import __version__
from eutaxy._cli.check import check_command
from eutaxy._cli.init import init_command
from eutaxy._cli.interrupts import Interrupted
from eutaxy._cli.output import discard, open_closed_streams
from eutaxy._cli.replay import replay_command
from eutaxy._cli.verify import verify_command
from eutaxy._report.failure import REPORT_REQUEST, failure_text
from eutaxy.errors import EutaxyError, ExitCode, ScenarioError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Exit codes: 0 BOUNDED, 1 VIOLATED, 2 the scenario or the command line cannot be used, "
        "3 INCONCLUSIVE, 4 UNFAITHFUL or not modelled, 70 a bug in eutaxy, 130 interrupted "
        "(Ctrl-C) before all was covered or a violation was met."
    ),
)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s", prog_name="eutaxy")
def commands() -> None:
    """Check a Cloudflare Worker against every misfortune that the platform allows."""


commands.add_command(check_command)
commands.add_command(init_command)
commands.add_command(replay_command)
commands.add_command(verify_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code.

    Args:
        arguments: What follows the program's name; None takes it from the process.

    Raises:
        SystemExit: Always.
    """
    # First of all: a pipe must not take the number of a stream that is closed.
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # Reports hold text of users; the same bytes must come out whatever the locale says.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    # Not `commands.main`: it would turn a closed pipe into exit code 1, which says VIOLATED, and an
    # EOFError of ours into an interruption.
    try:
        with commands.make_context("eutaxy", arguments) as context:
            code: object = commands.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort) as error:
        _say("interrupted")
        # What shells expect of a program that a signal has ended.
        return 128 + (error.number if isinstance(error, Interrupted) else signal.SIGINT)
    except EutaxyError as error:
        if error.exit_code is ExitCode.INTERNAL:
            return _internal()
        _say(failure_text(error).rstrip("\n"))
        return error.exit_code
    except OSError as error:
        return _outside(error)
    except Exception:  # noqa: BLE001 - the last resort: any escape is our bug and must say so.
        return _internal()
    assert isinstance(code, int)
    return code


def _outside(error: OSError) -> int:
    """What the machine refused, where nothing closer to it could say it better."""
    if error.errno in _NO_ROOM:
        if error.filename is None:
            discard(sys.stdout)
        where = f"{error.filename}: " if error.filename is not None else ""
        _say(f"ERROR: {where}{error.strerror}; make room, or write the output elsewhere")
        return ExitCode.USAGE
    if isinstance(error, PermissionError) and error.filename is not None:
        refused = ScenarioError(
            "using the files of this machine",
            f"{error.filename}: {error.strerror}",
            "give this user the right to use it; if it is in the cache directory of eutaxy, "
            "EUTAXY_CACHE can name another one",
        )
        _say(failure_text(refused).rstrip("\n"))
        return ExitCode.USAGE
    return _internal()


def _internal() -> int:
    error = sys.exception()
    traceback.print_exc()
    if isinstance(error, EutaxyError):
        _say("\n" + failure_text(error).rstrip("\n"))
    _say("\n" + REPORT_REQUEST)
    return ExitCode.INTERNAL


def _say(text: str) -> None:
    try:
        click.echo(text, err=True)
    except OSError:
        # Nobody can be told; the exit code still says it.
        discard(sys.stderr)
