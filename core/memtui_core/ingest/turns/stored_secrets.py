"""Secrets that are stored already: what other rules left is replaced once, also of sessions that are gone from disk.

Which rules an index was redacted by is in its table `meta`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.tables import COLUMNS, KEYS, LIST, LIST_SEPARATOR, Row, key_condition
from memtui_core.store.work.database import WorkDatabase
from memtui_core.text.redaction import redact, rules_in_use

_KEY: Final = "redacted_by"
"""The key in `meta`; an index of an earlier version does not have it."""
TEXTS: Final[dict[str, tuple[str, ...]]] = {
    "bad_lines": ("reason",),
    "unknown_entries": ("raw",),
    "sessions": ("title",),
    "turns": ("user_text", "tool_summary"),
    "blocks": ("text", "detail"),
    "agent_calls": ("description",),
    "facts": ("name", "text"),
    "review_items": ("text",),
    "titles": ("title",),
    "chunks": ("text",),
}
"""The columns with texts of transcripts, which are redacted before they are stored."""
_UNFINISHED: Final = "unfinished"
"""The value in `meta` while rows were replaced, but the files still contain the old ones."""
_OF_TURNS: Final = ("turns", "blocks", "chunks")
"""Of these the texts are searched: the words and the vectors of a turn."""
_ROWS: Final = 500
"""Rows whose texts are in memory at once."""
_KEYS: Final = 64
"""Keys whose rows are replaced at once."""


def redacted_row(table: str, row: Row) -> Row:
    """A row in the form in which it is stored, without secrets; the same object if there are none."""
    changed: list[Any] | None = None
    for place, (name, kind) in enumerate(COLUMNS[table].items()):
        value = row[place]
        if value and name in TEXTS.get(table, ()) and (text := _redacted(value, kind)) != value:
            changed = changed or list(row)
            changed[place] = text
    return row if changed is None else tuple(changed)


def redacted_rows(rows: SessionRows) -> SessionRows:
    """The rows of sessions without secrets; the same object if there are none."""
    tables = {table: [redacted_row(table, row) for row in own] for table, own in rows.tables.items()}
    is_same = all(new is old for table, own in rows.tables.items() for new, old in zip(tables[table], own, strict=True))
    return rows if is_same else SessionRows(tables)


def _redacted(value: str, kind: str) -> str:
    if kind == LIST:
        return LIST_SEPARATOR.join(map(redact, value.split(LIST_SEPARATOR)))
    return redact(value)


class StoredSecrets:
    """The stored texts of a work database, of which the rules in use may redact more."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work

    @property
    def is_due(self) -> bool:
        """Whether the index was redacted by other rules than those in use."""
        by = self._work.scalar("SELECT value FROM meta WHERE key = ?", [_KEY])
        return bool(by != rules_in_use())

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stored yet."""
        return not self._work.may_have("turns") and not self._work.may_have("sources")

    @property
    def is_unfinished(self) -> bool:
        """Whether rows were replaced, and a process was killed before it wrote all files anew."""
        return bool(self._work.scalar("SELECT value FROM meta WHERE key = ?", [_KEY]) == _UNFINISHED)

    def redact(self, begin_change: Callable[[], object]) -> set[int]:
        """Replace what the rules in use find, in one transaction; the turns whose texts changed.

        `begin_change` is called before that, if there is anything to replace. These turns lose their chunks, so that
        they get other vectors. When the files were written anew, call `record`.
        """
        found = {table: keys for table in TEXTS if self._work.may_have(table) and (keys := list(self._keys(table)))}
        turns = {turn for table in _OF_TURNS for turn in found.get(table, ())}
        if found:
            begin_change()
            with self._work.transaction():
                for table, keys in found.items():
                    if table != "chunks":
                        self._replace(table, keys)
                if turns and self._work.may_have("chunks"):
                    self._work.drop("chunks", turns)
                self._set(_UNFINISHED)
        return turns

    def record(self) -> None:
        """Note that everything was redacted by the rules in use."""
        with self._work.transaction():
            self._set(rules_in_use())

    def _set(self, value: str) -> None:
        self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_KEY, value])

    def _keys(self, table: str) -> Iterator[int]:
        """The keys of the rows that would change."""
        names = (KEYS[table], *TEXTS[table])
        kinds = [COLUMNS[table][name] for name in names]
        columns = ", ".join(
            f"array_to_string({name}, chr(31))" if kind == LIST else name
            for name, kind in zip(names, kinds, strict=True)
        )
        seen: set[int] = set()
        with self._work.cursor() as cursor:
            rows = cursor.execute(f"SELECT {columns} FROM {table}")
            while part := rows.fetchmany(_ROWS):
                for key, *texts in part:
                    if key not in seen and any(
                        text and _redacted(text, kind) != text for text, kind in zip(texts, kinds[1:], strict=True)
                    ):
                        seen.add(key)
                        yield key

    def _replace(self, table: str, keys: Sequence[int]) -> None:
        for first in range(0, len(keys), _KEYS):
            some = keys[first : first + _KEYS]
            rows = self._work.rows(table, key_condition(KEYS[table], some), [])
            self._work.drop(table, some)
            self._work.put(table, [redacted_row(table, row) for row in rows])
