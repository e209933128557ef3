"""The standard library's logging, sent to the log file of a data folder."""

from __future__ import annotations

import logging
from pathlib import Path

from memtui import log_file
from memtui_core.errors import MemtuiError

_LOGGERS = ("memtui", "memtui_core")
"""Only these: filelock logs every lock, and writing to the file takes one."""


class FileHandler(logging.Handler):
    """Writes records to the log file of a data folder, which other processes write, too."""

    def __init__(self, folder: Path) -> None:
        super().__init__(log_file.LEVELS[log_file.level_name()])
        self._folder = folder

    def emit(self, record: logging.LogRecord) -> None:
        """Append a record with its traceback."""
        try:
            log_file.write(self._folder, record.levelname, record.name, self.format(record), record.created)
        except Exception:
            self.handleError(record)


def configure(folder: Path) -> None:
    """Have all that memtui logs in this process written to the log of a data folder, and of no other one."""
    handler = FileHandler(folder)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        for other in [one for one in logger.handlers if isinstance(one, FileHandler)]:
            logger.removeHandler(other)
        logger.addHandler(handler)
        # Warnings reach other handlers, such as the standard error of `memtui mcp`, whatever the file takes.
        logger.setLevel(min(handler.level, logging.WARNING))


def log_failure(logger: logging.Logger, error: BaseException, text: str) -> None:
    """Log what a person is told of a failure: a warning for what memtui expects, else an error with its traceback."""
    if isinstance(error, MemtuiError):
        logger.warning("%s", text)
    else:
        logger.error("%s", text, exc_info=error)
