"""All that an index holds as plain values, without keys and times of writing, to compare two indexes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from memtui_core.index import Index
from support.documents import documents

Picture = dict[str, Any]

_MENTIONS = (
    "SELECT s.session_id, t.number, m.line, m.path, m.tool, m.kind, m.is_dir FROM file_mentions m"
    " JOIN turns t ON t.id = m.turn JOIN sessions s ON s.key = m.session"
)
_AGENT_CALLS = (
    "SELECT s.session_id, t.number, c.tool_id, c.agent_id, c.agent_type, c.description, c.prompt_hash"
    " FROM agent_calls c JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = c.session"
)
_ENTRIES = (
    "SELECT s.session_id, t.number, b.seq, b.entry FROM blocks b JOIN turns t ON t.id = b.turn"
    " JOIN sessions s ON s.key = t.session"
)
_TOKENS = (
    "SELECT s.session_id, t.number, t.cache_read_tokens, t.cache_write_tokens, t.tool_calls FROM turns t"
    " JOIN sessions s ON s.key = t.session"
)
_ORPHANS = (
    "SELECT (SELECT count(*) FROM blocks WHERE turn NOT IN (SELECT id FROM turns)),"
    " (SELECT count(*) FROM file_mentions WHERE turn NOT IN (SELECT id FROM turns)),"
    " (SELECT count(*) FROM agent_calls WHERE turn NOT IN (SELECT id FROM turns)),"
    " (SELECT count(*) - count(DISTINCT id) FROM turns)"
)


def picture(data_dir: Path) -> Picture:
    """What the index of a data folder says."""
    index = Index.open(data_dir)
    try:
        rows = index.snapshot.rows("SELECT key, session_id, coalesce(parent_id, ''), title_rank, hidden FROM sessions")
        names = {row[0]: row[1] for row in rows}
        return {
            "sessions": {(row[1], row[2]): (row[3], row[4], _session(index, row[0], names)) for row in rows},
            "shown": Counter(session.session_id for session in index.sessions()),
            "projects": index.projects(),
            "mentions": Counter(index.snapshot.rows(_MENTIONS)),
            "agent calls": Counter(index.snapshot.rows(_AGENT_CALLS)),
            "entries": Counter(index.snapshot.rows(_ENTRIES)),
            "tokens": Counter(index.snapshot.rows(_TOKENS)),
            "without a turn": index.snapshot.rows(_ORPHANS),
            "pull requests": index.pr_links(),
            "sources": index.sources(),
            "stats": replace(index.stats(), indexed_at=None),
            "documents": _documents(data_dir, index),
        }
    finally:
        index.close()


def _session(index: Index, key: int, names: dict[int, str]) -> Picture:
    session = index.session(key)
    blocks = index.blocks(key, 1, max((turn.number for turn in index.turns(key)), default=0))
    return {
        "head": replace(session, key=0, parent=None),
        "parent": names.get(session.parent or 0),
        "children": [child.session_id for child in index.subagents(key)],
        "compactions": [replace(one, session=0) for one in index.compactions(key)],
        "pull requests": index.pr_links(session=key),
        "turns": [
            (
                replace(turn, id=0, session=0),
                blocks[turn.number],
                Counter(replace(touch, session=0) for touch in index.touches(key, turn.number)),
            )
            for turn in index.turns(key)
        ],
    }


def _documents(data_dir: Path, index: Index) -> Counter[Any]:
    """The words of the keyword index by turn; a turn that was taken out may stay there until the next snapshot."""
    rows = index.snapshot.rows("SELECT t.id, s.session_id, t.number FROM turns t JOIN sessions s ON s.key = t.session")
    turns = {row[0]: row[1:] for row in rows}
    return Counter((turns[turn], repr(words)) for turn, words in documents(data_dir / "lexicon") if turn in turns)
