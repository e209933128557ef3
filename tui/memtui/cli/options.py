"""Options that several commands share, and the handling of their errors."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

import click

from memtui.cli.output import drop_stdout, flush_stdout, say
from memtui_core.errors import MemtuiError
from memtui_core.system.failures import failure_text

if TYPE_CHECKING:
    from memtui.config import Config
    from memtui_core.index import Index
    from memtui_core.readers.base import Reader

P = ParamSpec("P")


class NotAnswerable(Exception):
    """Raised in a process that answers for a command: the command has to answer for itself."""


class SharedIndex:
    """The index of a process that answers for commands: that of the data folder `folder`, seen from `started_in`."""

    def __init__(self, folder: Path, started_in: str, index: Index) -> None:
        self._folder = folder
        self._started_in = started_in
        self._index = index
        self.lacks_model = False
        """Whether a command needed the model."""

    def opened(self, data_dir: Path | None) -> Index:
        """The index, if it is that of the command. Raises NotAnswerable."""
        from memtui_core.system import locations

        named = os.path.join(self._started_in, locations.data_dir(data_dir))  # noqa: PTH118
        with suppress(OSError):
            if os.path.samefile(named, self._folder):  # noqa: PTH121
                return self._index
        raise NotAnswerable

    def load_model(self, index: Index) -> None:
        """Raise NotAnswerable if the model has to be loaded first: that takes as long as in the command."""
        if index.needs_model:
            self.lacks_model = True
            raise NotAnswerable


_shared: ContextVar[SharedIndex | None] = ContextVar("shared", default=None)


@contextmanager
def sharing(index: SharedIndex) -> Iterator[None]:
    """Let commands in this thread use an index that is open."""
    before = _shared.set(index)
    try:
        yield
    finally:
        _shared.reset(before)


data_dir_option = click.option(
    "--data-dir",
    type=click.Path(path_type=Path, readable=False),
    help="Folder of the index (default: MEMTUI_DATA_DIR, or the user's data folder).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON list of objects.")
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


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print any error as one sentence on stderr and exit with code 1.

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
            if _shared.get() is not None:
                raise
            folder = _data_dir(kwargs.get("data_dir"))
            text = failure_text(error, folder)
            say(f"memtui: {text}")
            _log_failure(folder, error, text)
            sys.exit(1)

    return run


def _log_failure(folder: Path, error: Exception, text: str) -> None:
    """Log an unexpected error; a MemtuiError, such as an unknown session, is the answer to the command."""
    if not isinstance(error, MemtuiError) and folder.is_dir():
        import logging

        from memtui.logs import configure, log_failure

        configure(folder)
        log_failure(logging.getLogger(__name__), error, text)


def settings() -> Config:
    """The user's settings; prints a warning for each that has no effect. Raises ConfigError."""
    from memtui.config import load_config
    from memtui_core.system import locations

    config = load_config(locations.config_file())
    for warning in config.warnings:
        say(f"memtui: {warning}")
    return config


def _data_dir(option: object) -> Path:
    from memtui_core.system import locations

    return locations.data_dir(option if isinstance(option, Path) else None)


def open_index(data_dir: Path | None) -> Index:
    """The index of a data folder, or of the default one. Raises IndexMissing, IndexBroken or IndexTooNew."""
    if (shared := _shared.get()) is not None:
        return shared.opened(data_dir)
    from memtui_core.index import Index
    from memtui_core.system import locations

    return Index.open(locations.data_dir(data_dir))


def load_model(index: Index) -> None:
    """Load the model of an index, unless it cannot be loaded: then `Index.vector_gap` says why."""
    if (shared := _shared.get()) is not None:
        shared.load_model(index)
        return
    from memtui_core.errors import ModelUnavailable

    with suppress(ModelUnavailable):
        index.load_model(threads=2, briefly=True)
