"""The most important things that a summary lacks, as a short cited text for the agent that goes on from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from memtui_core.compaction.model import SAID, FactKind, Review
from memtui_core.text.controls import one_line

MAX_BYTES: Final = 2000
_MAX_TEXT: Final = 300
"""Characters of one item."""
_NAMES: Final[dict[FactKind, str]] = {
    "contradiction": "the summary is wrong",
    "check": "open check",
    "correction": "the user said",
    "request": "the user said",
    "answer": "the user answered",
    "open": "open item",
}
"""What stands before an item, if not its kind."""


def brief(review: Review, session_id: Callable[[int], str]) -> str:
    """What a summary lacks, one item a line with its `SESSION:TURN`; empty if nothing that was said is missing.

    At most MAX_BYTES bytes, whole items only, the most important first. `session_id` gives the id of a session's key.
    """
    lines = [f"The summary of {review.session_id} lacks:"]
    size = len(lines[0].encode())
    for item in review.lost:
        if item.kind not in SAID:
            continue
        name = _NAMES.get(item.kind, item.kind)
        line = f"- {name}: {one_line(item.text, _MAX_TEXT)} [{session_id(item.session)}:{item.turn}]"
        size += 1 + len(line.encode())
        if size > MAX_BYTES:
            break
        lines.append(line)
    return "\n".join(lines) if len(lines) > 1 else ""
