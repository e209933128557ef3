"""The tool mem-timeline: the last sessions of a project, or one session in detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.agents.mcp.call_scope import SCOPE, call_scope
from memtui.agents.mcp.token_limit import ToolAnswer, fit_items, truncated
from memtui.agents.mcp.tool import Arguments, Tool, max_length, number, text
from memtui_core.errors import SessionUnknown

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState

_LIMIT = number("limit", "Maximum sessions.", 5, 20)
_SESSION = text("session_id", "The session to show in detail; the beginning of its id is enough.")


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    from memtui.agents.mcp.citations import Citations
    from memtui_core.memory.formats import timeline_text
    from memtui_core.memory.timeline.last_sessions import timeline

    limit, session_id = _LIMIT.read(arguments), _SESSION.read(arguments)
    if session_id:
        return _detail(state, session_id, max_length(arguments))
    scope, citations = call_scope(state, arguments), Citations(state.index)
    sessions = timeline(state.snapshot, state.observation_search.observations, scope.root, limit + 1)
    others = [session for session in sessions if session.session_id != scope.excluded_session][:limit]
    own_note = "" if others == sessions[:limit] else "Your own session is left out."
    if not others:
        return ToolAnswer(timeline_text(others)).with_notes(own_note, scope.note, state.index_problem)

    def make_answer(shown: int) -> ToolAnswer:
        answer = ToolAnswer(timeline_text(others[:shown])).as_quoted()
        return answer.with_notes(own_note, citations.of_sessions(others[:shown]))

    advice = "ask with a greater max_tokens, or for one by session_id"
    return fit_items(len(others), make_answer, max_length(arguments), "sessions", advice)


def _detail(state: BackendState, session_id: str, longest: int) -> ToolAnswer:
    from memtui.agents.mcp.citations import Citations
    from memtui_core.memory.formats import detail_text
    from memtui_core.memory.timeline.last_sessions import session_detail

    try:
        detail = session_detail(state.snapshot, state.observation_search.observations, session_id)
    except SessionUnknown as error:
        return ToolAnswer(state.refusal if state.allowed else str(error)).with_notes(state.index_problem)
    answer = ToolAnswer(detail_text(detail)).as_quoted().with_notes(Citations(state.index).of_sessions([detail]))
    return truncated(answer, longest, f'ask with a greater max_tokens, or mem-search "session:{detail.session_id}"')


TIMELINE = Tool(
    name="mem-timeline",
    title="The last sessions of the project",
    description="Use this at the start of your work, to learn what the last sessions of the project were about, or with"
    " session_id to read everything known about one session.",
    arguments=(_LIMIT, _SESSION, *SCOPE),
    answer=_answer,
    read_only=True,
    quotes=True,
)
