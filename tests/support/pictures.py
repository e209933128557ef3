"""All that an index holds as plain values, without keys and times of writing, to compare two indexes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from memtui_core.index.index import Index
from memtui_core.store.snapshot.reader import Snapshot
from support.documents import documents

Picture = dict[str, Any]

_COLUMNS = {
    "turns": (
        "number, line, end_line, kind, segment, user_text, tool_summary, models, started_at, ended_at, input_tokens,"
        " output_tokens, cache_read_tokens, cache_write_tokens, tool_calls, errors, provisional"
    ),
    "blocks": "seq, line, kind, text, tool, tool_id, is_error, at_time, detail, entry",
    "compactions": "line, segment, at_time, trigger, tokens_before",
    "pr_links": "number, url, repository, at_time, line",
    "file_mentions": "line, path, tool, kind, is_dir",
    "agent_calls": "tool_id, agent_id, agent_type, description, prompt_hash",
    "facts": "seq, kind, name, number, text",
    "sources": "path, agent, CASE WHEN gone_at IS NULL THEN state ELSE 'gone' END, lines, error",
    "bad_lines": "line, reason",
    "unknown_entries": "line, kind, raw",
    "chunks": "seq",
}
"""What is compared of each table besides sessions, without the columns that name other rows."""
_OF_TURNS = ("blocks", "file_mentions", "agent_calls", "facts", "chunks")
_OF_SESSIONS = ("turns", "compactions", "pr_links", "sources", "file_mentions", "agent_calls", "facts")
_OF_SOURCES = ("turns", "compactions", "bad_lines", "unknown_entries")
_SESSIONS = (
    "agent, parent_tool_id, agent_type, project, root, worktree, cwd, branch, version, title, title_rank,"
    " forked_from, hidden"
)


def picture(data_dir: Path) -> Picture:
    """What the index of a data folder says.

    Every table is read whole, by one query; a row that belongs to a session, a turn or a source names it by its ids,
    its number or its path. What readers show of an index is made of these rows.
    """
    index = Index.open(data_dir)
    try:
        return _picture(data_dir, index.snapshot)
    finally:
        index.close()


def turn_counts(picture: Picture) -> dict[tuple[str, str], int]:
    """The number of turns by session: its id and that of its parent."""
    return dict(Counter(session for session, *_ in picture["turns"].elements()))


def _picture(data_dir: Path, snapshot: Snapshot) -> Picture:
    rows = snapshot.rows
    sessions = rows(f"SELECT key, session_id, coalesce(parent_id, ''), parent, {_SESSIONS} FROM sessions")
    names: dict[Any, Any] = {None: None, **{row[0]: row[1:3] for row in sessions}}
    ids = rows("SELECT id, session, number FROM turns")
    turns = {turn: (names[session], number) for turn, session, number in ids}
    sources = dict(rows("SELECT id, path FROM sources"))
    tables = {table: _table(snapshot, table, names, turns, sources) for table in _COLUMNS}
    return {
        "sessions": Counter((row[1:3], names[row[3]], row[4:]) for row in sessions),
        **tables,
        "turns of one id": len(ids) - len(turns),
        "documents": _documents(data_dir, turns),
    }


def _table(
    snapshot: Snapshot, table: str, sessions: dict[Any, Any], turns: dict[int, Any], sources: dict[int, str]
) -> Counter[Any]:
    """The rows of a table with what they belong to; a turn that does not exist is None."""
    belongs = [
        ("session", table in _OF_SESSIONS, sessions),
        ("turn", table in _OF_TURNS, turns),
        ("source", table in _OF_SOURCES, sources),
    ]
    keys = [(column, found) for column, is_of, found in belongs if is_of]
    columns = ", ".join([*(column for column, _ in keys), _COLUMNS[table]])
    count = len(keys)
    return Counter(
        (*(found.get(key) for (_, found), key in zip(keys, row, strict=False)), *map(_plain, row[count:]))
        for row in snapshot.rows(f"SELECT {columns} FROM {table}")
    )


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _documents(data_dir: Path, turns: dict[int, Any]) -> Counter[Any]:
    """The words of the keyword index by turn; a turn that was taken out may stay there until the next snapshot."""
    return Counter((turns[turn], repr(words)) for turn, words in documents(data_dir / "lexicon") if turn in turns)
