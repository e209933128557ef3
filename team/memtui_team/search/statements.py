"""The statements of a search. Those of one step go out together, in one round trip.

Row security leaves what the device may read. This device's own sessions are in the local index, so they are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_team.search.asked import AskedWords, Narrowed, PathPattern
from memtui_team.search.fetched import FetchedSession, FetchedTurn
from memtui_team.terms import RANK_WEIGHTS

if TYPE_CHECKING:
    import psycopg

MOST: Final = 300
"""Turns that each engine finds."""
BM25_FROM: Final = 1_000
"""Turns from which on BM25 is asked: of fewer, `find_turns` looks at all that have a word of the query."""
_RANKED_BY_BM25: Final = 50
"""Turns that BM25 adds to those with the rarest words; the server reads the text of each."""
_NAMED_PROJECTS: Final = (
    "(SELECT array_agg(p.id) FROM memtui.projects p"
    " WHERE EXISTS (SELECT FROM unnest(%(projects)s::text[]) AS named WHERE starts_with(lower(p.name), named)))"
)
_NAMED_AGENTS: Final = (
    "(SELECT array_agg(DISTINCT s.agent) FROM memtui.sessions s"
    " WHERE EXISTS (SELECT FROM unnest(%(agents)s::text[]) AS named WHERE starts_with(lower(s.agent), named)))"
)
_OTHERS: Final = "device <> (SELECT memtui.this_device())"
_BM25: Final = f"""
    memtui.best_turns(
        %(terms)s::text, {{projects}}, {{agents}}, %(since)s::timestamptz, %(until)s::timestamptz, {_RANKED_BY_BM25}
    )
"""
_FIND: Final = f"""
    SELECT turn, extract(epoch FROM started_at)::bigint, matched, ranked, frequencies, total
    FROM memtui.find_turns(
        %(clauses)s::text[]::tsquery[], %(ranks)s::text[]::tsquery[], %(weights)s::real[], %(excluded)s::tsquery,
        {{also}}, {{projects}}, {{agents}}, %(since)s::timestamptz, %(until)s::timestamptz, {MOST}
    )
"""
_NEAREST: Final = f"""
    SELECT turn, chunk, vector <=> %(vector)s::halfvec AS distance FROM memtui.vectors
    WHERE {_OTHERS} AND {{}} ORDER BY distance LIMIT {MOST}
"""
_TOUCHED: Final = f"""
    SELECT turn, min(CASE kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END) AS best, min(path)
    FROM memtui.mentions WHERE {_OTHERS} AND {{}} GROUP BY turn, month ORDER BY best, month DESC, turn DESC LIMIT {MOST}
"""
_NEWEST: Final = f"""
    SELECT id FROM memtui.turns WHERE {_OTHERS} AND {{}} ORDER BY started_at DESC NULLS LAST, id DESC LIMIT {MOST}
"""
_SESSION: Final = """
    SELECT s.id, s.version, s.device, s.agent, s.session_id, s.parent_id, s.title, m.name, d.name,
        CASE WHEN s.version IS DISTINCT FROM known.version THEN s.content END
    FROM memtui.sessions s JOIN memtui.devices d ON d.id = s.device JOIN memtui.members m ON m.id = d.member
    LEFT JOIN unnest(%(known)s::bigint[], %(versions)s::text[]) AS known(id, version) ON known.id = s.id
"""
_SESSIONS_OF_TURNS: Final = f"""
    {_SESSION} WHERE s.id IN (SELECT t.session FROM memtui.turns t WHERE t.id = ANY (%(turns)s::bigint[]))
"""
_TURNS: Final = "SELECT id, session, content FROM memtui.turns WHERE id = ANY (%(missing)s::bigint[])"
_FAMILY: Final = f"""
    {_SESSION} JOIN memtui.sessions o ON o.id = %(session)s::bigint AND o.device = s.device AND o.agent = s.agent
    WHERE s.id = o.id OR s.session_id = o.parent_id OR s.parent_id = o.session_id
"""
_WHOLE: Final = "SELECT id, session, content FROM memtui.turns WHERE session = %(session)s::bigint"
_BY_ID: Final = """
    SELECT id, session_id FROM memtui.sessions WHERE starts_with(session_id, %(beginning)s)
    ORDER BY session_id, parent_id <> '', id LIMIT 20
