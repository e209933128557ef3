"""Subagent conversations inside the file of their session, as older versions wrote them.

Their entries have `isSidechain` set, and several conversations can be interleaved. Each starts at an entry whose parent
is not in a sidechain; the other entries are linked by `parentUuid`.
"""

from __future__ import annotations

from memtui_core.readers.records import Message


class Sidechains:
    """Assigns the entries of one file to sidechains, in file order."""

    def __init__(self) -> None:
        self._by_uuid: dict[str, str] = {}
        self._latest: str | None = None

    def session_of(self, message: Message) -> str:
        """The session id of the subagent to which a message belongs."""
        parent = self._by_uuid.get(message.parent_uuid or "")
        if message.agent_id:
            name = f"agent-{message.agent_id}"
        elif parent is not None:
            name = parent
        elif message.kind == "agent" or self._latest is None:
            name = f"agent-{(message.uuid or str(message.line))[:8]}"
        else:
            name = self._latest
        if message.uuid:
            self._by_uuid[message.uuid] = name
        self._latest = name
        return name
