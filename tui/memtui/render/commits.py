"""Commits in words: what is known of one, and what proves that a turn is behind it."""

from __future__ import annotations

from memtui.wording.formatting import day, number, plural
from memtui_core.index.files import CommitOrigin, CommitTurn


def facts_text(origin: CommitOrigin) -> str:
    """`13 Feb 2026 · ana · 120 lines added, 80 of them by edits of sessions`."""
    added = f"{plural(origin.added, 'line')} added, {number(origin.claimed)} of them by edits of sessions"
    return " · ".join((day(origin.facts.written_at), origin.facts.author, added))


def proofs_text(turn: CommitTurn) -> str:
    """`made it, wrote 12 lines`."""
    words = {"made": "made it", "same changes": "made the same", "wrote": f"wrote {plural(turn.lines, 'line')}"}
    return ", ".join(words[proof] for proof in turn.proofs)
