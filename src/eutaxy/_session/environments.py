"""Environments of a wrangler config: what `--env` takes from the top level and what it does not."""

from __future__ import annotations

from typing import Any

from eutaxy._session.config_reader import ConfigReader, Tree
from eutaxy._session.declared import alternatives, near_miss

TOP_LEVEL_ONLY = (
    "$schema",
    "alias",
    "data_blobs",
    "dev",
    "keep_vars",
    "legacy_env",
    "pages_build_output_dir",
    "send_metrics",
    "site",
    "text_blobs",
    "wasm_modules",
)
"""What holds for every environment and cannot be changed by one."""

INHERITED = (
    "account_id",
    "assets",
    "base_dir",
    "build",
    "cache",
    "compatibility_date",
    "compatibility_flags",
    "compliance_region",
    "find_additional_modules",
    "first_party_worker",
    "jsx_factory",
    "jsx_fragment",
    "keep_names",
    "limits",
    "logfwdr",
    "logpush",
    "main",
    "migrations",
    "minify",
    "no_bundle",
    "observability",
    "placement",
    "preserve_file_names",
    "preview_urls",
    "previews",
    "python_modules",
    "route",
    "routes",
    "rules",
    "triggers",
    "tsconfig",
    "upload_source_maps",
    "workers_dev",
)
"""What an environment takes from the top level unless it says otherwise. Bindings, `vars`,
`secrets` and `define` are not here: an environment has only those that it names itself."""


def choose_environment(reader: ConfigReader, tree: Tree, environment: str) -> Tree:
    """The config as it is in one environment.

    Args:
        reader: Reports what is wrong.
        tree: The whole config.
        environment: Name of the environment; empty for the top level.

    Raises:
        ScenarioError: There is no such environment, or it is of the deprecated kind.
    """
    environments = reader.optional(tree, "env", dict, "an object") or {}
    if not environment:
        return tree
    own = environments.get(environment)
    if own is None:
        raise reader.wrong(
            "env",
            f'there is no environment "{environment}"{near_miss(environment, environments)}',
            f"environments of this config: {alternatives(environments)}",
        )
    reader.expect(own, dict, environment, "an object")
    if tree.get("legacy_env") is False:
        raise reader.wrong(
            "legacy_env",
            "service environments (`legacy_env: false`) are not modelled",
            "remove legacy_env, as Wrangler recommends",
        )
    chosen: dict[str, Any] = {name: tree[name] for name in TOP_LEVEL_ONLY if name in tree}
    chosen |= {name: tree[name] for name in INHERITED if name in tree}
    for name, value in own.items():
        if name in TOP_LEVEL_ONLY:
            raise reader.wrong(
                name,
                f'the environment "{environment}" has `{name}`, which only the top level may have',
                "move it to the top level",
            )
        if value is not None:
            chosen[name] = value
    if own.get("name") is None and tree.get("name"):
        chosen["name"] = f"{tree['name']}-{environment}"
    return chosen
