"""The tools over what was written down: mem-search, mem-save, mem-timeline and mem-forget."""

from __future__ import annotations

import secrets
from dataclasses import replace

from memtui.mcp.arguments import Arguments
from memtui.mcp.asking import asking, own_session, searching
from memtui.mcp.bounds import TOKEN, Answer, as_many, clamped
from memtui.mcp.memory import View
from memtui.mcp.sources import Sources
from memtui_core.errors import SessionUnknown
from memtui_core.memory.drafts import type_of
from memtui_core.memory.fallback import Recalled, recalled
from memtui_core.memory.text import (
    confirm_text,
    detail_text,
    forgotten_text,
    recalled_text,
    restored_text,
    saved_text,
    timeline_text,
)
from memtui_core.memory.timeline import Past, root_of, session_detail, timeline
from memtui_core.search.vector_coverage import WORDS_AND_PATHS, VectorGap, uses_vectors
from memtui_core.system import locations

_MORE = "ask with a greater max_tokens or a narrower query"
_NAMED = {
    "observations": "observations",
    "summaries": "session summaries",
    "transcripts": "turns of transcripts",
    "nothing": "",
}
UNNAMED = f"memtui-mcp-{secrets.token_hex(4)}"
"""The session that observations of this process belong to where nobody says which."""


def search(view: View, arguments: Arguments) -> Answer:
    """`mem-search`: observations, else session summaries, else turns."""
    query = arguments.text("query", required=True)
    kind = arguments.given.get("type")
    wanted = None if kind is None else type_of(kind)
    limit = arguments.number("limit", 10, 50)
    asked = asking(view, arguments)
    ask = searching(view.index, asked) if view.index is not None else None
    found = recalled(
        view.finder, query, limit, type=wanted, root=asked.root, here=asked.root or "", snapshot=view.snapshot, ask=ask
    )
    by_words = _by_words(view, query, found.source)
    if found.source == "nothing":
        return Answer(recalled_text(found)).noting(by_words, asked.narrowed, view.missing)
    sources = Sources(view.index)
    given = found.observations or found.summaries or found.turns

    def made(shown: int) -> Answer:
        part = _first(found, shown)
        instead = "" if part.source == "observations" else f"No observation matches; these are {_NAMED[part.source]}."
        # Where a type was asked for the text itself says so.
        return Answer(recalled_text(part)).noting(instead if wanted is None else "", by_words, sources.of(part))

    return as_many(len(given), made, arguments.tokens * TOKEN, _NAMED[found.source], _MORE)


def save(view: View, arguments: Arguments) -> Answer:
    """`mem-save`, for the session of the argument, else of the environment, else of this process."""
    session = arguments.text("session_id") or own_session() or UNNAMED
    given = arguments.without("session_id", "max_tokens")
    if "files" in given:
        given["files_modified"] = given.pop("files")
    root = root_of(view.snapshot, locations.current_folder())
    return Answer(saved_text(view.finder.observations.save(session, root, **given)))


def forget(view: View, arguments: Arguments) -> Answer:
    """`mem-forget`: what would be forgotten, and with `confirm` it is; `restore` brings it back."""
    observations, wanted = view.finder.observations, arguments.text("id", required=True)
    confirmed, back = arguments.flag("confirm", False), arguments.flag("restore", False)
    if back:
        return Answer(restored_text(observations.restore(wanted)))
    if not confirmed:
        return Answer(confirm_text(observations.get(wanted)))
    return Answer(forgotten_text(observations.forget(wanted)))


def past(view: View, arguments: Arguments) -> Answer:
    """`mem-timeline`: the last sessions, or one in detail."""
    limit = arguments.number("limit", 5, 20)
    session = arguments.text("session_id")
    observations, sources = view.finder.observations, Sources(view.index)
    room = arguments.tokens * TOKEN
    if session:
        try:
            detail = session_detail(view.snapshot, observations, session)
        except SessionUnknown as error:
            return Answer(str(error)).noting(view.missing)
        return clamped(Answer(detail_text(detail)).noting(sources.of_past([detail])), room, _further(detail))
    asked = asking(view, arguments)
    found = timeline(view.snapshot, observations, asked.root, limit + 1)
    kept = [one for one in found if one.session_id != asked.without][:limit]
    own = "" if len(kept) == len(found[:limit]) and kept == found[:limit] else "Your own session is left out."
    if not kept:
        return Answer(timeline_text(kept)).noting(own, asked.narrowed, view.missing)

    def made(shown: int) -> Answer:
        return Answer(timeline_text(kept[:shown])).noting(own, sources.of_past(kept[:shown]))

    return as_many(len(kept), made, room, "sessions", "ask with a greater max_tokens, or for one by session_id")


def _by_words(view: View, query: str, source: str) -> str:
    """What is told when not everything was searched by its meaning."""
    if not uses_vectors(query):
        return ""
    gap = VectorGap(view.no_model) if view.no_model else None
    if gap is None and view.index is not None and source != "observations":
        gap = view.index.vector_gap()
    return f"{gap.message(WORDS_AND_PATHS)}." if gap is not None else ""


def _first(found: Recalled, shown: int) -> Recalled:
    return replace(
        found,
        observations=found.observations[:shown],
        summaries=found.summaries[:shown],
        turns=found.turns[:shown],
    )


def _further(detail: Past) -> str:
    return f'ask with a greater max_tokens, or mem-search "session:{detail.session_id}"'
