"""Sends the records of the package `logging` to the log file of a data folder."""

from __future__ import annotations

import logging
from pathlib import Path

from memtui.system import log_file
from memtui_core.errors import MemtuiError
from memtui_core.system.failures import is_of_machine

_LOGGERS = ("memtui", "memtui_core")
"""No others: filelock logs every lock, and writing to the log takes a lock."""


class FileHandler(logging.Handler):
    """Writes records to the log file of a data folder, which other processes also write."""

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
    """Write all records of memtui in this process to the log of a data folder, and to no other log."""
    handler = FileHandler(folder)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        for previous in [other for other in logger.handlers if isinstance(other, FileHandler)]:
            logger.removeHandler(previous)
        logger.addHandler(handler)
        # Warnings reach other handlers, such as the standard error of `memtui mcp`, at any level of the file.
        logger.setLevel(min(handler.level, logging.WARNING))


def log_failure(logger: logging.Logger, error: BaseException, text: str) -> None:
    """Log the message for a failure: as an error with its traceback if it may be a defect, otherwise as a warning.

    What the disk, the memory or another process has caused is no defect.
    """
    if isinstance(error, MemtuiError) or is_of_machine(error):
        logger.warning("%s", text)
    else:
        logger.error("%s", text, exc_info=error)
