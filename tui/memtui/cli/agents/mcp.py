"""`memtui mcp`: the MCP server with the memory tools."""

from __future__ import annotations

import os
from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors


@click.command()
@click.option(
    "--model-wait",
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    type=click.FloatRange(0),
    help="How long a search waits for the embedding model; after that it uses only words and paths, and says so.",
)
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="NAME|FOLDER",
    help="Answer only about this project; may be repeated. Nothing of any other can be searched, read or changed.",
)
@data_dir_option
@reports_errors
def mcp(model_wait: float, projects: tuple[str, ...], data_dir: Path | None) -> None:
    """Serve the memory tools to an agent over standard input and output (Model Context Protocol)."""
    from memtui.agents.mcp.server import serve
    from memtui.settings.config import settings_in_use
    from memtui.system.logs import configure
    from memtui_core.system import locations

    folder = locations.data_dir(data_dir)
    configure(folder)
    serve(folder, model_wait, settings_in_use().vectors, projects)
    # A thread that is loading the model would abort the process while Python ends.
    os._exit(0)
