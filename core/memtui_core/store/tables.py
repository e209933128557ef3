"""The columns of the tables that snapshots carry, and the column by which the rows of each are replaced together.

Imports nothing of DuckDB or Arrow, so that a hook can read a snapshot in the time of a short look.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, Protocol


class RowSource(Protocol):
    """What answers a query: a snapshot, or the work database."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""


INT, BIG, REAL, TEXT, BOOL, TIME, LIST = "int", "big", "real", "text", "bool", "time", "list"
"""Kinds of columns. A time is given in microseconds since 1970, a list of strings as one joined text."""
LIST_SEPARATOR: Final = "\x1f"
"""Joins a list of strings on its way into a VARCHAR[] column."""

COLUMNS: Final[dict[str, dict[str, str]]] = {
    "sources": {
        "id": INT, "path": TEXT, "agent": TEXT, "state": TEXT, "session": INT, "size": BIG, "mtime": BIG,
        "cursor_offset": BIG, "cursor_line": INT, "lines": INT, "head_hash": TEXT, "head_size": INT, "error": TEXT,
        "indexed_at": TIME, "gone_at": TIME,
    },
    "bad_lines": {"source": INT, "line": INT, "reason": TEXT},
    "sessions": {
        "key": INT, "agent": TEXT, "session_id": TEXT, "parent_id": TEXT, "parent": INT, "parent_tool_id": TEXT,
        "agent_type": TEXT, "project": TEXT, "root": TEXT, "worktree": TEXT, "cwd": TEXT, "branch": TEXT,
        "version": TEXT, "title": TEXT, "title_rank": INT, "forked_from": TEXT, "hidden": BOOL,
    },
    "turns": {
        "id": INT, "session": INT, "source": INT, "number": INT, "line": INT, "end_line": INT, "kind": TEXT,
        "segment": INT, "user_text": TEXT, "tool_summary": LIST, "models": LIST, "started_at": TIME, "ended_at": TIME,
        "input_tokens": BIG, "output_tokens": BIG, "cache_read_tokens": BIG, "cache_write_tokens": BIG,
        "tool_calls": INT, "errors": INT, "provisional": BOOL, "batch": INT,
    },
    "blocks": {
        "turn": INT, "seq": INT, "line": INT, "kind": TEXT, "text": TEXT, "tool": TEXT, "tool_id": TEXT,
        "is_error": BOOL, "at_time": TIME, "detail": TEXT, "entry": BIG,
    },
    "file_mentions": {
        "session": INT, "turn": INT, "line": INT, "path": TEXT, "tool": TEXT, "kind": TEXT, "is_dir": BOOL,
    },
    "agent_calls": {
        "session": INT, "turn": INT, "tool_id": TEXT, "agent_id": TEXT, "agent_type": TEXT, "description": TEXT,
        "prompt_hash": BIG,
    },
    "compactions": {
        "session": INT, "source": INT, "line": INT, "segment": INT, "at_time": TIME, "trigger": TEXT,
        "tokens_before": BIG,
    },
    "compaction_reviews": {"source": INT, "line": INT, "weight_kept": REAL, "weight_total": REAL},
    "pr_links": {"session": INT, "number": INT, "url": TEXT, "repository": TEXT, "at_time": TIME, "line": INT},
    "titles": {"source": INT, "leaf": BIG, "title": TEXT},
    "chunks": {"turn": INT, "seq": INT, "hash": BIG, "text": TEXT, "first": INT, "last": INT},
}  # fmt: skip
"""Every table that a snapshot carries, with its columns in the order of the rows that are handed over."""

KEYS: Final[dict[str, str]] = {
    "sources": "id", "bad_lines": "source", "sessions": "key", "turns": "id", "blocks": "turn", "file_mentions": "turn",
    "agent_calls": "turn", "compactions": "source", "compaction_reviews": "source",
    "pr_links": "session", "titles": "source", "chunks": "turn",
}  # fmt: skip
"""The key of each table, always a whole number: the rows of one key are dropped together."""

_SQL_TYPES: Final = {
    INT: "INTEGER", BIG: "BIGINT", REAL: "DOUBLE", TEXT: "VARCHAR", BOOL: "BOOLEAN", TIME: "BIGINT", LIST: "VARCHAR",
}  # fmt: skip


def names(table: str) -> str:
    """The columns of a table as the list of a SELECT or an INSERT."""
    return ", ".join(COLUMNS[table])


def among(column: str, keys: Collection[int]) -> str:
    """The condition that a column holds one of some numbers: faster as text than as a parameter, which is a list."""
    return f"{column} IN ({', '.join(map(str, keys))})" if keys else "FALSE"


def value(expression: str, kind: str) -> str:
    """SQL that makes the value of a column from what is handed over for it."""
    if kind == TIME:
        return f"make_timestamp({expression})"
    if kind == LIST:
        return f"CASE WHEN {expression} = '' THEN [] ELSE string_split({expression}, chr(31)) END"
    return expression


def given(table: str) -> str:
    """The columns of a table as the list of a SELECT that gives rows in the form in which they are handed over."""
    forms = {TIME: "epoch_us({})", LIST: "array_to_string({}, chr(31))"}
    return ", ".join(forms.get(kind, "{}").format(name) for name, kind in COLUMNS[table].items())


def rows_from_json(table: str) -> str:
    """SELECT of the rows that one parameter holds as JSON, each row an array of its values."""
    columns = (
        f"{value(f'r[{place}]::{_SQL_TYPES[kind]}', kind)} AS {name}"
        for place, (name, kind) in enumerate(COLUMNS[table].items(), 1)
    )
    return f"""SELECT {", ".join(columns)} FROM (SELECT unnest(from_json(?, '[["VARCHAR"]]')) AS r)"""


def keys_from_json(name: str) -> str:
    """SELECT of the numbers that one parameter holds as JSON: a list as a parameter takes a hundred times as long."""
    return f"""SELECT unnest(from_json(?, '["INTEGER"]')) AS {name}"""
