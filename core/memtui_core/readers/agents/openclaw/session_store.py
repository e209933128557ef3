"""What the agent keeps about its sessions besides their transcripts: by key, the current session and its names.

A key is `agent:<agent>:<rest>`; that of a subagent contains `subagent`. When a session is reset, its key gets another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.records import TitleRank, TitleRecord

_SUBAGENT: Final = ":subagent:"


class SessionStore:
    """The entries of an agent by key, and the keys of its sessions."""

    def __init__(self, entries: Mapping[str, Any], keys: Mapping[str, str] | None = None) -> None:
        self._entries = {key: mapping(entry) for key, entry in entries.items()}
        self._keys = dict(keys or {})
        for key, entry in self._entries.items():
            if session := string(entry.get("sessionId")):
                self._keys.setdefault(session, key)

    def is_subagent(self, session: str) -> bool:
        """Whether another session started this one."""
        return _SUBAGENT in self._keys.get(session, "")

    def parent_of(self, session: str) -> str | None:
        """The session that started a subagent's, as far as it is the current one of its key."""
        if not self.is_subagent(session):
            return None
        parent = self.session_of(string(self._about(session).get("spawnedBy")) or "")
        return parent if parent != session else None

    def session_of(self, key: str) -> str | None:
        """The current session of a key."""
        return string(self._entries.get(key, {}).get("sessionId"))

    def titles(self, session: str) -> Iterator[TitleRecord]:
        """The names of a session: a label, which the user gave it, and the name of the chat."""
        about = self._about(session)
        if about.get("sessionId") == session:
            yield from title_records(about.get("displayName"), TitleRank.AI)
            yield from title_records(about.get("label"), TitleRank.CUSTOM)

    def _about(self, session: str) -> dict[str, Any]:
        return self._entries.get(self._keys.get(session, ""), {})
