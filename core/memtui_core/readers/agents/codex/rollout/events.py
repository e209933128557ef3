"""The events of a rollout: what the agent displayed, and finished items in the newest versions."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.records import AgentCall

_KINDS: Final = {
    "UserMessage": "user_message",
    "AgentMessage": "agent_message",
    "Reasoning": "agent_reasoning",
    "Plan": "plan",
    "FileChange": "file_change",
    "ContextCompaction": "context_compacted",
    "SubAgentActivity": "sub_agent_activity",
    "CollabAgentToolCall": "collab_agent_tool_call",
}
"""The events that finished items stand for."""
WITHOUT_TEXT: Final = frozenset(
    {
        # Begin and end of turns, and the state of the program.
        *("task_started", "turn_started", "session_configured", "thread_settings_applied", "shutdown_complete"),
        *("thread_goal_updated", "world_state", "turn_diff", "background_event", "deprecation_notice", "warning"),
        *("mcp_startup_update", "mcp_startup_complete", "model_reroute", "model_verification", "item_started"),
        *("entered_review_mode", "exited_review_mode", "undo_started", "undo_completed", "hook_started"),
        *("hook_completed", "plan_update", "agent_reasoning_section_break", "raw_response_item", "notification"),
        *("guardian_assessment", "guardian_warning", "turn_moderation_metadata", "safety_buffering", "file_change"),
        # Tool calls, which are items, too.
        *("exec_command_begin", "exec_command_end", "exec_command_output_delta", "exec_approval_request"),
        *("patch_apply_begin", "patch_apply_updated", "patch_apply_end", "apply_patch_approval_request"),
        *("mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end", "terminal_interaction"),
        *("view_image_tool_call", "image_generation_begin", "image_generation_end", "request_user_input"),
        *("request_permissions", "elicitation_request", "dynamic_tool_call_request", "dynamic_tool_call_response"),
        # Subagents: the calls are items, the subagents have rollouts of their own.
        *("sub_agent_activity", "collab_agent_tool_call", "collab_agent_spawn_begin", "collab_agent_spawn_end"),
        *("collab_agent_interaction_begin", "collab_agent_interaction_end", "collab_waiting_begin"),
        *("collab_waiting_end", "collab_close_begin", "collab_close_end", "collab_resume_begin", "collab_resume_end"),
        # Other finished items.
        *("item/CommandExecution", "item/WebSearch", "item/McpToolCall", "item/ImageView", "item/Sleep"),
        *("item/HookPrompt", "item/ImageGeneration", "item/DynamicToolCall", "item/EnteredReviewMode"),
        *("item/ExitedReviewMode", "item/Extension", "item/Image", "item/TodoList"),
    }
)
"""Events that contain nothing to read, or repeat an item."""


def finished_item(payload: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind of event for which an `item_completed` stands, and the item."""
    item = mapping(payload.get("item"))
    kind = string(item.get("type")) or ""
    return _KINDS.get(kind, f"item/{kind}"), item


def event_texts(kind: str, payload: dict[str, Any]) -> list[str]:
    """The texts of an event or a finished item."""
    if kind in {"task_complete", "turn_complete"}:
        values = [payload.get("last_agent_message")]
    elif "summary_text" in payload or "raw_content" in payload:
        values = [*items(payload.get("summary_text")), *items(payload.get("raw_content"))]
    elif isinstance(content := payload.get("content"), list):
        values = [part if isinstance(part, str) else mapping(part).get("text") for part in content]
    else:
        values = [payload.get("message") or payload.get("text")]
    return [text for value in values if (text := string(value))]


def agent_call_of(kind: str, payload: dict[str, Any]) -> AgentCall | None:
    """The subagent that an event names, with the call that started it."""
    if kind == "sub_agent_activity" and payload.get("kind") == "started":
        call, agent = payload.get("event_id") or payload.get("id"), payload.get("agent_thread_id")
    elif kind == "collab_agent_spawn_end":
        call, agent = payload.get("call_id"), payload.get("new_thread_id")
    elif kind == "collab_agent_tool_call" and len(threads := items(payload.get("receiver_thread_ids"))) == 1:
        call, agent = payload.get("id"), threads[0] if "spawn" in str(payload.get("tool")).lower() else None
    else:
        return None
    call_id, agent_id = string(call), string(agent)
    if call_id is None or agent_id is None:
        return None
    return AgentCall(call_id, agent_id, string(payload.get("new_agent_role")), prompt=string(payload.get("prompt")))
