"""`memtui mcp`: the memory as tools of an agent."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors


@click.command()
@data_dir_option
@reports_errors
def mcp(data_dir: Path | None) -> None:
    """Serve the memory to an agent over standard input and output (Model Context Protocol)."""
    from memtui.mcp.server import serve
    from memtui_core import places

    serve(places.data_dir(data_dir))
