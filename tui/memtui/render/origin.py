"""Where lines and commits come from, in words: what is known of a commit, what proves it, and what unknown means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memtui.wording.formatting import day, number, plural
from memtui_core.index.files import CommitOrigin, CommitTurn

WHAT_IS_UNKNOWN: Final = "What you typed is unknown, and what is older than the first edit that memtui knows."
"""What it can mean that nothing proves who wrote a line."""


def elsewhere_text(name: str, folders: Sequence[str]) -> str:
    """Where sessions edited a file like one in which nothing is proved; empty for no folders."""
    if not folders:
        return ""
    others = f" and {plural(len(folders) - 1, 'other folder')}" if len(folders) > 1 else ""
    return (
        f"Sessions edited {name} in {folders[0]}{others}, which memtui does not take for this repository: another"
        " folder, and no common remote is known."
    )


def facts_text(origin: CommitOrigin) -> str:
    """`13 Feb 2026 · ana · 120 lines added, 80 of them by edits of sessions`."""
    added = f"{plural(origin.added, 'line')} added, {number(origin.claimed)} of them by edits of sessions"
    return " · ".join((day(origin.facts.written_at), origin.facts.author, added))


def proofs_text(turn: CommitTurn) -> str:
    """`made it, wrote 12 lines`."""
    made = "made it, amended later" if turn.amended else "made it"
    words = {"made": made, "same changes": "made the same", "wrote": f"wrote {plural(turn.lines, 'line')}"}
    return ", ".join(words[proof] for proof in turn.proofs)
