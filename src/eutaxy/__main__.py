"""`python -m eutaxy` is `eutaxy`: what runs before anything else is imported."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the program.

    Until its modules are imported, Ctrl-C ends it as it ends any program, without a traceback.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from eutaxy._cli.main import main as run  # noqa: PLC0415 - the point of this module.

    run()


if __name__ == "__main__":
    main()
