"""SQL over the index: views with stable names and columns, read-only, and cut off from everything else.

Only the views are promised. The database is one of its own in memory, into which the files of the snapshot are attached
read-only. Before the statement of a user runs, no file can be opened any more, not even those of the snapshot, no
extension loaded and no setting changed, and its transaction is read-only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count
from threading import Timer
from time import monotonic
from typing import Any, Final, NamedTuple

import _duckdb

from memtui_core.errors import SqlFailed
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.snapshot_annotations import TABLE as ANNOTATIONS
from memtui_core.store.snapshot.reader import Snapshot, unusable
from memtui_core.store.tables import COLUMNS
from memtui_core.text.characters import storable
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import MACHINE


@dataclass(frozen=True, slots=True)
class SqlView:
    """A view: its columns with what is said of them, and where they come from."""

    name: str
    about: str
    columns: Mapping[str, tuple[str, str]]
    """By name, in their order: SQL, and what is said of it; empty if the name says all."""
    rest: str
    """SQL from FROM on; tables of the index stand in braces: `{turns}`."""

    def select(self, tables: Mapping[str, str]) -> str:
        """The query of the view, with the whole names of tables."""
        columns = ", ".join(f"{sql} AS {name}" for name, (sql, _) in self.columns.items())
        return re.sub(r"\{(\w+)\}", lambda table: tables[table[1]], f"SELECT {columns} {self.rest}")

    @property
    def tables(self) -> list[str]:
        """The tables of the index that it reads."""
        return re.findall(r"\{(\w+)\}", "".join((self.rest, *(sql for sql, _ in self.columns.values()))))


_SESSION: Final = "JOIN {sessions} s ON s.key = t.session AND NOT s.hidden"
_OF_TURN: Final = {"session_id": ("s.session_id", ""), "turn": ("t.number", "from 1")}
_TOKENS: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_UTC: Final = "in UTC"

VIEWS: Final = (
    SqlView(
        "sessions",
        "Sessions, and the subagents that they started.",
        {
            "session_id": ("s.session_id", ""),
            "agent": ("s.agent", "as `agent:` names it"),
            "machine": (f"CASE WHEN TRUE THEN {MACHINE.format('s')} END", "empty for this one"),
            "project": ("s.project", ""),
            "root": ("s.root", "the folder of the project"),
            "title": (
                "coalesce((SELECT first(a.text) FROM {annotations} a WHERE a.session = s.key AND a.turn IS NULL"
                " AND a.kind = 'title'), s.title)",
                "yours, the agent's, or the first prompt",
            ),
            "branch": ("s.branch", ""),
            "cwd": ("s.cwd", "where it was started"),
            "parent_id": ("p.session_id", "of a subagent: the session that started it"),
            "forked_from": ("s.forked_from", ""),
            "started_at": ("t.started_at", _UTC),
            "ended_at": ("t.ended_at", _UTC),
            "turns": ("coalesce(t.turns, 0)", ""),
            "tool_calls": ("coalesce(t.tool_calls, 0)", ""),
            "errors": ("coalesce(t.errors, 0)", "results that say they are one"),
            **{name: (f"coalesce(t.{name}, 0)", "") for name in _TOKENS},
            "pinned": (
                "EXISTS (SELECT 1 FROM {annotations} a WHERE a.session = s.key AND a.turn IS NULL AND a.kind = 'pin')",
                "",
            ),
            "archived": ("EXISTS (SELECT 1 FROM {annotations} a WHERE a.session = s.key AND a.kind = 'archive')", ""),
        },
        "FROM {sessions} s LEFT JOIN {sessions} p ON p.key = s.parent LEFT JOIN (SELECT session,"
        " min(started_at) AS started_at, max(ended_at) AS ended_at, count(*) AS turns,"
        " sum(tool_calls)::BIGINT AS tool_calls, sum(errors)::BIGINT AS errors,"
        f" {', '.join(f'sum({name})::BIGINT AS {name}' for name in _TOKENS)} FROM {{turns}} GROUP BY session) t"
        " ON t.session = s.key WHERE NOT s.hidden",
    ),
    SqlView(
        "turns",
        "A prompt and what the agent did until the next one.",
        {
            **_OF_TURN,
            "kind": ("t.kind", "`human`, `command`, `agent`, `compaction` or `opening`"),
            "started_at": ("t.started_at", _UTC),
            "ended_at": ("t.ended_at", _UTC),
            "prompt": ("t.user_text", ""),
            "models": ("t.models", "a list"),
            "tool_calls": ("t.tool_calls", ""),
            "errors": ("t.errors", ""),
            **{name: (f"t.{name}", "") for name in _TOKENS},
        },
        f"FROM {{turns}} t {_SESSION}",
    ),
    SqlView(
        "texts",
        "What was said in a turn, piece by piece.",
        {
            **_OF_TURN,
            "seq": ("b.seq", "the order in the turn"),
            "kind": (
                "CASE b.kind WHEN 'text' THEN 'assistant' ELSE b.kind END",
                "`user`, `assistant`, `thinking`, `note`",
            ),
            "text": ("b.text", ""),
            "time": ("b.at_time", _UTC),
        },
        f"FROM {{blocks}} b JOIN {{turns}} t ON t.id = b.turn {_SESSION}"
        " WHERE b.kind IN ('user', 'text', 'thinking', 'note')",
    ),
    SqlView(
        "tool_calls",
        "The calls of tools with their results.",
        {
            **_OF_TURN,
            "seq": ("b.seq", "the order in the turn"),
            "tool": ("b.tool", ""),
            "input": ("b.text", "JSON: `input ->> '$.command'`"),
            "result": ("r.text", ""),
            "is_error": ("coalesce(r.is_error, FALSE)", ""),
            "time": ("b.at_time", _UTC),
            "result_at": ("r.at_time", _UTC),
        },
        "FROM {blocks} b LEFT JOIN {blocks} r ON r.turn = b.turn AND r.tool_id = b.tool_id AND r.kind = 'tool_result'"
        f" JOIN {{turns}} t ON t.id = b.turn {_SESSION} WHERE b.kind = 'tool_call'",
    ),
    SqlView(
        "touches",
        "The files that turns edited, read or mentioned.",
        {
            **_OF_TURN,
            "path": ("m.path", "in the project relative to its root"),
            "kind": ("m.kind", "`edited`, `read` or `mentioned`"),
            "tool": ("m.tool", ""),
            "is_folder": ("m.is_dir", ""),
            "project": ("s.project", ""),
            "time": ("t.started_at", _UTC),
        },
        f"FROM {{file_mentions}} m JOIN {{turns}} t ON t.id = m.turn {_SESSION}",
    ),
    SqlView(
        "files",
        "The files of each project.",
        {
            "project": ("s.project", ""),
            "root": ("s.root", ""),
            "path": ("m.path", ""),
            "edited": ("count(DISTINCT m.turn) FILTER (m.kind = 'edited')", "how many turns"),
            "read": ("count(DISTINCT m.turn) FILTER (m.kind = 'read')", "how many turns"),
            "mentioned": ("count(DISTINCT m.turn) FILTER (m.kind = 'mentioned')", "how many turns"),
            "sessions": ("count(DISTINCT s.key)", "how many"),
            "first_at": ("min(t.started_at)", _UTC),
            "last_at": ("max(t.started_at)", _UTC),
        },
        f"FROM {{file_mentions}} m JOIN {{turns}} t ON t.id = m.turn {_SESSION} WHERE NOT m.is_dir"
        " GROUP BY s.project, s.root, m.path",
    ),
    SqlView(
        "compactions",
        "Where the context of a session was compacted.",
        {
            "session_id": ("s.session_id", ""),
            "time": ("t.at_time", _UTC),
            "trigger": ("t.trigger", "`auto` or `manual`; empty where the agent does not write it"),
            "tokens_before": ("t.tokens_before", ""),
            "turns_before": (
                "(SELECT count(*) FROM {turns} o WHERE o.session = t.session AND o.segment < t.segment)",
                "",
            ),
        },
        f"FROM {{compactions}} t {_SESSION}",
    ),
    SqlView(
        "pull_requests",
        "Pull requests and the sessions that belong to them.",
        {
            "session_id": ("s.session_id", ""),
            "number": ("t.number", ""),
            "repository": ("t.repository", ""),
            "url": ("t.url", ""),
            "time": ("t.at_time", _UTC),
        },
        f"FROM {{pr_links}} t {_SESSION}",
    ),
    SqlView(
        "usage",
        "The tokens of each session, day and model.",
        {
            "session_id": ("s.session_id", ""),
            "project": ("s.project", ""),
            "agent": ("s.agent", ""),
            "day": ("t.started_at::DATE", _UTC),
            "model": ("array_to_string(t.models, ' + ')", "several that answered one turn are joined by ` + `"),
            "turns": ("count(*)", ""),
            **{name: (f"sum(t.{name})::BIGINT", "") for name in _TOKENS},
        },
        f"FROM {{turns}} t {_SESSION} GROUP BY ALL",
    ),
    SqlView(
        "annotations",
        "What you have added to sessions and turns.",
        {
            "session_id": ("s.session_id", ""),
            "turn": ("t.number", "empty for the session itself"),
            "kind": ("a.kind", "`pin`, `title`, `tag`, `note` or `archive`"),
            "text": ("a.text", ""),
        },
        "FROM {annotations} a JOIN {sessions} s ON s.key = a.session AND NOT s.hidden"
        " LEFT JOIN {turns} t ON t.id = a.turn",
    ),
    SqlView(
        "commits",
        "The commits that git said a tool call made.",
        {
            **_OF_TURN,
            "seq": ("f.seq", "the call, as in `tool_calls`"),
            "id": ("f.name", "the start of it that git printed, empty if it printed none"),
            "subject": ("f.text", ""),
            "amends": ("f.number > 0", "it replaced the one before"),
            "time": ("b.at_time", _UTC),
        },
        "FROM {facts} f JOIN {blocks} b ON b.turn = f.turn AND b.seq = f.seq"
        f" JOIN {{turns}} t ON t.id = f.turn {_SESSION} WHERE f.kind = 'commit'",
    ),
)
"""All views. Names and columns stay; new ones may be added at the end."""
_LOCKS: Final = (
    # Otherwise it writes what does not fit in memory into the current folder.
    "temp_directory = ''",
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "allow_community_extensions = false",
    "enable_external_access = false",
    # Without it the paths of attached files can still be read and written. Before the line above DuckDB refuses it.
    "disabled_filesystems = 'LocalFileSystem'",
    "lock_configuration = true",
)
_MEMORY: Final = 10**9
"""Bytes that a statement may take, besides those of the tables that are in memory."""
_PART: Final = 1000
"""Rows that are made at once."""
_GRACE: Final = 2.0
"""Seconds that a statement has to end after it was interrupted."""
_ZONED: Final = "TIME ZONE"
"""A part of the names of types for whose values Python needs another package."""
_SCHEMA: Final = "memtui.main"
"""A database of its own in memory, so that only the views are listed."""


class SqlRows(NamedTuple):
    """The answer to a statement, or a part of it."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    """Values as JSON has them; times are aware, in UTC, and what JSON has no form for is a text."""


def sql_parts(
    data: DataDir, statement: str, seconds: float | None = None, on_stuck: Callable[[], object] | None = None
) -> Iterator[SqlRows]:
    """The rows of one statement that reads, over the newest snapshot, in parts, which are made when they are asked for.

    There is at least one part. Some functions of DuckDB end only when they are done: if the statement goes on although
    its `seconds` are over, another thread calls `on_stuck`. The time between two parts does not count. Raises SqlFailed
    for a statement that is wrong, is none that reads, or takes more than its time or memory, KeyboardInterrupt if the
    user ends it, and the errors of opening a snapshot.
    """
    snapshot = Snapshot(data)
    statement = storable(statement)
    try:
        try:
            _create_views(snapshot, snapshot._connection, statement)
        except (_duckdb.Error, OSError, ValueError) as error:
            raise unusable(data, error) from error
        yield from _answer(snapshot._connection, statement, seconds, on_stuck)
    except _duckdb.OutOfMemoryException as error:
        raise SqlFailed(f"It needs more memory than {_MEMORY // 10**9} GB.") from error
    except _duckdb.IOException as error:
        raise unusable(data, error) from error
    except (_duckdb.Error, ValueError, OverflowError) as error:
        raise SqlFailed(str(error).strip()) from error
    finally:
        snapshot.close()


def too_long(seconds: float) -> str:
    """What is said of a statement that took more than its time."""
    return f"It took longer than {seconds:g} s."


def _answer(
    connection: Any, statement: str, seconds: float | None, on_stuck: Callable[[], object] | None
) -> Iterator[SqlRows]:
    """The rows of a statement, in a connection that can do nothing else from now on."""
    connection.execute(f"SET search_path = '{_SCHEMA}'")
    [(used,)] = connection.execute("SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()").fetchall()
    connection.execute(f"SET memory_limit = '{(used + _MEMORY) // 1000} KB'")
    for lock in _LOCKS:
        connection.execute(f"SET {lock}")
    _refuse_others(connection, statement)
    connection.execute("BEGIN TRANSACTION READ ONLY")
    relation, left = None, seconds
    while True:
        began = monotonic()
        try:
            with _limited(connection, left, on_stuck):
                if relation is None:
                    relation = _readable_rows(connection, statement)
                rows = [tuple(map(_plain, row)) for row in relation.fetchmany(_PART)]
        except _duckdb.InterruptException as error:
            raise SqlFailed(too_long(seconds or 0)) from error
        except RuntimeError as error:
            # DuckDB's word for an interrupt from the keyboard.
            raise KeyboardInterrupt if "interrupted" in str(error) else error from error
        left = None if left is None else left - (monotonic() - began)
        yield SqlRows(tuple(relation.columns), rows)
        if len(rows) < _PART:
            return


@contextmanager
def _limited(connection: Any, seconds: float | None, on_stuck: Callable[[], object] | None) -> Iterator[None]:
    """Interrupt what runs after some seconds, and call `on_stuck` if it does not end then."""
    timers = [] if seconds is None else [Timer(seconds, connection.interrupt)]
    if seconds is not None and on_stuck is not None:
        timers.append(Timer(seconds + _GRACE, on_stuck))
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()


def _readable_rows(connection: Any, statement: str) -> Any:
    """The relation of a statement, with columns of which Python can have the values."""
    relation = connection.sql(statement)
    kinds = [str(kind) for kind in relation.types]
    if not any(_ZONED in kind for kind in kinds):
        return relation
    return relation.project(", ".join(map(_readable, count(1), relation.columns, kinds)))


def _refuse_others(connection: Any, statement: str) -> None:
    """Raise SqlFailed unless the text is one statement that reads."""
    kinds = _kinds(connection, statement)
    if kinds == ["EXPLAIN"]:
        # With ANALYZE what is explained is run.
        kinds = _kinds_explained(connection, statement)
    if kinds != ["SELECT"]:
        raise SqlFailed(
            "It is no single statement that reads: SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, EXPLAIN."
        )


def _kinds(connection: Any, text: str) -> list[str]:
    """The kinds of the statements in a text."""
    return [one.type.name for one in connection.extract_statements(text)]


def _kinds_explained(connection: Any, statement: str) -> list[str]:
    """The kinds of the statements behind EXPLAIN and its options, which are none themselves."""
    encoded = statement.encode()
    for start, _ in _duckdb.tokenize(statement)[1:]:
        with suppress(_duckdb.ParserException):
            return _kinds(connection, encoded[start:].decode())
    return []


def _create_views(snapshot: Snapshot, connection: Any, statement: str) -> None:
    """Create the views that the statement names, or all if it names none: the tables of each must be merged."""
    named = [view for view in VIEWS if view.name in statement.lower()] or VIEWS
    snapshot._layers.merge_for(" ".join(table for view in named for table in view.tables))
    snapshot.annotations.fill()
    rows = connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'memory' AND table_schema = 'main'"
    ).fetchall()
    merged = {name for (name,) in rows}
    tables = {name: f"{'memory' if name in merged else 'base'}.main.{name}" for name in (*COLUMNS, ANNOTATIONS)}
    connection.execute("ATTACH ':memory:' AS memtui")
    for view in named:
        connection.execute(f"CREATE VIEW {_SCHEMA}.{view.name} AS {view.select(tables)}")


def _readable(place: int, name: str, kind: str) -> str:
    """A column of a result; a time with a zone is a text."""
    quoted = '"' + name.replace('"', '""') + '"'
    return f"#{place}{'::VARCHAR' if _ZONED in kind else ''} AS {quoted}"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return str(stored(value))


def schema_lines() -> Sequence[str]:
    """The views with their columns, as `memtui sql --schema` and the documentation show them."""
    lines: list[str] = []
    for view in VIEWS:
        lines += [f"{view.name}: {view.about}"]
        lines += [f"  {name}{f': {about}' if about else ''}" for name, (_, about) in view.columns.items()]
    return lines
