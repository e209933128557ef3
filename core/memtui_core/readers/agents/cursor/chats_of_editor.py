"""Which chats the editor's database has, for those that are also in transcripts.

The editor writes each chat twice. The transcript has neither times nor results, so the database counts.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.cursor.file_names import DATABASE, EDITOR_PATHS
from memtui_core.readers.formats.sqlite import columns_of, opened, stamp_of


def is_in_editor(settings: Path | None, session_id: str) -> bool:
    """Whether the database of the same user has messages of a chat."""
    if settings is None:
        return False
    for folder in EDITOR_PATHS:
        database = settings.parent / folder / DATABASE
        if (stamp := stamp_of(database)) and session_id in _chats_in(database, stamp):
            return True
    return False


@lru_cache(maxsize=1)
def _chats_in(database: Path, _stamp: object) -> frozenset[str]:
    """The ids of the chats with messages; none if the database cannot be read."""
    try:
        with opened(database) as connection:
            if not columns_of(connection, "cursorDiskKV") >= {"key", "value"}:
                return frozenset()
            keys = connection.execute("SELECT key FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'")
            with_messages = {str(row[0]).split(":")[1] for row in keys}
            keys = connection.execute(
                "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
            )
            return frozenset(with_messages & {str(row[0]).partition(":")[2] for row in keys})
    except SourceUnreadable:
        return frozenset()
