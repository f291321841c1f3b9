"""Reading wrangler configs: what is kept, and what is said about those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._session.wrangler import WorkflowConfig, WranglerConfig, read_wrangler
from eutaxy.errors import ExitCode, ScenarioError

JSONC = """\
{
  // A Worker with one of everything.
  "name": "shop",
  "main": "src/worker.ts",
  "compatibility_date": "2026-10-01",
  "compatibility_flags": ["nodejs_compat"],
  "workflows": [
    { "name": "order-flow", "binding": "ORDERS", "class_name": "OrderFlow" },
    { "name": "far", "binding": "FAR", "class_name": "Far", "script_name": "other" },
  ],
  "vars": { "LIMIT": 5, "NESTED": { "a": [true, null] } },
  "kv_namespaces": [{ "binding": "SESSIONS", "id": "x" }],
  "d1_databases": [{ "binding": "DB", "database_name": "d" }],
  "r2_buckets": [{ "binding": "FILES", "bucket_name": "f" }],
  "queues": { "producers": [{ "binding": "JOBS", "queue": "q" }], "consumers": [{ "queue": "q" }] },
  "durable_objects": { "bindings": [{ "name": "COUNTER", "class_name": "Counter" }] },
  "services": [{ "binding": "AUTH", "service": "auth" }],
  "ai": { "binding": "AI" },
  "send_email": [{ "name": "MAIL" }],
  "ratelimits": [{ "name": "LIMITER", "namespace_id": "1" }],
  "unsafe": { "bindings": [{ "name": "RAW", "type": "x" }] },
  "text_blobs": { "BLOB": "./blob.txt" },
  "secrets": { "required": ["API_KEY"] },
  "table_of_next_year": [{ "binding": "NOVEL" }],
  "tail_consumers": [{ "service": "tail" }],
  "observability": { "enabled": true },
  "env": { "production": { "kv_namespaces": [{ "binding": "ELSEWHERE", "id": "y" }] } },
  "alias": { "fs": "./fs.ts" },
}
"""
TOML = """\
name = "shop"
main = "src/worker.ts"
compatibility_date = 2026-10-01

[vars]
LIMIT = 5

[[workflows]]
name = "order-flow"
binding = "ORDERS"
class_name = "OrderFlow"

