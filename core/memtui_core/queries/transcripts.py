"""Projects, sessions and turns, read from a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memtui_core.errors import SessionUnknown
from memtui_core.model import (
    Block,
    Compaction,
    FileTouch,
    PrLink,
    Project,
    Session,
    Stats,
    Turn,
)
from memtui_core.queries.rows import SourceRow
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text.controls import label, title

_SESSION = """
    SELECT s.key, s.session_id, s.agent, s.parent, s.parent_tool_id, s.project, s.root, s.cwd, s.branch, s.version,
        t.models, CASE WHEN s.title = '' THEN '(no prompt)' ELSE s.title END, t.started_at, t.ended_at,
        coalesce(t.turns, 0), coalesce(t.tool_calls, 0), coalesce(t.input_tokens, 0), coalesce(t.output_tokens, 0),
        coalesce(c.children, 0), coalesce(k.compactions, 0), s.forked_from, coalesce(g.gone, FALSE)
    FROM sessions s
    LEFT JOIN (
        SELECT session, min(credible(started_at)) AS started_at, max(credible(ended_at)) AS ended_at, count(*) AS turns,
            sum(tool_calls)::BIGINT AS tool_calls, sum(input_tokens)::BIGINT AS input_tokens,
            sum(output_tokens)::BIGINT AS output_tokens, list_sort(list_distinct(flatten(list(models)))) AS models
        FROM turns GROUP BY session
    ) t ON t.session = s.key
    LEFT JOIN (SELECT parent, count(*) AS children FROM sessions WHERE NOT hidden GROUP BY parent) c ON c.parent = s.key
    LEFT JOIN (SELECT session, count(*) AS compactions FROM compactions GROUP BY session) k ON k.session = s.key
    LEFT JOIN (
        SELECT session, bool_and(gone_at IS NOT NULL) AS gone FROM sources GROUP BY session
    ) g ON g.session = s.key
"""
_SHOWN = "NOT s.hidden AND (t.turns > 0 OR s.key IN (SELECT session FROM pr_links))"
_NEWEST = "ORDER BY t.ended_at DESC NULLS LAST, s.key"
_TURN = (
    "SELECT id, session, number, line, end_line, kind, segment, user_text, tool_summary, started_at, ended_at, models,"
    " input_tokens, output_tokens, errors, provisional FROM turns"
)


def projects(snapshot: Snapshot) -> list[Project]:
    """All projects, the one last worked in first."""
    rows = snapshot.rows(
        "SELECT s.project, s.root, count(DISTINCT s.key), max(credible(t.ended_at)) AS last FROM sessions s"
        " JOIN turns t ON t.session = s.key WHERE NOT s.hidden AND s.parent IS NULL"
        " GROUP BY s.project, s.root ORDER BY last DESC NULLS LAST, s.project, s.root"
    )
    return [Project(label(name), label(root), count, utc(last)) for name, root, count, last in rows]


def sessions(snapshot: Snapshot, project: Project | None = None) -> list[Session]:
    """The sessions that no other session started, newest first; a subagent whose parent is not there is one of them."""
    where, parameters = f"WHERE s.parent IS NULL AND {_SHOWN}", []
    if project is not None:
        where, parameters = where + " AND s.root = ? AND s.project = ?", [project.root, project.name]
    return [_session(row) for row in snapshot.rows(f"{_SESSION} {where} {_NEWEST}", parameters)]


def children(snapshot: Snapshot, parent: int) -> list[Session]:
    """The subagents of a session in the order in which they began."""
    order = "ORDER BY t.started_at NULLS LAST, s.key"
    return [_session(row) for row in snapshot.rows(f"{_SESSION} WHERE s.parent = ? AND NOT s.hidden {order}", [parent])]


def session(snapshot: Snapshot, key: int) -> Session:
    """One session. Raises SessionUnknown."""
    for row in snapshot.rows(f"{_SESSION} WHERE s.key = ?", [key]):
        return _session(row)
    raise SessionUnknown(f"There is no session with the key {key}.")


def session_by_id(snapshot: Snapshot, session_id: str) -> Session | None:
    """The session with exactly this id, a subagent's too; None when there is none."""
    rows = snapshot.rows("SELECT key FROM sessions WHERE session_id = ? AND NOT hidden LIMIT 1", [session_id])
    return session(snapshot, rows[0][0]) if rows else None


