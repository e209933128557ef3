"""The texts of turns by the fields of the lexicon, which does not store them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from memtui_core.model import Source
from memtui_core.store.lexicon.block_text import field_texts, kinds_in
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition

SOURCES: Mapping[str, Source] = {
    "user": "user",
    "assistant": "assistant",
    "thinking": "thinking",
    "call": "tool call",
    "output": "tool output",
    "notes": "note",
    "asides": "aside",
}
"""The fields of the lexicon that contain the text of blocks, with the source of that text."""


def read_field_texts(snapshot: Snapshot, turns: Sequence[int], fields: Collection[str]) -> dict[int, dict[str, str]]:
    """Some fields of turns; those of the user's text, the title and the blocks are known."""
    texts: dict[int, dict[str, str]] = {turn: {} for turn in turns}
    if "user" in fields or "title" in fields:
        user = "coalesce(t.user_text, '')" if "user" in fields else "''"
        for turn, text, title in snapshot.rows(
            f"SELECT t.id, {user}, CASE WHEN t.number = 1 THEN s.title ELSE '' END FROM turns t"
            f" JOIN sessions s ON s.key = t.session WHERE {key_condition('t.id', turns)}"
        ):
            texts[turn] |= {"user": text, "title": title}
    if kinds := kinds_in(fields):
        rows = snapshot.rows(
            f"SELECT turn, kind, tool, text FROM blocks WHERE {key_condition('turn', turns)}"
            f" AND kind IN ({', '.join(map(repr, kinds))}) ORDER BY turn, seq"
        )
        for turn, own in groupby(rows, key=itemgetter(0)):
            texts[turn] |= field_texts((kind, tool, text) for _, kind, tool, text in own)
    return texts
