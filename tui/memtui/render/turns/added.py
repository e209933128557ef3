"""What the user has added to a turn, as rows below its head."""

from __future__ import annotations

from memtui.render.clean import plain_rows
from memtui.render.rows import GAP, Row, Span, prefixed
from memtui.wording.annotated import NOTE, PIN, tags_text
from memtui_core.model import Turn


def added_rows(turn: Turn) -> list[Row]:
    """The pin and the tags in one row, and the notes with a mark of their own; empty if there is nothing."""
    spans: list[Span] = [(f"{PIN}pinned", "you")] if turn.pinned else []
    if turn.tags:
        spans += [("  ", "")] * bool(spans) + [(tags_text(turn.tags), "you")]
    rows = [Row(tuple(spans), GAP)] if spans else []
    for note in turn.notes:
        rows += prefixed(plain_rows(note, "em", GAP), ((NOTE, "you"),), (("  ", ""),))
    return rows
