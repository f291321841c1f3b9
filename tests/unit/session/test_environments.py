"""What an environment of a wrangler config takes from the top level, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eutaxy._session.wrangler import WranglerConfig, read_wrangler
from eutaxy.errors import ScenarioError

FLOW = {"name": "order-flow", "binding": "ORDERS", "class_name": "OrderFlow"}
CONFIG = {
    "$schema": "node_modules/wrangler/config-schema.json",
    "name": "shop",
    "main": "src/worker.ts",
    "compatibility_date": "2026-10-01",
    "compatibility_flags": ["nodejs_compat"],
    "workflows": [FLOW],
    "vars": {"LIMIT": 5, "MODE": "top"},
    "define": {"VERSION": '"1"'},
    "alias": {"fs": "./fs.ts"},
    "kv_namespaces": [{"binding": "SESSIONS", "id": "x"}],
    "logfwdr": {"bindings": [{"name": "LOGS", "destination": "d"}]},
    "env": {
        "staging": {
            "vars": {"MODE": "staging"},
            "workflows": [{**FLOW, "name": "order-flow-staging"}],
        },
        "bare": {},
        "own": {
            "name": "other",
            "main": "src/other.ts",
            "compatibility_date": "2026-01-01",
            "compatibility_flags": [],
            "define": {"VERSION": '"2"'},
        },
        "wrong": {"alias": {"fs": "./other.ts"}},
    },
}
TOML = """\
name = "shop"
main = "src/worker.ts"
compatibility_date = 2026-10-01

[vars]
MODE = "top"

[env.staging.vars]
MODE = "staging"

[[env.staging.workflows]]
name = "order-flow"
binding = "ORDERS"
class_name = "OrderFlow"
"""


def _read(folder: Path, environment: str, config: Any = CONFIG) -> WranglerConfig:
    is_text = isinstance(config, str)
    file = folder / ("wrangler.toml" if is_text else "wrangler.json")
    file.write_text(config if is_text else json.dumps(config, indent=1), encoding="utf-8")
    return read_wrangler(file, file.name, environment)


def test_the_top_level_does_not_see_its_environments(tmp_path: Path) -> None:
    config = _read(tmp_path, "")
    assert config.name == "shop"
    assert config.variables == {"LIMIT": 5, "MODE": "top"}
    assert config.environments == ("staging", "bare", "own", "wrong")


def test_bindings_and_variables_are_not_inherited(tmp_path: Path) -> None:
    config = _read(tmp_path, "staging")
    assert config.variables == {"MODE": "staging"}
    assert [workflow.name for workflow in config.workflows] == ["order-flow-staging"]
    assert config.bundling["define"] == {}
    assert config.unmodelled == {"LOGS": "logfwdr"}


def test_the_rest_is_inherited_and_the_name_gets_a_suffix(tmp_path: Path) -> None:
    config = _read(tmp_path, "bare")
    assert config.name == "shop-bare"
    assert config.main == str(tmp_path / "src" / "worker.ts")
    assert config.compatibility_date == "2026-10-01"
    assert config.compatibility_flags == ("nodejs_compat",)
    assert config.bundling["alias"] == {"fs": str(tmp_path / "fs.ts")}
    assert config.workflows == ()


def test_what_an_environment_says_itself_comes_first(tmp_path: Path) -> None:
    config = _read(tmp_path, "own")
    assert config.name == "other"
    assert config.main == str(tmp_path / "src" / "other.ts")
    assert config.compatibility_date == "2026-01-01"
    assert config.compatibility_flags == ()
    assert config.bundling["define"] == {"VERSION": '"2"'}


def test_toml(tmp_path: Path) -> None:
    config = _read(tmp_path, "staging", TOML)
    assert (config.name, config.variables) == ("shop-staging", {"MODE": "staging"})
    assert config.place_of("MODE") == "wrangler.toml:9"
    assert config.place_of("ORDERS") == "wrangler.toml:13"
    assert _read(tmp_path, "", TOML).place_of("MODE") == "wrangler.toml:6"


@pytest.mark.parametrize(
    ("environment", "config", "says"),
    [
        ("stagin", CONFIG, 'no environment "stagin" (did you mean `staging`?)'),
        ("staging", {"name": "shop"}, 'no environment "staging"'),
        ("wrong", CONFIG, "`alias`, which only the top level may have"),
        ("staging", {**CONFIG, "legacy_env": False}, "service environments"),
        ("staging", {"env": {"staging": []}}, "must be an object"),
    ],
)
def test_what_is_refused(tmp_path: Path, environment: str, config: Any, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        _read(tmp_path, environment, config)
    assert says in caught.value.found
    assert caught.value.place


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"pages_build_output_dir": "./dist"}, "Pages project"),
        ({"no_bundle": True}, "`no_bundle` is not modelled"),
        ({"cache": {"enabled": True}}, "`cache` lets answers come"),
        ({"main": "worker.py", "compatibility_flags": []}, "python_workers is missing"),
        ({"rules": [{"type": "Texts", "globs": ["**/*.md"]}]}, "the type 'Texts'"),
        ({"rules": [{"type": "Text", "globs": ["docs/*"]}]}, "does not end with a file extension"),
        ({"rules": [{"type": "Text"}]}, "globs is null"),
        ({"secrets": {"required": "KEY"}}, "required is 'KEY'"),
        ({"vars": {"ORDERS": 1}}, "ORDERS is the name of a variable and of a workflow"),
    ],
)
def test_what_changes_behaviour_and_is_not_followed_is_refused(
    tmp_path: Path, entry: dict[str, Any], says: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        _read(tmp_path, "", {**CONFIG, **entry})
    assert says in caught.value.found
    assert caught.value.remedy
