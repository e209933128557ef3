"""The columns of the tables in a snapshot, the key column by which rows are replaced, and the rows of a table.

Does not import DuckDB or Arrow, so that a hook can read a snapshot quickly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from memtui_core.text.characters import storable


class RowSource(Protocol):
    """Runs queries: a snapshot, or the work database."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""


INT, BIG, REAL, TEXT, BOOL, TIME, LIST = "int", "big", "real", "text", "bool", "time", "list"
"""Kinds of columns. In a row, a time is in microseconds since 1970, and a list of strings is one joined text."""
LIST_SEPARATOR: Final = "\x1f"
"""Joins the strings of a VARCHAR[] column in a row."""
MODEL_SEPARATOR: Final = " + "
"""Between the names of several models that answered the same turn, in queries."""

COLUMNS: Final[dict[str, dict[str, str]]] = {
    "sources": {
        "id": INT, "path": TEXT, "agent": TEXT, "state": TEXT, "session": INT, "size": BIG, "mtime": BIG,
        "cursor_offset": BIG, "cursor_line": INT, "lines": INT, "head_hash": TEXT, "head_size": INT, "error": TEXT,
        "indexed_at": TIME, "gone_at": TIME,
    },
    "bad_lines": {"source": INT, "line": INT, "reason": TEXT},
    "unknown_entries": {"source": INT, "line": INT, "kind": TEXT, "raw": TEXT},
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
    "facts": {
        "session": INT, "turn": INT, "seq": INT, "kind": TEXT, "name": TEXT, "number": BIG, "text": TEXT,
    },
    "compactions": {
        "session": INT, "source": INT, "line": INT, "segment": INT, "at_time": TIME, "trigger": TEXT,
        "tokens_before": BIG,
    },
    "reviews": {"source": INT, "line": INT, "rules": INT, "by_meaning": BOOL},
    "review_items": {
        "source": INT, "line": INT, "is_lost": BOOL, "rank": INT, "kind": TEXT, "text": TEXT, "session": INT,
        "turn": INT, "turns": TEXT, "item_line": INT, "times": INT, "weight": REAL, "dropped_at": INT,
    },
    "forks": {"session": INT, "until": TIME},
    "pr_links": {"session": INT, "number": INT, "url": TEXT, "repository": TEXT, "at_time": TIME, "line": INT},
    "titles": {"source": INT, "leaf": BIG, "title": TEXT},
    "chunks": {"turn": INT, "seq": INT, "hash": BIG, "text": TEXT, "first": INT, "last": INT},
}  # fmt: skip
"""Every table in a snapshot, with its columns in the order of the values of a row."""

KEYS: Final[dict[str, str]] = {
    "sources": "id", "bad_lines": "source", "unknown_entries": "source", "sessions": "key", "turns": "id",
    "blocks": "turn", "file_mentions": "turn",
    "agent_calls": "turn", "facts": "turn", "compactions": "source", "reviews": "source", "review_items": "source",
    "forks": "session", "pr_links": "session", "titles": "source", "chunks": "turn",
}  # fmt: skip
"""The key column of each table, always an integer: all rows with the same key are deleted together."""

REMOVED_TABLES: Final = frozenset({"compaction_reviews"})
"""Tables of older versions: the changes of them that a journal contains are skipped."""
_SQL_TYPES: Final = {
    INT: "INTEGER", BIG: "BIGINT", REAL: "DOUBLE", TEXT: "VARCHAR", BOOL: "BOOLEAN", TIME: "BIGINT", LIST: "VARCHAR",
}  # fmt: skip


def column_list(table: str) -> str:
    """The columns of a table, for a SELECT or an INSERT."""
    return ", ".join(COLUMNS[table])


def key_condition(column: str, keys: Collection[int]) -> str:
    """The SQL condition that a column is one of some keys, as text: a list as a parameter is slower."""
    return f"{column} IN ({', '.join(map(str, keys))})" if keys else "FALSE"


