"""Running the command line in this process, with a stand-in for the session where a test needs one."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from eutaxy._cli.main import main
from tests.cli.scripted import Ended, Run, ScriptedSession


@pytest.fixture
def eutaxy(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the program with the given arguments."""

    def run(*arguments: str) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(code=int(ended.value.code), out=out, err=err)

    return run


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> ScriptedSession:
    """Put a scripted session in the place of the real one."""
    scripted = ScriptedSession()
    module = ModuleType("eutaxy._session.session")
    monkeypatch.setattr(module, "check", scripted.check, raising=False)
    monkeypatch.setattr(module, "replay", scripted.replay, raising=False)
    monkeypatch.setitem(sys.modules, "eutaxy._session.session", module)
    return scripted