"""


class FoundTurn(NamedTuple):
    """A turn with words of the query."""

    turn: int
    at: int
    """Start of the turn in seconds since 1970; 0 if it is not known."""
    matched: Sequence[bool]
    """Whether it has each clause."""
    ranked: Sequence[float]
    """The rank of each of `AskedWords.ranks`."""


class NearTurn(NamedTuple):
    """A chunk of a turn that is near to the query in meaning."""

    turn: int
    chunk: int
    distance: float


class TouchedTurn(NamedTuple):
    """A turn that touched a file."""

    turn: int
    kind: int
    """0 for an edit, 1 for a read, 2 for a mention."""
    path: str


class ServerFindings(NamedTuple):
    """The answers to the statements of a search."""

    words: Sequence[FoundTurn] = ()
    frequencies: Sequence[int] = ()
    """How many turns have each clause."""
    total: int = 0
    """All turns that the device may read."""
    near: Sequence[NearTurn] = ()
    touched: Sequence[Sequence[TouchedTurn]] = ()
    """For each pattern."""


def find(
    connection: psycopg.Connection,
    words: AskedWords | None,
    vector: Sequence[float] | None,
    patterns: Sequence[PathPattern],
    narrow: Narrowed,
    *,
    has_bm25: bool,
) -> ServerFindings:
    """The turns for words, a vector and paths, in one round trip."""
    values = _values(narrow)
    projects, agents, _, in_projects = _conditions(narrow)
    with connection.pipeline(), connection.transaction():
        by_words = near = None
        if words is not None and words.conditions:
            # Without a word of its own nothing is asked of BM25.
            bm25 = _BM25.format(projects=projects, agents=agents)
            also = bm25 if has_bm25 and words.terms else "NULL::bigint[]"
            values |= {
                "clauses": words.conditions, "ranks": words.ranks, "weights": list(RANK_WEIGHTS),
                "excluded": words.excluded, "terms": words.terms,
            }  # fmt: skip
            by_words = connection.execute(_FIND.format(also=also, projects=projects, agents=agents), values)
        if vector is not None:
            connection.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
            connection.execute("SET LOCAL hnsw.ef_search = 200")
            text = "[" + ",".join(f"{number:.6g}" for number in vector) + "]"
            near = connection.execute(_NEAREST.format(in_projects), values | {"vector": text})
        touched = [_execute_touched(connection, pattern, in_projects, values) for pattern in patterns]
    found = by_words.fetchall() if by_words is not None else []
    first = found[0] if found else None
    return ServerFindings(
        [FoundTurn(turn, at or 0, matched, ranked) for turn, at, matched, ranked, _, _ in found],
        first[4] if first is not None else (),
        first[5] if first is not None else 0,
        [NearTurn(*row) for row in near.fetchall()] if near is not None else [],
        [[TouchedTurn(*row) for row in cursor.fetchall()] for cursor in touched],
    )


def newest(connection: psycopg.Connection, narrow: Narrowed) -> list[int]:
    """The newest turns, for a query that has only filters."""
    _, _, condition, _ = _conditions(narrow)
    return [turn for (turn,) in connection.execute(_NEWEST.format(condition), _values(narrow)).fetchall()]


def fetch(
    connection: psycopg.Connection, turns: Collection[int], missing: Collection[int], known: Mapping[int, str]
) -> tuple[list[FetchedSession], list[FetchedTurn]]:
    """The missing ones of some turns, and the sessions of all of them that are not known in their current version."""
    values = {"turns": list(turns), "missing": list(missing), **_known(known)}
    with connection.pipeline():
        sessions = connection.execute(_SESSIONS_OF_TURNS, values, binary=True)
        fetched = connection.execute(_TURNS, values, binary=True)
    return _sessions(sessions.fetchall()), [FetchedTurn(*row) for row in fetched.fetchall()]


def fetch_session(
    connection: psycopg.Connection, session: int, known: Mapping[int, str]
) -> tuple[list[FetchedSession], list[FetchedTurn]]:
    """A whole session, with the rows of its parent and of its subagents."""
    # Its own rows are fetched again with all turns.
    values = {"session": session, **_known({id_: version for id_, version in known.items() if id_ != session})}
    with connection.pipeline():
        sessions = connection.execute(_FAMILY, values, binary=True)
        turns = connection.execute(_WHOLE, values, binary=True)
    return _sessions(sessions.fetchall()), [FetchedTurn(*row) for row in turns.fetchall()]


def sessions_named(connection: psycopg.Connection, beginning: str) -> list[tuple[int, str]]:
    """The sessions whose ids begin with a text, with these ids."""
    values = {"beginning": beginning.replace("\0", "")}
    return [(id_, session_id) for id_, session_id in connection.execute(_BY_ID, values).fetchall()]


def _execute_touched(
    connection: psycopg.Connection, pattern: PathPattern, in_projects: str, values: Mapping[str, Any]
) -> psycopg.Cursor[Any]:
    conditions = [in_projects]
    if pattern.first:
        conditions.append("reversed >= %(first)s AND reversed < %(last)s")
    if pattern.like:
        conditions.append("'/' || lower(path) LIKE %(like)s")
    return connection.execute(_TOUCHED.format(" AND ".join(conditions)), {**values, **pattern._asdict()})


def _conditions(narrow: Narrowed) -> tuple[str, str, str, str]:
    """The projects and the agents as expressions, a condition on turns, and one on other tables."""
    projects = _NAMED_PROJECTS if narrow.projects else "NULL::int[]"
    agents = _NAMED_AGENTS if narrow.agents else "NULL::text[]"
    in_projects = f"project = ANY (coalesce({projects}, ARRAY[project]))" if narrow.projects else "TRUE"
    conditions = [in_projects]
    if narrow.agents:
        conditions.append(f"agent = ANY (coalesce({agents}, ARRAY[agent]))")
    if narrow.since is not None:
        conditions.append("started_at >= %(since)s")
    if narrow.until is not None:
        conditions.append("started_at < %(until)s")
    return projects, agents, " AND ".join(conditions), in_projects


def _values(narrow: Narrowed) -> dict[str, Any]:
    return {
        "projects": list(narrow.projects), "agents": list(narrow.agents), "since": narrow.since, "until": narrow.until,
    }  # fmt: skip


def _known(known: Mapping[int, str]) -> dict[str, Any]:
    return {"known": list(known), "versions": list(known.values())}


def _sessions(rows: Sequence[Sequence[Any]]) -> list[FetchedSession]:
    """The sessions whose content came along: of the others the current version is known."""
    return [FetchedSession(*row) for row in rows if row[-1] is not None]
