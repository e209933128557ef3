"""The tools for observations: mem-search, mem-save, mem-timeline and mem-forget."""

from __future__ import annotations

import secrets
from dataclasses import replace

from memtui.mcp.arguments import Arguments
from memtui.mcp.backend import BackendState
from memtui.mcp.call_scope import call_scope, own_session, turn_search
from memtui.mcp.citations import Citations
from memtui.mcp.token_limit import ToolAnswer, fit_items, truncated
from memtui_core.errors import SessionUnknown
from memtui_core.memory.formats import (
    confirm_text,
    detail_text,
    forgotten_text,
    memory_search_text,
    restored_text,
    saved_text,
    timeline_text,
)
from memtui_core.memory.memory_search import MemorySearchResult, search_memory
from memtui_core.memory.timeline import project_root, session_detail
from memtui_core.memory.timeline import timeline as last_sessions
from memtui_core.memory.validation import validated_type
from memtui_core.search.vector_coverage import WORDS_AND_PATHS, VectorGap, uses_vectors
from memtui_core.system import locations
from memtui_core.text.token_estimate import CHARS_PER_TOKEN

_ADVICE = "ask with a greater max_tokens or a narrower query"
_HITS = {
    "observations": "observations",
    "summaries": "session summaries",
    "transcripts": "turns of transcripts",
    "nothing": "",
}
"""The hits of each source, for messages."""
PROCESS_SESSION = f"memtui-mcp-{secrets.token_hex(4)}"
"""The session of observations that are saved while the session of the agent is not known."""


def search(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-search`: observations, otherwise session summaries, otherwise turns."""
    query = arguments.text("query", required=True)
    type_argument = arguments.values.get("type")
    observation_type = None if type_argument is None else validated_type(type_argument)
    limit = arguments.number("limit", 10, 50)
    scope = call_scope(state, arguments)
    result = search_memory(
        state.observation_search,
        query,
        limit,
        type=observation_type,
        root=scope.root,
        current_root=scope.root or "",
        snapshot=state.snapshot,
        search_turns=turn_search(state.index, scope) if state.index is not None else None,
    )
    gap_note = _semantic_gap_note(state, query, result.source)
    if result.source == "nothing":
        return ToolAnswer(memory_search_text(result)).with_notes(gap_note, scope.note, state.index_problem)
    citations = Citations(state.index)
    count = len(result.observations) + len(result.turns) + len(result.summaries)

    def make_answer(shown: int) -> ToolAnswer:
        part = _first(result, shown)
        source_note = f"No observation matches; these are {_HITS[part.source]}."
        # With a requested type the text itself says so.
        if part.source == "observations" or observation_type is not None:
            source_note = ""
        return ToolAnswer(memory_search_text(part)).with_notes(source_note, gap_note, citations.of_search(part))

    return fit_items(count, make_answer, arguments.max_tokens * CHARS_PER_TOKEN, _HITS[result.source], _ADVICE)


def save(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-save`, for the session in the arguments, otherwise in the environment, otherwise of this process."""
    session = arguments.text("session_id") or own_session() or PROCESS_SESSION
    fields = arguments.without("session_id", "max_tokens")
    if "files" in fields:
        fields["files_modified"] = fields.pop("files")
    root = project_root(state.snapshot, locations.current_folder())
    return ToolAnswer(saved_text(state.observation_search.observations.save(session, root, **fields)))


def forget(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-forget`: ask for confirmation, forget with `confirm`, or restore with `restore`."""
    observations, observation_id = state.observation_search.observations, arguments.text("id", required=True)
    confirm, restore = arguments.flag("confirm", False), arguments.flag("restore", False)
    if restore:
        return ToolAnswer(restored_text(observations.restore(observation_id)))
    if not confirm:
        return ToolAnswer(confirm_text(observations.get(observation_id)))
    return ToolAnswer(forgotten_text(observations.forget(observation_id)))


def timeline(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-timeline`: the last sessions, or one session in detail."""
    limit = arguments.number("limit", 5, 20)
    session_id = arguments.text("session_id")
    observations, citations = state.observation_search.observations, Citations(state.index)
    max_length = arguments.max_tokens * CHARS_PER_TOKEN
    if session_id:
        try:
            detail = session_detail(state.snapshot, observations, session_id)
        except SessionUnknown as error:
            return ToolAnswer(str(error)).with_notes(state.index_problem)
        advice = f'ask with a greater max_tokens, or mem-search "session:{detail.session_id}"'
        return truncated(
            ToolAnswer(detail_text(detail)).with_notes(citations.of_sessions([detail])), max_length, advice
        )
    scope = call_scope(state, arguments)
    sessions = last_sessions(state.snapshot, observations, scope.root, limit + 1)
    others = [session for session in sessions if session.session_id != scope.excluded_session][:limit]
    own_note = "" if others == sessions[:limit] else "Your own session is left out."
    if not others:
        return ToolAnswer(timeline_text(others)).with_notes(own_note, scope.note, state.index_problem)

    def make_answer(shown: int) -> ToolAnswer:
        return ToolAnswer(timeline_text(others[:shown])).with_notes(own_note, citations.of_sessions(others[:shown]))

    advice = "ask with a greater max_tokens, or for one by session_id"
    return fit_items(len(others), make_answer, max_length, "sessions", advice)


def _semantic_gap_note(state: BackendState, query: str, source: str) -> str:
    """A note if semantic search did not cover everything; otherwise empty."""
    if not uses_vectors(query):
        return ""
    gap = VectorGap(state.model_problem) if state.model_problem else None
    if gap is None and state.index is not None and source != "observations":
        gap = state.index.vector_gap()
    return f"{gap.message(WORDS_AND_PATHS)}." if gap is not None else ""


def _first(result: MemorySearchResult, count: int) -> MemorySearchResult:
    return replace(
        result,
        observations=result.observations[:count],
        turns=result.turns[:count],
        summaries=result.summaries[: max(0, count - len(result.turns))],
    )
