"""Conversations of subagents that stand inline in the file of their session, as older versions wrote them.

They are marked `isSidechain`, several of them interleaved. Each begins at an entry whose parent is not a sidechain; the
others follow by `parentUuid`.
"""

from __future__ import annotations

from memtui_core.readers.records import Message


class Sidechains:
    """Tells the sidechains of one file apart, entry by entry in the order of the file."""

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
