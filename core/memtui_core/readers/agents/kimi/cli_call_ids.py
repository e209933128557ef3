"""The ids of the calls of Kimi CLI, which the model chooses: `Shell:0`, `ReadFile:1`.

It counts the calls in the messages that it sees. After a compaction, and after a step that was interrupted, it uses an
id again for another call.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.jsonl import Entry

_MARK: Final = "~"


class CallIds:
    """Makes the ids of the calls of a session unique: a result belongs to the last call with its id."""

    def __init__(self, start: str = "") -> None:
        self._start = start
        """The start of all ids."""
        self._uses: Counter[tuple[str, str]] = Counter()

    def add(self, tool_id: str | None, branch: str = "") -> None:
        """Note a call of the session, or of a subagent."""
        if tool_id is not None:
            self._uses[branch, tool_id] += 1

    def add_calls(self, message: Entry) -> None:
        """Note the calls in a message."""
        for call in items(message.get("tool_calls")):
            self.add(string(mapping(call).get("id")))

    def unique(self, tool_id: str | None, branch: str = "") -> str | None:
        """The id of the last call with an id; None for None."""
        if tool_id is None:
            return None
        uses = self._uses[branch, tool_id]
        return f"{self._start}{tool_id}{_MARK}{uses}" if uses > 1 else self._start + tool_id
