"""What a wrangler config may ask for that would change what the Worker does, and is not modelled.

Nothing here is passed over in silence: each is refused, with what to do instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from eutaxy._base.scenario import HttpRequest, Scenario
from eutaxy._session.config_reader import ConfigReader, Tree
from eutaxy.errors import ScenarioError

if TYPE_CHECKING:
    from eutaxy._session.wrangler import WranglerConfig


def refuse_unfollowed(reader: ConfigReader, tree: Tree) -> None:
    """Refuse a config with something that is not modelled and that every run would depend on.

    Args:
        reader: Reports what is wrong.
        tree: The config in the environment that is read.
    """
    if tree.get("pages_build_output_dir"):
        raise reader.wrong(
            "pages_build_output_dir",
            "it is the config of a Pages project, which is not modelled",
            "check a Worker: Pages Functions have another entry and another router",
        )
    main = tree.get("main")
    is_python = isinstance(main, str) and main.endswith(".py")
    if tree.get("no_bundle") is True and not is_python:
        raise reader.wrong(
            "no_bundle",
            "`no_bundle` is not modelled: what is deployed then differs from a bundle in aliases, "
            "definitions and modules",
            "remove it, or let the scenario name a config without it",
        )
    cache = tree.get("cache")
    if isinstance(cache, dict) and cache.get("enabled") is True:
        raise reader.wrong(
            "cache",
            "`cache` lets answers come without running the Worker, which is not modelled",
            "remove it from the config that the scenario names",
        )
    flags = tree.get("compatibility_flags")
    if is_python and isinstance(flags, list) and "python_workers" not in flags:
        raise reader.wrong(
            "compatibility_flags",
            "the Worker is written in Python, but the flag python_workers is missing",
            'add "python_workers" to compatibility_flags',
        )


def refuse_assets(scenario: Scenario, config: WranglerConfig) -> None:
    """Refuse driver requests that a static asset would answer in the place of the Worker.

    Raises:
        ScenarioError: One has the path of a file in the folder of assets.
    """
    if not config.assets:
        return
    for event in scenario.drive:
        if isinstance(event, HttpRequest):
            file = _asset(Path(config.assets), unquote(urlsplit(event.url).path))
            if file is not None:
                raise ScenarioError(
                    f"loading the scenario {scenario.path}",
                    f"the static asset {file.name} answers the request {event.name}, not the "
                    f"Worker ({config.place_of('assets')}), and assets are not modelled",
                    "leave this request out, or set `assets.run_worker_first` to true",
                    place=event.place,
                )


def _asset(folder: Path, path: str) -> Path | None:
    inside = folder / path.strip("/")
    candidates = (inside, Path(f"{inside}.html"), inside / "index.html")
    return next((each for each in candidates if each.is_file()), None)
