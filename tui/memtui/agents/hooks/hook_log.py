"""The log of the data folder, to which hooks write instead of printing errors."""

from __future__ import annotations

from pathlib import Path

_MAX_MESSAGE = 400
"""Maximum characters of a message."""


def log_warning(folder: Path, event: str, message: str) -> None:
    """Log one line about a hook; never raises."""
    from memtui.system.log_file import write

    write(folder, "WARNING", "memtui.hooks", f"{event or '-'} {' '.join(message.split())[:_MAX_MESSAGE]}")
