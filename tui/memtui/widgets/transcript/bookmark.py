"""Bookmarks: all that the transcript pane shows of a session, to return to exactly that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memtui.render.options import ThinkingLevel, ToolsLevel
from memtui.widgets.requests.target import HitPassages
from memtui.widgets.transcript.layout.anchors import Anchor
from memtui.widgets.transcript.navigation.matches import TranscriptMatch
from memtui_core.model import Session, Turn


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A session as it was read: the line at the top, the current turn, the folds and the marks."""

    session: Session
    turns: tuple[Turn, ...]
    """The turns with their blocks, as far as these were loaded; empty if they are to be loaded again."""
    number: int
    """`Turn.number` of the current turn."""
    width: int
    """Cells of a line, for which `top` is exact."""
    top: Anchor | None
    """The line at the top of the screen; None without turns."""
    at_end: bool
    past_end: bool
    tools: ToolsLevel
    thinking: ThinkingLevel
    flipped: Mapping[int, frozenset[int]]
    """The folds that differ from the levels, by `Turn.number`; see `TurnBox.flipped`."""
    opened: tuple[int, tuple[int, ...]] | None
    """The folds that are open only for the current match or passage; see `TemporaryFold`."""
    words: tuple[str, ...]
    """The words that are marked."""
    match: TranscriptMatch | None
    """The current match of these words."""
    hit: HitPassages | None
    hit_turn: int
    """`Turn.number` of the turn with the passages of the hit."""
    passage: int | None
    """The index of the current passage."""
    call: tuple[int, int] | None
    """`Turn.number` and `Block.seq` of the current call."""
    subagents: tuple[Session, ...]
    """The subagents that calls of the session started."""

    def without_marks(self) -> Bookmark:
        """The same place without the marks of the view in which it was opened; what they unfolded stays open."""
        return replace(self, words=(), match=None, hit=None, passage=None, opened=None)
