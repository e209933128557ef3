"""The tool mem-search: observations, otherwise session summaries, otherwise turns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from memtui.agents.mcp.call_scope import SCOPE, call_scope, turn_search
from memtui.agents.mcp.token_limit import ToolAnswer, fit_items
from memtui.agents.mcp.tool import Arguments, Tool, max_length, number, text, unchecked
from memtui_core.errors import MemtuiError
from memtui_core.model import OBSERVATION_TYPES

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui_core.index.index import Index
    from memtui_core.memory.memory_search import MemorySearchResult

_QUERY = text(
    "query",
    'Words, an "exact phrase", a file path or a question; -word excludes, and filters such as'
    " after:7d, file:src/a.py or session:ID narrow.",
    required=True,
)
_TYPE = unchecked("type", "Only observations of this type.", {"type": "string", "enum": list(OBSERVATION_TYPES)})
_LIMIT = number("limit", "Maximum hits.", 10, 50)
_SCOPE = unchecked(
    "scope",
    "team: only turns, also those that colleagues share; me (default): your own memory.",
    {"type": "string", "enum": ["me", "team"]},
)
_HITS = {
    "observations": "observations",
    "summaries": "session summaries",
    "transcripts": "turns of transcripts",
    "nothing": "",
}
"""The hits of each source, for messages."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    from memtui.agents.mcp.citations import Citations
    from memtui_core.memory.formats import memory_search_text
    from memtui_core.memory.memory_search import search_memory
    from memtui_core.memory.observations.validation import validated_type

    query, type_argument = _QUERY.read(arguments), _TYPE.read(arguments)
    observation_type = None if type_argument is None else validated_type(type_argument)
    limit = _LIMIT.read(arguments)
    scope = call_scope(state, arguments)
    if _SCOPE.read(arguments) == "team":
        if state.allowed:
            raise MemtuiError(f"The team is not allowed for this server: it only answers about {state.allowed}.")
        result = _search_team(state.required_index, query, limit)
    else:
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
        if part.source == "observations" or observation_type is not None or _SCOPE.read(arguments) == "team":
            source_note = ""
        answer = ToolAnswer(memory_search_text(part)).as_quoted()
        return answer.with_notes(source_note, gap_note, citations.of_search(part))

    advice = "ask with a greater max_tokens or a narrower query"
    return fit_items(count, make_answer, max_length(arguments), _HITS[result.source], advice)


def _search_team(index: Index, query: str, limit: int) -> MemorySearchResult:
    """The turns of the index and of colleagues. Raises MemtuiError if no team was joined."""
    from memtui_core.memory.memory_search import MemorySearchResult
    from memtui_core.system import locations
    from memtui_team.search.joined import join

    team = join(index)
    if team is None:
        raise MemtuiError("No team was joined. The user joins one with: memtui team join URL")
    found = team.search(query, limit, current_folder=locations.current_folder())
    source: Literal["transcripts", "nothing"] = "transcripts" if found.hits else "nothing"
    return MemorySearchResult(source, turns=found.hits, note=found.note)


def _semantic_gap_note(state: BackendState, query: str, source: str) -> str:
    """A note if semantic search did not cover everything; otherwise empty."""
    from memtui_core.index.vectors import WORDS_AND_PATHS, VectorGap, uses_vectors

    if not uses_vectors(query):
        return ""
    gap = VectorGap(state.model_problem) if state.model_problem else None
    if gap is None and state.index is not None and source != "observations":
        gap = state.index.vectors.gap()
    return f"{gap.message(WORDS_AND_PATHS)}." if gap is not None else ""


def _first(result: MemorySearchResult, count: int) -> MemorySearchResult:
    return replace(
        result,
        observations=result.observations[:count],
        turns=result.turns[:count],
        summaries=result.summaries[: max(0, count - len(result.turns))],
    )


SEARCH = Tool(
    name="mem-search",
    title="Search the memory",
    description="Use this before you work on something that may have been decided, tried or fixed in an earlier"
    " session: it finds saved observations, otherwise session summaries, otherwise turns of transcripts.",
    arguments=(_QUERY, _TYPE, _LIMIT, _SCOPE, *SCOPE),
    answer=_answer,
    read_only=True,
    quotes=True,
    uses_model=True,
)