def key_ranges(column: str, keys: Collection[int], gap: int = 64) -> Iterator[str]:
    """SQL conditions that are together the same as `key_condition`, each for keys that are close to each other.

    DuckDB reads only the part of a table in which a range of its first column lies, but all of it for a list of keys.
    A text far from the others costs a statement of its own, which is less than reading what lies between.
    """
    for near in near_keys(keys, gap):
        if near[0] == near[-1]:
            yield f"{column} = {near[0]}"
        else:
            yield f"{column} BETWEEN {near[0]} AND {near[-1]} AND {key_condition(column, near)}"


def near_keys(keys: Collection[int], gap: int = 64) -> Iterator[list[int]]:
    """The keys in their order, those together that are close to each other."""
    ordered = sorted(keys)
    first = 0
    for last in range(1, len(ordered) + 1):
        if last == len(ordered) or ordered[last] - ordered[last - 1] > gap:
            yield ordered[first:last]
            first = last


def column_value(expression: str, kind: str) -> str:
    """SQL that converts the value in a row to the value in a column of this kind."""
    if kind == TIME:
        return f"make_timestamp({expression})"
    if kind == LIST:
        return f"CASE WHEN {expression} = '' THEN [] ELSE string_split({expression}, chr(31)) END"
    return expression


def stored_columns(table: str) -> str:
    """The columns of a table, for a SELECT that returns rows in the form in which they are inserted."""
    return ", ".join(split_columns(table))


def split_columns(table: str) -> list[str]:
    """The columns of `stored_columns`, one by one."""
    forms = {TIME: "epoch_us({})", LIST: "array_to_string({}, chr(31))"}
    return [forms.get(kind, "{}").format(name) for name, kind in COLUMNS[table].items()]


def rows_from_json(table: str) -> str:
    """SELECT of the rows in one JSON parameter, an array of rows, each an array of values."""
    columns = (
        f"{column_value(f'r[{place}]::{_SQL_TYPES[kind]}', kind)} AS {name}"
        for place, (name, kind) in enumerate(COLUMNS[table].items(), 1)
    )
    return f"""SELECT {", ".join(columns)} FROM (SELECT unnest(from_json(?, '[["VARCHAR"]]')) AS r)"""


def keys_from_json(name: str) -> str:
    """SELECT of the integers in one JSON parameter: a list as a parameter takes a hundred times as long."""
    return f"""SELECT unnest(from_json(?, '["INTEGER"]')) AS {name}"""


Row = Sequence[Any]


class TableRows:
    """The rows of a table as one list for each column; `len` is the number of rows."""

    __slots__ = ("_added", "_columns")

    def __init__(self, columns: list[list[Any]] | None = None) -> None:
        self._columns = columns or []
        self._added: list[Row] = []
        """Rows that are not in the columns yet: adding them one by one takes ten times as long."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> TableRows:
        """The columns of some rows."""
        columns = cls()
        columns._added.extend(rows)
        return columns

    @property
    def columns(self) -> list[list[Any]]:
        """The values of each column; empty if there was never a row."""
        if self._added:
            added, self._added = self._added, []
            if self._columns:
                for values, new in zip(self._columns, zip(*added, strict=True), strict=True):
                    values.extend(new)
            else:
                self._columns = [list(values) for values in zip(*added, strict=True)]
        return self._columns

    def __len__(self) -> int:
        return (len(self._columns[0]) if self._columns else 0) + len(self._added)

    def rows(self) -> list[Row]:
        """The rows, each with its values in the order of the columns."""
        return list(zip(*self.columns, strict=True))

    def append(self, row: Row) -> None:
        """Add a row."""
        self._added.append(row)

    def extend(self, other: TableRows) -> None:
        """Add the rows of the same table."""
        columns = self.columns
        if not columns:
            self._columns = [list(values) for values in other.columns]
            return
        # Another table that never had a row has no columns.
        for values, added in zip(columns, other.columns, strict=False):
            values += added

    def storable(self) -> TableRows:
        """A copy of the rows whose texts are valid Unicode, see `characters.storable`."""
        return TableRows(
            [[storable(value) if isinstance(value, str) else value for value in values] for values in self.columns]
        )

    def part(self, first: int, last: int | None = None) -> TableRows:
        """A copy of the rows from index `first` up to `last`."""
        return TableRows([values[first:last] for values in self.columns])

    def truncate(self, count: int) -> None:
        """Keep only the first `count` rows."""
        for values in self.columns:
            del values[count:]
