"""The document of a turn in the lexicon, made of the rows of the turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memtui_core.lexicon.block_text import searched_text, source_of
from memtui_core.lexicon.fields import TurnDoc


def turn_document(turn_row: Sequence[Any], blocks: Iterable[Sequence[Any]], paths: Iterable[str]) -> TurnDoc:
    """The document of a turn.

    `turn_row`: id, key of the session, start in seconds since 1970, kind, user text, title of the session for its first
    turn. `blocks`: kind, text and tool of each block in order. `paths`: the mentioned paths in order.
    """
    turn, session, at, kind, user_text, title = turn_row
    fields: dict[str, list[str]] = {"text": [], "thinking": [], "tool_call": [], "tool_result": [], "note": []}
    for block_kind, text, tool, *_ in blocks:
        if block_kind in fields and source_of(block_kind, tool) is not None:
            fields[block_kind].append(searched_text(block_kind, tool, text))
    return TurnDoc(
        turn=turn,
        session=session,
        at=at,
        user=user_text or "",
        assistant="\n\n".join(fields["text"]),
        thinking="\n\n".join(fields["thinking"]),
        call="\n".join(fields["tool_call"]),
        output="\n".join(fields["tool_result"]),
        title=title,
        paths=" ".join(paths),
        notes="\n".join(fields["note"]),
        is_summary=kind == "compaction",
    )
