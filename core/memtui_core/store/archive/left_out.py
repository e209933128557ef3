"""The rows of some sessions without those of others among them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.tables import COLUMNS, Row

Forgets = Callable[[str, str, str | None], bool]
"""Whether a session is left out, given its agent, its id and the id of its parent."""
_BY_SESSION: Final = ("turns", "compactions", "forks", "pr_links")
_BY_TURN: Final = ("blocks", "file_mentions", "agent_calls")
_BY_SOURCE: Final = ("bad_lines", "unknown_entries", "titles", "reviews", "review_items")


def leave_out(rows: SessionRows, forgets: Forgets) -> SessionRows | None:
    """The rows of the sessions that are not left out, with the sources of these alone; None if there are none.

    Reviews are left out too if a session is: they may cite it, and are made again.
    """
    gone = {one["key"] for one in rows.named("sessions") if forgets(one["agent"], one["session_id"], one["parent_id"])}
    if not gone:
        return rows
    tables = {name: list(content) for name, content in rows.tables.items() if name not in ("reviews", "review_items")}
    tables["sessions"] = _without(tables["sessions"], "sessions", "key", gone)
    if not tables["sessions"]:
        return None
    for table in _BY_SESSION:
        tables[table] = _without(tables.get(table, []), table, "session", gone)
    turns = {row[_at("turns", "id")] for row in tables["turns"]}
    for table in _BY_TURN:
        place = _at(table, "turn")
        tables[table] = [row for row in tables.get(table, []) if row[place] in turns]
    session, number = _at("sources", "session"), _at("sources", "id")
    used = {row[_at("turns", "source")] for row in tables["turns"]}
    tables["sources"] = [
        row for row in tables.get("sources", []) if row[number] in used or row[session] not in {None, *gone}
    ]
    sources = {row[number] for row in tables["sources"]}
    for table in (*_BY_SOURCE, "compactions"):
        place = _at(table, "source")
        tables[table] = [row for row in tables.get(table, []) if row[place] in sources]
    return SessionRows({name: content for name, content in tables.items() if content})


def _without(rows: list[Row], table: str, column: str, keys: Collection[int]) -> list[Row]:
    place = _at(table, column)
    return [row for row in rows if row[place] not in keys]


def _at(table: str, column: str) -> int:
    return list(COLUMNS[table]).index(column)
