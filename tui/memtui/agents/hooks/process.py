"""How a process that an agent waits for begins and ends; nothing that takes time to import."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def parse_arguments(arguments: Sequence[str]) -> tuple[str, str | None]:
    """The event and the data folder in `[EVENT] [--data-dir FOLDER]`; other arguments are ignored."""
    event, folder, words = "", None, iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--data-dir":
            folder = value if equals else next(words, None)
        elif not word.startswith("-"):
            event = event or word
    return event, folder


def end_with(text: str) -> NoReturn:
    """Print the answer to an agent, and end the process with exit code 0, whatever happens."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except (OSError, AttributeError):
        # The agent has closed the standard output; without one there is no `buffer`.
        pass
    # Cleaning up could change the exit code.
    os._exit(0)
