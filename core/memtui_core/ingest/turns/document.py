"""Make the document of a turn in the lexicon from the rows of the turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memtui_core.store.lexicon.block_text import field_texts
from memtui_core.store.lexicon.fields import TurnDoc


def turn_document(turn_row: Sequence[Any], blocks: Iterable[Sequence[Any]], paths: Iterable[str]) -> TurnDoc:
    """The document of a turn.

    `turn_row`: id, key of the session, start in seconds since 1970, kind, user text, title of the session for its first
    turn. `blocks`: kind, text and tool of each block in order. `paths`: the mentioned paths in order.
    """
    turn, session, at, kind, user_text, title = turn_row
    texts = field_texts((block[0], block[2], block[1]) for block in blocks)
    return TurnDoc(
        turn=turn,
        session=session,
        at=at,
        user=user_text or "",
        assistant=texts["assistant"],
        thinking=texts["thinking"],
        call=texts["call"],
        output=texts["output"],
        title=title,
        paths=" ".join(paths),
        notes=texts["notes"],
        asides=texts["asides"],
        is_summary=kind == "compaction",
    )
