"""Rows of sessions: found or made, told their facts, tied to the call that started them."""

from __future__ import annotations

import re
from pathlib import Path

from memtui_core.ingest.identity import hashed
from memtui_core.projects import locate
from memtui_core.readers.records import Facts, TitleRank
from memtui_core.store.work import Work

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_TITLE_LENGTH = 100
"""Characters of a prompt that serve as a title."""


def is_agent_file(path: Path) -> bool:
    """A subagent's own file: `<session>/subagents/agent-<id>.jsonl`, or `agent-<id>.jsonl` beside the session."""
    return path.name.startswith("agent-")


def identify(path: Path, facts: Facts) -> tuple[str, str | None]:
    """The session's id and, for a subagent's file, its parent's."""
    if is_agent_file(path):
        folder = path.parent.parent.name if path.parent.name == "subagents" else None
        return path.stem, facts.session_id or folder
    return (path.stem if _UUID.fullmatch(path.stem) else facts.session_id or path.stem), None


def find_or_make(work: Work, agent: str, session_id: str, parent_id: str | None, path: Path, facts: Facts) -> int:
    """The key of a session, a new row if it has none yet."""
    known = work.scalar(
        "SELECT key FROM sessions WHERE agent = ? AND session_id = ? AND parent_id IS NOT DISTINCT FROM ?",
        [agent, session_id, parent_id],
    )
    if known is not None:
        return int(known)
    key = work.next_id("sessions", "key")
    folder = path.parent.parent.parent if path.parent.name == "subagents" else path.parent
    place = locate(facts.cwd, folder.name)
    hidden = session_id.startswith("agent-acompact-")
    work.connection.execute(
        "INSERT INTO sessions VALUES (?, ?, ?, ?, NULL, NULL, NULL, ?, ?, ?, ?, ?, ?, '', 0, NULL, ?)",
        [key, agent, session_id, parent_id, place.name, place.root, place.worktree, facts.cwd]
        + [facts.branch, facts.version, hidden],
    )
    return key


def refresh_facts(work: Work, key: int, facts: Facts) -> None:
    """The last branch and version hold."""
    work.connection.execute(
        "UPDATE sessions SET branch = coalesce($branch, branch), version = coalesce($version, version) WHERE key = $key"
        " AND (branch IS DISTINCT FROM coalesce($branch, branch)"
        " OR version IS DISTINCT FROM coalesce($version, version))",
        {"branch": facts.branch, "version": facts.version, "key": key},
    )


def set_title(work: Work, key: int, rank: TitleRank, title: str) -> bool:
    """Name a session unless it has a more trusted name; of two equally trusted ones the last holds."""
    text = " ".join(title.split())
    if rank <= TitleRank.FIRST_PROMPT and len(text) > _TITLE_LENGTH:
        text = text[: _TITLE_LENGTH - 1].rstrip() + "…"
    keeps = "<" if rank == TitleRank.FIRST_PROMPT else "<="
    changed = work.connection.execute(
        f"UPDATE sessions SET title = ?, title_rank = ? WHERE key = ? AND title_rank {keeps} ? AND title <> ?"
        " RETURNING key",
        [text, int(rank), key, int(rank), text],
    ).fetchall()
    return bool(changed)


def link(work: Work, *, complete: bool) -> set[int]:
    """Tie subagents to the calls that started them and give sessions the summaries written in other files.

    The keys of the sessions whose title changed. Runs once a batch, over what is not tied yet; `complete` when every
    file was read.
    """
    connection = work.connection
    connection.execute(
        "UPDATE sessions SET parent = p.key FROM sessions p WHERE sessions.parent IS NULL"
        " AND sessions.parent_id IS NOT NULL AND p.session_id = sessions.parent_id AND p.parent_id IS NULL"
    )
    called = connection.execute(
        "SELECT s.key, any_value(c.tool_id), any_value(c.agent_type), any_value(c.description)"
        " FROM sessions s JOIN agent_calls c ON c.session = s.parent AND 'agent-' || c.agent_id = s.session_id"
        " WHERE s.parent_tool_id IS NULL GROUP BY s.key"
    ).fetchall()
    changed: set[int] = set()
    for key, tool_id, agent_type, description in [*called, *_matched_by_prompt(work)]:
        connection.execute(
            "UPDATE sessions SET parent_tool_id = ?, agent_type = ? WHERE key = ?", [tool_id, agent_type, key]
        )
        if description and set_title(work, key, TitleRank.AI, description):
            changed.add(key)
    return changed | _summaries(work, complete)


def _matched_by_prompt(work: Work) -> list[tuple[int, str, str | None, str | None]]:
    """Inline sidechains are not named by their call; the prompt that both hold ties them."""
    waiting = work.connection.execute(
        "SELECT s.key, s.parent, t.user_text FROM sessions s JOIN turns t ON t.session = s.key AND t.number = 1"
        " WHERE s.parent IS NOT NULL AND s.parent_tool_id IS NULL"
    ).fetchall()
    found = []
    for key, parent, prompt in waiting:
        calls = work.connection.execute(
            "SELECT tool_id, agent_type, description FROM agent_calls WHERE session = ? AND prompt_hash = ?"
            " AND tool_id NOT IN (SELECT parent_tool_id FROM sessions WHERE parent = ? AND parent_tool_id IS NOT NULL)",
            [parent, hashed(prompt.strip()), parent],
        ).fetchall()
        if calls:
            found.append((key, *calls[0]))
    return found


def _summaries(work: Work, complete: bool) -> set[int]:
    """A summary names the session that holds its leaf; one whose leaf is in no file names the file it stands in."""
    rows = work.connection.execute(
        "SELECT DISTINCT coalesce(t.session, s.session), x.title FROM titles x JOIN sources s ON s.id = x.source"
        " LEFT JOIN blocks b ON b.entry = x.leaf LEFT JOIN turns t ON t.id = b.turn"
        " JOIN sessions n ON n.key = coalesce(t.session, s.session)"
        " WHERE n.title_rank < ? AND (t.session IS NOT NULL OR ?) ORDER BY ALL",
        [int(TitleRank.SUMMARY), complete],
    ).fetchall()
    return {key for key, title in rows if set_title(work, key, TitleRank.SUMMARY, title)}
