"""The subagents of Oh My Pi: sessions of their own, named by the agent that they are."""

from __future__ import annotations

from typing import Any

from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.records import AgentCall


def subagent_session(parent: str, name: str) -> str:
    """The session id of a subagent: names of agents are unique only within a session."""
    return f"{name}.{parent}"


def calls_of_result(details: dict[str, Any], tool_id: str, session_id: str) -> list[AgentCall]:
    """The subagents in the details of a result: those that have finished, or those that were started."""
    calls = []
    for item in [*items(details.get("results")), *items(details.get("progress"))]:
        fields = mapping(item)
        name = string(fields.get("id"))
        if name is not None and "task" in fields:
            agent, description = string(fields.get("agent")), string(fields.get("description"))
            calls.append(AgentCall(tool_id, subagent_session(session_id, name), agent, description))
    return calls
