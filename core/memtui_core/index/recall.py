"""Recall: earlier turns for an agent's prompt or file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.memory.recall.reminders import CitedTurn as CitedTurn
from memtui_core.memory.recall.reminders import Reminder as Reminder
from memtui_core.memory.recall.reminders import read_reminders
from memtui_core.memory.recall.similar_turns import EVERYTHING, RecallScope, search_context, search_file_context
from memtui_core.store.marks.reminder_log import ReminderLog

if TYPE_CHECKING:
    from datetime import datetime

    from memtui_core.index.index import Index
    from memtui_core.memory.fixes.changes import MendingChange as MendingChange
    from memtui_core.memory.fixes.friction import Friction as Friction
    from memtui_core.memory.fixes.known_errors import KnownError as KnownError


class Recall:
    """Earlier turns that matter to what an agent is about to do."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def for_prompt(
        self, prompt: str, limit: int = 5, scope: RecallScope = EVERYTHING, files: Sequence[str] | None = None
    ) -> list[RecalledTurn]:
        """Earlier turns that are similar to a prompt or touched its files; see `similar_turns.search_context`."""
        return search_context(self._index.snapshot, prompt, limit, scope, self._index.vectors.embed, files)

    def for_file(self, path: str, limit: int = 5, scope: RecallScope = EVERYTHING) -> list[RecalledTurn]:
        """Earlier turns that touched a file; needs no model."""
        return search_file_context(self._index.snapshot, path, limit, scope)

    def reminders(self, session_id: str) -> list[Reminder]:
        """What hooks gave the agents of a session to read, by its whole id, the oldest first."""
        return read_reminders(self._index.snapshot, ReminderLog(self._index.data.path), session_id)

    def count_reminders(self, session_id: str) -> int:
        """How often hooks gave the agents of a session something to read."""
        return len(ReminderLog(self._index.data.path).reminders(session_id))

    def fixes(self, output: str, root: str | None = None, limit: int = 10) -> list[KnownError]:
        """The earlier cases of the error in an output, and what was changed until the same command passed.

        Those of the project `root` first, then those that were fixed, the newest first.
        """
        from memtui_core.memory.fixes.known_errors import known_errors

        return known_errors(self._index.snapshot, output, root, limit)

    def friction(self, root: str | None = None, since: datetime | None = None) -> list[Friction]:
        """What costs the sessions of a project, or of all, time again and again, since a time."""
        from memtui_core.memory.fixes.friction import read_friction

        return read_friction(self._index.snapshot, root, since)

    def fixes_of_turn(self, session: int, turn: int, limit: int = 10) -> list[KnownError]:
        """The cases of the errors that came up in a turn, its own among them, ordered as by `fixes`."""
        from memtui_core.memory.fixes.known_errors import cases_of_turn

        return cases_of_turn(self._index.snapshot_of(session), session, turn, limit)
