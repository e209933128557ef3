"""What commands share: options, the settings, and the report of an error as one sentence on stderr."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, ParamSpec

import click

from memtui.cli.output import drop_stdout, flush_stdout, say
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from datetime import datetime

    from memtui.settings.config import Config
    from memtui_core.readers.base import Reader

P = ParamSpec("P")


data_dir_option = click.option(
    "--data-dir",
    type=click.Path(path_type=Path, readable=False),
    help="Folder of the index (default: MEMTUI_DATA_DIR, or the user's data folder).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON list of objects.")
no_tools_option = click.option(
    "--no-tools", is_flag=True, help="Leave out tool calls, their results and notes for the agent."
)
no_thinking_option = click.option("--no-thinking", is_flag=True, help="Leave out the agent's thinking.")
sources_option = click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A folder or file of transcripts instead of the agents' own folders; may be repeated.",
)


def agent_option(context: click.Context, parameter: click.Parameter, value: str | None) -> Reader | None:
    """The reader of the agent that an option names. Raises BadParameter."""
    if value is None:
        return None
    from memtui_core.readers.registry import all_readers, reader_named

    reader = reader_named(value)
    if reader is None:
        known = ", ".join(sorted(reader.agent for reader in all_readers()))
        raise click.BadParameter(f"there is no agent {value!r}. Known: {known}.")
    return reader


def time_option(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:
    """The time that an option names, as the filters of a search take it. Raises BadParameter."""
    if value is None:
        return None
    from datetime import datetime

    from memtui_core.search.filters.times import parse_time

    time = parse_time(value, datetime.now().astimezone())
    if time is None:
        raise click.BadParameter(f"{value} is not a valid time, such as 3d, yesterday or 2026-11-20.")
    return time


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print any error of a command, except those of click, as one sentence on stderr and exit with code 1.

    A closed stdout, such as by `head`, is not an error.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            flush_stdout()
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            drop_stdout()
        except Exception as error:
            data_dir = kwargs.get("data_dir")
            _fail(error, data_dir if isinstance(data_dir, Path) else None)

    return run


def _fail(error: Exception, data_dir: Path | None) -> NoReturn:
    """Print an error, and log it unless it is a MemtuiError: an unknown session is the answer to the command."""
    from memtui_core.system import locations
    from memtui_core.system.failures import failure_text

    folder = locations.data_dir(data_dir)
    text = failure_text(error, folder)
    say(f"memtui: {text}")
    if not isinstance(error, MemtuiError) and folder.is_dir():
        import logging

        from memtui.system.logs import configure, log_failure

        configure(folder)
        log_failure(logging.getLogger(__name__), error, text)
    sys.exit(1)


def settings() -> Config:
    """The user's settings; prints a warning for each that has no effect. Raises ConfigError."""
    from memtui.settings.config import settings_in_use

    config = settings_in_use()
    for warning in config.warnings:
        say(f"memtui: {warning}")
    return config
