"""The option `--env`, which all commands that read a wrangler config share."""

from __future__ import annotations

import click

environment_option = click.option(
    "--env",
    "environment",
    metavar="NAME",
    default="",
    envvar="CLOUDFLARE_ENV",
    show_envvar=True,
    help="Environment of the wrangler config.",
)
"""As in Wrangler: the variable counts when the option is absent; `--env=` is the top level."""
