"""The sessions that wrote lines or made commits, with their names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from memtui_core.memory.blame.values import WritingSession
from memtui_core.queries.columns import Columns, label
from memtui_core.queries.names import session_title
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition

_SESSION: Final = Columns(
    WritingSession,
    key="s.key",
    session_id=label("s.session_id"),
    title=session_title(untitled=""),
    agent="s.agent",
)


def writing_sessions(snapshot: Snapshot, keys: Collection[int]) -> list[WritingSession]:
    """The sessions with some keys."""
    return _SESSION.select(snapshot, f"FROM sessions s WHERE {key_condition('s.key', keys)}")
