"""Sessions of which the index has more than the settings keep by now, and what is dropped of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from memtui_core.ingest.turns.retained import KEPT_NOTES, retained_blocks, retained_lines, retained_prompt
from memtui_core.model import KEPT, Block, Retention
from memtui_core.readers.exclusions import RetentionRules
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.tables import COLUMNS, LIST_SEPARATOR, Row, RowSource, key_condition
from memtui_core.text.machine_folders import folder_of

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_SESSIONS: Final = "SELECT key, project, cwd, root, worktree FROM sessions ORDER BY key"
_NOTES: Final = ", ".join(f"'{name}'" for name in sorted(KEPT_NOTES))
_MORE: Final = {
    "text": "b.text <> '' AND NOT starts_with(coalesce(b.detail, ''), '{\"" + KEPT + "\":')"
    " AND (b.kind IN ('tool_call', 'tool_result', 'thinking')"
    f" OR (b.kind = 'note' AND coalesce(b.tool, '') NOT IN ({_NOTES})))",
    "titles": "b.text <> ''",
}
"""Which blocks have more than a level keeps."""


def levels(source: RowSource, rules: RetentionRules) -> dict[int, Retention]:
    """How much is kept of each session of which not everything is, by its key."""
    if not rules:
        return {}
    found: dict[int, Retention] = {}
    for row in source.rows(_SESSIONS):
        session = dict(zip(("key", "project", "cwd", "root", "worktree"), row, strict=True))
        if (level := _level_of(session, rules)) != "full":
            found[session["key"]] = level
    return found


def kept_too_much(source: RowSource, rules: RetentionRules) -> dict[int, Retention]:
    """The sessions of which the index has more than the settings keep, with the level."""
    levels_by_key = levels(source, rules)
    found: dict[int, Retention] = {}
    for level, more in _MORE.items():
        keys = [key for key, own in levels_by_key.items() if own == level]
        if keys:
            rows = source.rows(
                "SELECT DISTINCT t.session FROM blocks b JOIN turns t ON t.id = b.turn"
                f" WHERE {key_condition('t.session', keys)} AND {more}"
            )
            found |= {key: levels_by_key[key] for (key,) in rows}
    return dict(sorted(found.items()))


def retained_rows(rows: SessionRows, rules: RetentionRules) -> SessionRows:
    """The rows of sessions without what the settings do not keep; the same object if they keep everything."""
    levels_by_key = {one["key"]: level for one in rows.named("sessions") if (level := _level_of(one, rules)) != "full"}
    if not levels_by_key:
        return rows
    turns = [row for row in rows.tables.get("turns", ()) if row[_at("turns", "session")] in levels_by_key]
    by_turn = {row[_at("turns", "id")]: levels_by_key[row[_at("turns", "session")]] for row in turns}
    sources = {row[_at("turns", "source")] for row in turns}
    tables: dict[str, list[Row]] = {}
    for table, own in rows.tables.items():
        if table == "blocks":
            tables[table] = [_smaller(row, by_turn.get(row[_at(table, "turn")], "full")) for row in own]
        elif table == "turns":
            titles = {number for number, level in by_turn.items() if level == "titles"}
            tables[table] = [_without_texts(row) if row[_at(table, "id")] in titles else row for row in own]
        elif table == "file_mentions":
            tables[table] = [row for row in own if by_turn.get(row[_at(table, "turn")]) != "titles"]
        elif table in ("reviews", "review_items"):
            tables[table] = [row for row in own if row[_at(table, "source")] not in sources]
        elif table == "unknown_entries":
            tables[table] = [(*row[:-1], "") if row[_at(table, "source")] in sources else row for row in own]
        else:
            tables[table] = list(own)
    return SessionRows({table: own for table, own in tables.items() if own})


def shrink(work: WorkDatabase, sessions: Mapping[int, Retention]) -> None:
    """Drop what is not kept of some sessions, in one transaction; what it was stays in the files until they are new.

    The reviews of their compactions are made again, and vectors of what is left.
    """
    with work.transaction():
        for key, level in sessions.items():
            turns = work.rows("turns", "session = ?", [key])
            ids = [row[_at("turns", "id")] for row in turns]
            blocks = work.rows("blocks", key_condition("turn", ids), [])
            work.drop("blocks", ids)
            work.put("blocks", [_smaller(row, level) for row in blocks])
            if level == "titles":
                work.drop("turns", ids)
                work.put("turns", [_of_batch(_without_texts(row), work.batch) for row in turns])
                work.drop("file_mentions", ids)
                work.drop("chunks", ids)
            sources = sorted({row[_at("turns", "source")] for row in turns})
            work.drop("reviews", sources)
            work.drop("review_items", sources)
            unknown = work.rows("unknown_entries", key_condition("source", sources), [])
            work.drop("unknown_entries", sources)
            work.put("unknown_entries", [(*row[:-1], "") for row in unknown])


def _level_of(session: Mapping[str, Any], rules: RetentionRules) -> Retention:
    folders = (session["cwd"] or "", folder_of(session["root"] or ""), folder_of(session["worktree"] or ""))
    return rules.level_of(session["project"], *folders)


def _smaller(row: Row, level: Retention) -> Row:
    cells: dict[str, Any] = dict(zip(COLUMNS["blocks"], row, strict=True))
    stored = Block(cells["seq"], cells["line"], cells["kind"], cells["text"], cells["tool"], detail=cells["detail"])
    [block] = retained_blocks([stored], level)
    return tuple((cells | {"text": block.text, "detail": block.detail}).values())


def _of_batch(row: Row, batch: int) -> Row:
    return tuple((dict(zip(COLUMNS["turns"], row, strict=True)) | {"batch": batch}).values())


def _without_texts(row: Row) -> Row:
    cells: dict[str, Any] = dict(zip(COLUMNS["turns"], row, strict=True))
    lines = cells["tool_summary"].split(LIST_SEPARATOR) if cells["tool_summary"] else []
    cells["user_text"] = retained_prompt(cells["user_text"], "titles")
    cells["tool_summary"] = LIST_SEPARATOR.join(retained_lines(lines, "titles"))
    return tuple(cells.values())


def _at(table: str, column: str) -> int:
    return list(COLUMNS[table]).index(column)
