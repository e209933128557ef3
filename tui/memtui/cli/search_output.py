"""What `memtui search` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli.opened import load_model, open_index
from memtui.cli.output import print_json, say, short_time, show, show_marked

if TYPE_CHECKING:
    from memtui_core.model import Hit


def print_hits(query: tuple[str, ...], limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Print the turns that answer a query, and notes about the search."""
    from memtui_core.search.vector_coverage import WORDS_AND_PATHS, uses_vectors
    from memtui_core.system import locations

    index = open_index(data_dir)
    text = " ".join(query)
    if uses_vectors(text):
        load_model(index)
    result = index.search(text, limit, live=True, current_folder=locations.current_folder())
    if as_json:
        print_json([hit_object(hit) for hit in result.hits])
    else:
        _print_hits(result.hits)
    if result.note:
        say(result.note)
    if gap := index.vector_gap(text):
        say(f"{gap.message(WORDS_AND_PATHS)}.")
    if not result.hits:
        say("Nothing matched.")


def _print_hits(hits: Sequence[Hit]) -> None:
    """Print the best hit of each session, and the turns of its other hits."""
    from memtui_core.readers.registry import short_name
    from memtui_core.search.hits import group_hits

    shows_agent = len({hit.agent for hit in hits}) > 1
    for group in group_hits(hits):
        hit = group.best
        agent = short_name(hit.agent) if shows_agent else ""
        facts = filter(None, (hit.title, hit.project, agent, short_time(hit.started_at)))
        show(f"{hit.session_id}:{hit.turn}  {' · '.join(facts)}")
        show_marked("    ", hit.snippet, hit.spans)
        show(f"    {' · '.join(hit.why)}")
        if group.others:
            show(f"    +{len(group.others)} more: {' '.join(_reference(other, hit) for other in group.others)}")


def hit_object(hit: Hit) -> dict[str, Any]:
    """A hit as JSON."""
    return {
        "session_id": hit.session_id,
        "agent": hit.agent,
        "project": hit.project,
        "title": hit.title,
        "turn": hit.turn,
        "line": hit.line,
        "role": hit.role,
        "started_at": hit.started_at,
        "snippet": hit.snippet,
        "why": list(hit.why),
        "passages": [
            {"block": passage.block, "first": passage.first, "last": passage.last, "source": passage.source}
            for passage in hit.passages
        ],
        "score": round(hit.score, 6),
        "path": hit.path,
    }


def _reference(hit: Hit, best: Hit) -> str:
    """The session and turn of another hit of a group; only the turn if the session is that of the best hit."""
    return f":{hit.turn}" if hit.session_id == best.session_id else f"{hit.session_id}:{hit.turn}"
