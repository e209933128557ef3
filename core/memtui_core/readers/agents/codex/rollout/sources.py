"""Who started a session: the user, another session, or Codex itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from memtui_core.readers.conversion.json_values import mapping, string


class Origin(NamedTuple):
    """The origin of a session, from its `session_meta`."""

    parent: str | None = None
    """The id of the session to which a subagent belongs."""
    label: str = ""
    """The name of a subagent."""
    hidden: bool = False
    """Whether it is a helper that only repeats or judges another session."""

    @property
    def is_subagent(self) -> bool:
        """Whether another session started it."""
        return self.parent is not None or self.hidden


def origin_of(payload: dict[str, Any]) -> Origin:
    """The origin of a session. A subagent of a subagent belongs to the session of the user, if that is named."""
    subagent = mapping(payload.get("source")).get("subagent")
    spawned = mapping(mapping(subagent).get("thread_spawn"))
    kind = subagent if isinstance(subagent, str) else string(mapping(subagent).get("other")) or ""
    source = string(payload.get("thread_source")) or ""
    own = string(payload.get("id"))
    parent = string(payload.get("parent_thread_id")) or string(spawned.get("parent_thread_id"))
    if parent is None and not subagent and source not in {"subagent", "guardian_review"}:
        return Origin()
    root = string(payload.get("session_id"))
    if root is not None and own is not None and root != own:
        parent = root
    path = string(payload.get("agent_path")) or string(spawned.get("agent_path")) or ""
    nickname = string(payload.get("agent_nickname")) or string(spawned.get("agent_nickname")) or ""
    role = string(payload.get("agent_role")) or string(spawned.get("agent_role")) or ""
    name = path.rpartition("/")[2] or nickname or kind
    label = f"{name} ({role})" if name and role else name or role
    return Origin(parent, label, kind in {"guardian", "compact"} or source == "guardian_review")
