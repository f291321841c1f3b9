"""Secrets: the dotenv format, which files count, and which of their names the Worker gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eutaxy._session.dev_vars import expand, parse_dotenv, read_secrets
from eutaxy._session.wrangler import WranglerConfig, read_wrangler
from eutaxy.errors import ScenarioError


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV", "CLOUDFLARE_INCLUDE_PROCESS_ENV"):
        monkeypatch.delenv(name, raising=False)


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / ("." + name.replace("__", "."))).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KEY=value", {"KEY": "value"}),
        ("export KEY=value\r\nOTHER: 1\r\n", {"KEY": "value", "OTHER": "1"}),
        ("  KEY = spaced out   # a comment", {"KEY": "spaced out"}),
        ("KEY=", {"KEY": ""}),
        ("EMPTY=\nKEY=after", {"EMPTY": "", "KEY": "after"}),
        ("# KEY=1\n\nOTHER=2", {"OTHER": "2"}),
        ("KEY='a # b'  # c", {"KEY": "a # b"}),
        ('KEY="two\\nlines"', {"KEY": "two\nlines"}),
        ("KEY='two\\nwords'", {"KEY": "two\\nwords"}),
        ('KEY="one\ntwo"\nNEXT=3', {"KEY": "one\ntwo", "NEXT": "3"}),
        ('KEY=`it\'s "both"`', {"KEY": 'it\'s "both"'}),
        ('KEY={"a": 1}', {"KEY": '{"a": 1}'}),
        ("KEY=1\nKEY=2", {"KEY": "2"}),
        ("no value here", {}),
    ],
)
def test_the_format(text: str, expected: dict[str, str]) -> None:
    assert parse_dotenv(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("$HOST/x", "h.example/x"),
        ("${HOST}", "h.example"),
        ("${MISSING:-other}", "other"),
        ("${EMPTY:-other}", "other"),
        ("${HOST:+set}", "set"),
        ("${MISSING:+set}", ""),
        ("$MISSING", ""),
        ("\\$HOST", "$HOST"),
    ],
)
def test_references_are_replaced(value: str, expected: str) -> None:
    parsed = {"HOST": "h.example", "EMPTY": "", "VALUE": value}
    assert expand(parsed)["VALUE"] == expected


def test_a_reference_to_itself_ends() -> None:
    assert expand({"A": "${A:-$A}"})["A"] == ""


def test_dev_vars_takes_the_place_of_env_and_is_not_expanded(tmp_path: Path) -> None:
    _write(tmp_path, dev__vars="KEY=$OTHER", env="KEY=dot\nONLY=env")
    assert read_secrets(tmp_path, "") == {"KEY": "$OTHER"}


def test_dev_vars_of_an_environment_replaces_the_general_one(tmp_path: Path) -> None:
    _write(tmp_path, dev__vars="KEY=top\nTOP=1", dev__vars__staging="KEY=staging")
    assert read_secrets(tmp_path, "staging") == {"KEY": "staging"}
    assert read_secrets(tmp_path, "production") == {"KEY": "top", "TOP": "1"}


def test_env_files_add_up(tmp_path: Path) -> None:
    _write(
        tmp_path,
        env="A=1\nB=1\nC=1\nD=1\nALL=$A",
        env__local="B=2",
        env__staging="C=3",
        env__staging__local="D=4",
    )
    assert read_secrets(tmp_path, "") == {"A": "1", "B": "2", "C": "1", "D": "1", "ALL": "1"}
    staging = {"A": "1", "B": "2", "C": "3", "D": "4", "ALL": "1"}
    assert read_secrets(tmp_path, "staging") == staging


def test_env_files_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, env="A=1")
    monkeypatch.setenv("CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV", "false")
    assert read_secrets(tmp_path, "") == {}


def test_the_environment_of_the_process_is_refused_as_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDFLARE_INCLUDE_PROCESS_ENV", "true")
    with pytest.raises(ScenarioError, match="CLOUDFLARE_INCLUDE_PROCESS_ENV") as caught:
        read_secrets(tmp_path, "")
    assert "would depend on where it runs" in caught.value.found
    _write(tmp_path, dev__vars="A=1")
    assert read_secrets(tmp_path, "") == {"A": "1"}


def _config(folder: Path, **entries: Any) -> WranglerConfig:
    file = folder / "wrangler.json"
    file.write_text(json.dumps({"name": "shop", **entries}), encoding="utf-8")
    return read_wrangler(file, "wrangler.json")


def test_a_secret_takes_the_place_of_a_variable(tmp_path: Path) -> None:
    _write(tmp_path, dev__vars="KEY=secret")
    config = _config(tmp_path, vars={"KEY": "plain", "MODE": "x"})
    assert config.variables == {"KEY": "secret", "MODE": "x"}
    assert config.secrets == ("KEY",)


def test_named_secrets_are_the_only_ones_and_a_missing_one_is_not_modelled(tmp_path: Path) -> None:
    _write(tmp_path, dev__vars="KEY=secret\nSTRAY=1")
    config = _config(tmp_path, secrets={"required": ["KEY", "GONE"]})
    assert config.variables == {"KEY": "secret"}
    assert config.unmodelled == {"GONE": "secrets"}


def test_a_secret_with_the_name_of_a_binding_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, dev__vars="SESSIONS=1")
    with pytest.raises(ScenarioError) as caught:
        _config(tmp_path, kv_namespaces=[{"binding": "SESSIONS", "id": "x"}])
    assert "SESSIONS is the name of a binding of kv_namespaces" in caught.value.found
