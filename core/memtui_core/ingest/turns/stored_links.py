"""Links of stored sessions with pull requests that an earlier version did not make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from memtui_core.ingest.turns.created_links import CREATES, created_links
from memtui_core.store.work.database import WorkDatabase

_KEY: Final = "created_links"
"""The key in the table `meta` of an index all of whose turns have these links."""


class StoredLinks:
    """Goes once through the turns that an earlier version stored."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        self._is_done = work.scalar("SELECT 1 FROM meta WHERE key = ?", [_KEY]) is not None
        self._is_new = not work.may_have("turns")

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query on the work database."""
        return self._work.connection.execute(sql, list(parameters)).fetchall()

    @property
    def is_due(self) -> bool:
        """Whether there are turns to look through, or to record that there are none."""
        return not self._is_done and self._work.may_have("turns")

    def catch_up(self) -> None:
        """Add the links that are missing."""
        links = [] if self._is_new else self._missing()
        with self._work.transaction():
            self._work.put("pr_links", links)
            self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", [_KEY])
        self._is_done = True

    def _missing(self) -> list[tuple[Any, ...]]:
        # Most runs of the indexer look through nothing.
        from memtui_core.queries.turns import read_turns, with_blocks

        found = self.rows(
            "SELECT DISTINCT t.session, t.id FROM blocks b JOIN turns t ON t.id = b.turn"
            " WHERE b.kind = 'tool_call' AND contains(b.text, ?)",
            [CREATES],
        )
        links: list[tuple[Any, ...]] = []
        for session in sorted({session for session, _ in found}):
            turns = [turn for turn in read_turns(self, session) if (session, turn.id) in found]
            for turn in with_blocks(self, turns):
                links += created_links(session, turn.blocks, turn.ended_at)
        return links
