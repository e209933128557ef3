"""Options that several commands share, and how a command fails."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

import click

from memtui.cli.output import say
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui_core.index import Index

P = ParamSpec("P")

data_dir_option = click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the index (default: MEMTUI_DATA_DIR, else the user's data folder).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON list of objects.")
sources_option = click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A folder or file of transcripts instead of the agents' own folders; may be repeated.",
)


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Say an error of ours in one line on stderr and end with code 1."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except MemtuiError as error:
            say(f"memtui: {error}")
            sys.exit(1)

    return run


def open_index(data_dir: Path | None) -> Index:
    """The index of a data folder, or of the default one. Raises IndexMissing, IndexBroken or IndexTooNew."""
    from memtui_core import places
    from memtui_core.index import Index

    return Index.open(places.data_dir(data_dir))
