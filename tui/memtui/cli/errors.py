"""Errors of a command as one sentence on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.cli.output import drop_stdout, flush_stdout, say
from memtui_core.errors import MemtuiError


@contextmanager
def reporting(data_dir: Path | None, passed: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
    """Print any error of a command and exit with code 1, except those that are `passed` on.

    A closed stdout, such as by `head`, is not an error. `data_dir` is the option of the command.
    """
    try:
        yield
        flush_stdout()
    except passed:
        raise
    except BrokenPipeError:
        drop_stdout()
    except Exception as error:
        from memtui_core.system import locations
        from memtui_core.system.failures import failure_text

        folder = locations.data_dir(data_dir)
        text = failure_text(error, folder)
        say(f"memtui: {text}")
        _log_failure(folder, error, text)
        sys.exit(1)


def _log_failure(folder: Path, error: Exception, text: str) -> None:
    """Log an unexpected error; a MemtuiError, such as an unknown session, is the answer to the command."""
    if not isinstance(error, MemtuiError) and folder.is_dir():
        import logging

        from memtui.system.logs import configure, log_failure

        configure(folder)
        log_failure(logging.getLogger(__name__), error, text)
