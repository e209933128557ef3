"""Sessions of which the index has more than the settings keep by now, and what is dropped of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from memtui_core.ingest.turns.retained import KEPT_NOTES, retained_blocks, retained_lines, retained_prompt
from memtui_core.model import KEPT, Block, Retention
from memtui_core.readers.exclusions import RetentionRules
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
    for key, project, cwd, root, worktree in source.rows(_SESSIONS):
        level = rules.level_of(project, cwd or "", folder_of(root or ""), folder_of(worktree or ""))
        if level != "full":
            found[key] = level
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
            work.put("blocks", list(_smaller(blocks, level)))
            if level == "titles":
                work.drop("turns", ids)
                work.put("turns", [_without_texts(row, work.batch) for row in turns])
                work.drop("file_mentions", ids)
                work.drop("chunks", ids)
            sources = sorted({row[_at("turns", "source")] for row in turns})
            work.drop("reviews", sources)
            work.drop("review_items", sources)
            unknown = work.rows("unknown_entries", key_condition("source", sources), [])
            work.drop("unknown_entries", sources)
            work.put("unknown_entries", [(*row[:-1], "") for row in unknown])


def _smaller(rows: Iterable[Row], level: Retention) -> Iterable[Row]:
    names = list(COLUMNS["blocks"])
    for row in rows:
        cells: dict[str, Any] = dict(zip(names, row, strict=True))
        stored = Block(cells["seq"], cells["line"], cells["kind"], cells["text"], cells["tool"], detail=cells["detail"])
        [block] = retained_blocks([stored], level)
        yield tuple((cells | {"text": block.text, "detail": block.detail}).values())


def _without_texts(row: Row, batch: int) -> Row:
    cells: dict[str, Any] = dict(zip(COLUMNS["turns"], row, strict=True))
    lines = cells["tool_summary"].split(LIST_SEPARATOR) if cells["tool_summary"] else []
    cells["user_text"] = retained_prompt(cells["user_text"], "titles")
    cells["tool_summary"] = LIST_SEPARATOR.join(retained_lines(lines, "titles"))
    return tuple((cells | {"batch": batch}).values())


def _at(table: str, column: str) -> int:
    return list(COLUMNS[table]).index(column)