def find_session(snapshot: Snapshot, text: str) -> Session:
    """The session with this id, or whose id alone begins with it. Raises SessionUnknown."""
    exact = snapshot.rows("SELECT key FROM sessions WHERE session_id = ? ORDER BY parent_id IS NOT NULL, key", [text])
    if exact:
        return session(snapshot, exact[0][0])
    found = snapshot.rows(
        "SELECT key, session_id FROM sessions WHERE NOT hidden AND starts_with(session_id, ?) ORDER BY session_id, key",
        [text],
    )
    if not found or not text:
        raise SessionUnknown(f"There is no session whose id begins with {text!r}.")
    if len(found) > 1:
        names = ", ".join(name for _, name in found[:5]) + (" …" if len(found) > 5 else "")
        raise SessionUnknown(f"{len(found)} sessions have an id that begins with {text!r}: {names}")
    return session(snapshot, found[0][0])


def turns(source: RowSource, session_key: int) -> list[Turn]:
    """The heads of a session's turns in order, without blocks."""
    return [_turn(row) for row in source.rows(f"{_TURN} WHERE session = ? ORDER BY number", [session_key])]


def blocks(snapshot: Snapshot, session_key: int, first: int, last: int) -> dict[int, tuple[Block, ...]]:
    """The blocks of the turns numbered first to last, both included."""
    ids = dict(
        snapshot.rows(
            "SELECT id, number FROM turns WHERE session = ? AND number BETWEEN ? AND ?", [session_key, first, last]
        )
    )
    found: dict[int, list[Block]] = {number: [] for number in ids.values()}
    if ids:
        rows = snapshot.rows(
            "SELECT turn, seq, line, kind, text, tool, tool_id, is_error, at_time, detail FROM blocks"
            " WHERE turn BETWEEN ? AND ? ORDER BY turn, seq",
            [min(ids), max(ids)],
        )
        for turn, seq, line, kind, text, tool, tool_id, is_error, at, detail in rows:
            if turn in ids:
                name = tool and label(tool)
                found[ids[turn]].append(Block(seq, line, kind, text, name, tool_id, is_error, utc(at), detail))
    return {number: tuple(items) for number, items in found.items()}


def compactions(snapshot: Snapshot, session_key: int) -> list[Compaction]:
    """The compactions of a session in order."""
    rows = snapshot.rows(
        "SELECT c.session, c.line, c.at_time, c.trigger, c.tokens_before, (SELECT min(t.number) FROM turns t"
        " WHERE t.session = c.session AND t.source = c.source AND t.segment = c.segment AND t.kind = 'compaction')"
        " FROM compactions c WHERE c.session = ? ORDER BY c.source, c.line",
        [session_key],
    )
    return [
        Compaction(key, line, utc(at), trigger and label(trigger), tokens, turn)
        for key, line, at, trigger, tokens, turn in rows
    ]


def touches(snapshot: Snapshot, session_key: int, number: int) -> list[FileTouch]:
    """The files of one turn: edited, then read, then mentioned."""
    return touch_rows(snapshot, "t.session = ? AND t.number = ?", [session_key, number], "kind, m.path")


def touch_rows(snapshot: Snapshot, where: str, parameters: Sequence[Any], order: str) -> list[FileTouch]:
    """File mentions that meet a condition over turns `t`, mentions `m` and sessions `s`."""
    rows = snapshot.rows(
        "SELECT m.path, m.kind, m.tool, s.key, s.session_id, s.title, s.project, t.number, m.line, t.started_at"
        " FROM file_mentions m JOIN turns t ON t.id = m.turn JOIN sessions s ON s.key = m.session"
        f" WHERE NOT m.is_dir AND NOT s.hidden AND {where} ORDER BY {order}",
        parameters,
    )
    return [FileTouch(*safe(with_zone(row, 9), titles=(5,), labels=(0, 2, 4, 6))) for row in rows]


