"""Transcripts with a small file beside them that the agent rewrites, such as the title of the session."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Transcript


def with_file_beside(agent: str, path: Path, beside: Path | None) -> Iterable[Transcript]:
    """The file as one transcript, which counts as changed if either file is; none if it does not exist.

    Raises SourceUnreadable.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error
    changed = status.st_mtime_ns
    if beside is not None:
        # Without it there is only no title.
        with suppress(OSError):
            changed = max(changed, beside.stat().st_mtime_ns)
    return (Transcript(agent, path, status.st_size, changed),)


def object_beside(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty if there is none or it cannot be read."""
    value = _value_beside(path)
    return value if isinstance(value, dict) else {}


def list_beside(path: Path) -> list[Any]:
    """The list in a JSON file; empty if there is none or it cannot be read."""
    value = _value_beside(path)
    return value if isinstance(value, list) else []


def _value_beside(path: Path) -> Any:
    # Hooks load every reader, and do not need the decoder.
    from memtui_core.readers.formats.document import value_in

    try:
        return value_in(path)
    except SourceUnreadable:
        return None