[[kv_namespaces]]
binding = "SESSIONS"
id = "x"
"""


def _read(folder: Path, text: str, name: str = "wrangler.jsonc") -> WranglerConfig:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return read_wrangler(file, f"app/{name}")


def test_jsonc(tmp_path: Path) -> None:
    config = _read(tmp_path, JSONC)
    assert config.name == "shop"
    assert config.folder == tmp_path
    assert config.compatibility_date == "2026-10-01"
    assert config.compatibility_flags == ("nodejs_compat",)
    assert config.workflows == (
        WorkflowConfig(name="order-flow", binding="ORDERS", class_name="OrderFlow"),
        WorkflowConfig(name="far", binding="FAR", class_name="Far", script_name="other"),
    )
    assert config.variables == {"LIMIT": 5, "NESTED": {"a": [True, None]}}
    assert config.environments == ("production",)
    assert config.main == str(tmp_path / "src" / "worker.ts")
    bundling = dict(config.bundling)
    assert [rule.globs for rule in bundling.pop("rules")] == [
        ("**/*.txt", "**/*.html", "**/*.sql"),
        ("**/*.bin",),
        ("**/*.wasm", "**/*.wasm?module"),
    ]
    assert bundling == {
        "define": {},
        "alias": {"fs": str(tmp_path / "fs.ts")},
        "tsconfig": None,
        "jsx_factory": None,
        "jsx_fragment": None,
        "keep_names": True,
        "is_minified": False,
    }


def test_every_other_binding_is_known_by_its_table(tmp_path: Path) -> None:
    assert _read(tmp_path, JSONC).unmodelled == {
        "SESSIONS": "kv_namespaces",
        "DB": "d1_databases",
        "FILES": "r2_buckets",
        "JOBS": "queues",
        "COUNTER": "durable_objects",
        "AUTH": "services",
        "AI": "ai",
        "MAIL": "send_email",
        "LIMITER": "ratelimits",
        "RAW": "unsafe",
        "BLOB": "text_blobs",
        "API_KEY": "secrets",
        "NOVEL": "table_of_next_year",
    }


def test_toml(tmp_path: Path) -> None:
    config = _read(tmp_path, TOML, "wrangler.toml")
    assert config.compatibility_date == "2026-10-01"
    assert config.workflows[0].class_name == "OrderFlow"
    assert config.variables == {"LIMIT": 5}
    assert config.unmodelled == {"SESSIONS": "kv_namespaces"}


def test_lines_are_found(tmp_path: Path) -> None:
    assert _read(tmp_path, JSONC).place_of("ORDERS") == "app/wrangler.jsonc:8"
    toml = _read(tmp_path, TOML, "wrangler.toml")
    assert toml.place_of("ORDERS") == "app/wrangler.toml:10"
    assert toml.place_of("workflows") == "app/wrangler.toml:8"
    assert toml.place_of("LIMIT") == "app/wrangler.toml:6"
    assert toml.place_of("ABSENT") == "app/wrangler.toml"


@pytest.mark.parametrize(
    ("name", "text", "place", "says"),
    [
        (
            "wrangler.jsonc",
            '{\n "name": "a"\n "main": 1\n}',
            "app/wrangler.jsonc:3:2",
            "Unexpected",
        ),
        ("wrangler.jsonc", "[]", "app/wrangler.jsonc", "must be an object"),
        ("wrangler.json", "null", "app/wrangler.json", "the config is null, but must be an object"),
        ("wrangler.json", "[]", "app/wrangler.json", "the config is [], but must be an object"),
        ("wrangler.json", '{"name": true}', "app/wrangler.json:1", "name is true, but must be"),
        ("wrangler.json", "", "app/wrangler.json", "it is empty, but must be an object"),
        ("wrangler.toml", "name = 'a'\nmain = \n", "app/wrangler.toml:2:8", "Invalid value"),
        ("wrangler.json", '{"name": 5}', "app/wrangler.json:1", "name is 5, but must be a text"),
        ("wrangler.json", '{\n"vars": []}', "app/wrangler.json:2", "vars is []"),
        (
            "wrangler.json",
            '{\n"workflows": {}}',
            "app/wrangler.json:2",
            "must be a list of objects",
        ),
        (
            "wrangler.json",
            '{\n"workflows": [{"name": "a", "binding": "A"}]}',
            "app/wrangler.json:2",
            "no `class_name`",
        ),
        ("wrangler.toml", "compatibility_flags = [1]", "app/wrangler.toml:1", "list of texts"),
        ("wrangler.json", '{"compatibility_date": "1 May"}', "app/wrangler.json:1", '"1 May"'),
        (
            "wrangler.json",
            '{"vars": {"A": 1},\n"kv_namespaces": [{"binding": "A"}]}',
            "app/wrangler.json:1",
            "A is the name of a binding of kv_namespaces and of a variable",
        ),
        ("wrangler.json", '{"alias": {"a": 1}}', "app/wrangler.json:1", "alias is 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, name: str, text: str, place: str, says: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        _read(tmp_path, text, name)
    assert caught.value.place == place
    assert says in caught.value.found
    assert caught.value.doing == f"reading the wrangler config app/{name}"
    assert caught.value.remedy
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("name", "start"),
    [("wrangler.json", "["), ("wrangler.json", '{"a":'), ("wrangler.toml", "a = [")],
)
def test_a_config_that_is_nested_too_deeply(tmp_path: Path, name: str, start: str) -> None:
    with pytest.raises(ScenarioError, match="nested too deeply"):
        _read(tmp_path, start + start.removeprefix("a = ") * 100_000, name)


def test_a_long_value_is_not_shown_whole(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"0, 0.*\.\.\., but must be an object") as caught:
        _read(tmp_path, f"[{'0, ' * 1000}0]", "wrangler.json")
    assert len(caught.value.found) < 150


def test_a_missing_config_names_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "wrangler.toml").touch()
    with pytest.raises(ScenarioError) as caught:
        read_wrangler(tmp_path / "wrangler.jsonc", "wrangler.jsonc")
    assert caught.value.found == "there is no such file; the folder has wrangler.toml"


def test_a_config_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "wrangler.jsonc").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ScenarioError, match="UTF-8"):
        read_wrangler(tmp_path / "wrangler.jsonc", "wrangler.jsonc")


def _with_schedules(written: str) -> str:
    return f'{{"workflows": [\n{{"name": "a", "binding": "A", "class_name": "C", {written}}}]}}'


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('"schedules": "0  3 * * *"', ("0 3 * * *",)),
        ('"schedules": ["0 3 * * *", "* * * * MON"]', ("0 3 * * *", "* * * * MON")),
        ('"limits": {}', ()),
    ],
)
def test_r_cron_1_schedules(tmp_path: Path, written: str, read: tuple[str, ...]) -> None:
    """R-CRON-1: one text or a list of some."""
    assert _read(tmp_path, _with_schedules(written)).workflows[0].schedules == read


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('"schedules": []', "schedules is [], but must be a cron expression or a list of some"),
        ('"schedules": 5', "schedules is 5, but must be a cron expression or a list of some"),
        ('"schedules": [5]', "schedules is 5, but must be a cron expression or a list of some"),
        ('"schedules": "@daily"', 'schedules has "@daily": it has 1 fields'),
    ],
)
def test_schedules_that_are_none(tmp_path: Path, written: str, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        _read(tmp_path, _with_schedules(written))
    assert error.value.found.startswith(says)
    assert error.value.place == "app/wrangler.jsonc:2"