def pr_links(snapshot: Snapshot, number: int | None = None, session_key: int | None = None) -> list[PrLink]:
    """Pull requests and their sessions; of one number, or of one session ordered by number."""
    rows = snapshot.rows(
        "SELECT s.session_id, p.number, p.url, p.repository, p.at_time, p.line, s.title, s.project FROM pr_links p"
        " JOIN sessions s ON s.key = p.session"
        " WHERE (?::INTEGER IS NULL OR p.number = ?) AND (?::INTEGER IS NULL OR p.session = ?)"
        f" ORDER BY {'p.repository, ' if session_key is None else ''}p.number, p.at_time, s.session_id",
        [number, number, session_key, session_key],
    )
    return [PrLink(*safe(with_zone(row, 4), titles=(6,), labels=(0, 2, 3, 7))) for row in rows]


def sources(snapshot: Snapshot) -> list[SourceRow]:
    """Every file that memtui looked at and what became of it."""
    rows = snapshot.rows(
        "SELECT f.path, f.agent, CASE WHEN f.gone_at IS NULL THEN f.state ELSE 'gone' END, f.lines, f.error,"
        " (SELECT list(DISTINCT n.session_id ORDER BY n.session_id) FROM sessions n WHERE n.key = f.session"
        "   OR n.key IN (SELECT t.session FROM turns t WHERE t.source = f.id)),"
        " (SELECT list([b.line::VARCHAR, b.reason] ORDER BY b.line) FROM bad_lines b WHERE b.source = f.id)"
        " FROM sources f ORDER BY f.path"
    )
    return [
        SourceRow(
            label(path),
            label(agent),
            tuple(map(label, ids or ())),
            state,
            lines,
            tuple((int(line), label(why)) for line, why in bad or ()),
            error and label(error),
        )
        for path, agent, state, lines, error, ids, bad in rows
    ]


def stats(snapshot: Snapshot) -> Stats:
    """The size of the index."""
    row = snapshot.rows(
        "SELECT (SELECT count(DISTINCT t.session) FROM turns t JOIN sessions s ON s.key = t.session"
        " WHERE NOT s.hidden), (SELECT count(*) FROM turns t JOIN sessions s ON s.key = t.session"
        " WHERE NOT s.hidden), (SELECT count(*) FROM sources),"
        " (SELECT count(*) FROM sources WHERE state = 'error' AND gone_at IS NULL), (SELECT count(*) FROM bad_lines),"
        " (SELECT max(indexed_at) FROM sources),"
        f" {'(SELECT count(DISTINCT turn) FROM chunks)' if snapshot.version > 1 else '0'}"
    )[0]
    return Stats(*with_zone(row, 5))


def utc(at: datetime | None) -> datetime | None:
    """DuckDB gives times without a zone; all of ours are UTC."""
    return None if at is None else at.replace(tzinfo=UTC)


def with_zone(row: Sequence[Any], *columns: int) -> list[Any]:
    """A row with the times of some columns in UTC."""
    values = list(row)
    for column in columns:
        values[column] = utc(values[column])
    return values


def safe(row: Sequence[Any], *, labels: Sequence[int], titles: Sequence[int] = ()) -> list[Any]:
    """A row whose texts in some columns are safe to show: titles, and the names of things."""
    values = list(row)
    for column in titles:
        values[column] = title(values[column])
    for column in labels:
        if (value := values[column]) is not None:
            values[column] = label(value)
    return values


def _session(row: Sequence[Any]) -> Session:
    values = safe(with_zone(row, 12, 13), titles=(11,), labels=(1, 2, 5, 6, 7, 8, 9, 20))
    values[10] = tuple(map(label, values[10] or ()))
    return Session(*values)


def _turn(row: Sequence[Any]) -> Turn:
    values = with_zone(row, 9, 10)
    values[8], values[11] = tuple(values[8] or ()), tuple(map(label, values[11] or ()))
    return Turn(*values)
