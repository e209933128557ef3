"""`memtui demo`: the app on sample sessions."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors


@click.command()
@data_dir_option
@reports_errors
def demo(data_dir: Path | None) -> None:
    """Open the app on invented sample sessions."""
    from memtui.cli.launch import open_demo

    open_demo(data_dir)
