"""The list of hits, those of one session folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from memtui.browse.search.hit_row import HitRow
from memtui.keys.annotation_keys import ANNOTATION_KEYS
from memtui.keys.declarations import Key, keys
from memtui.settings.app_state import AppState
from memtui.system import clock
from memtui.widgets.requests.panes import AnnotationAction, AnnotationRequested, TargetChosen
from memtui.widgets.requests.target import HitPassages, Target
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.model import Hit, HitGroup, SearchResult
from memtui_core.text.controls import UNTITLED

_LINES = 4
"""Lines of most hits: the title, two or three of the passage, and the empty one below."""
_MAX_PROJECT = 20
"""Cells of the longest name of a project in the column of the lines."""
_LOAD_MARGIN = 10
"""More hits are requested when the cursor is so close to the end."""


class HitList(RowList):
    """The hits in the order of the ranking, those of one session as a group."""

    HELP: ClassVar[str] = """\
## Hits

The turns that match the query, the best one of each session. `+3` counts the other hits of the session; `space` lists
them. `D` shows one line of each hit, or all of it. `enter` opens the hit at its best passage, which a bar at the left
marks; `n` and `N` go to its other passages and then to the next hit. `*` pins its turn, `#` tags it, `a` writes a note
on it. `esc` goes back to the query, and pressed again to the view.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys(
            "hits",
            Key("space", "unfold", "More", "Show or hide the other hits of the session", "hits.unfold", show=True),
            Key("h,left", "unfold(False)", "Fold", "Hide the other hits", "hits.fold"),
            Key("D", "lines", "Lines", "Show each hit on one line, or with its passage", "hits.lines",
                synonyms="compact dense short details", show=True),
        ),
        *ANNOTATION_KEYS,
    ]  # fmt: skip
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hits--bar"}
    DEFAULT_CSS = """
    HitList {
        & > .hits--bar { color: $text-muted; }
        &:focus > .hits--bar { color: $accent; }
    }
    """

    @dataclass
    class MoreRequested(Message):
        """Load more hits than the `shown` ones: the cursor is near the end."""

        shown: int

    virtual_size = Reactive(Size(0, 0), layout=False)
    """Without layout, because each answer changes it and Textual would lay out the whole screen again."""

    def __init__(self, state: AppState) -> None:
        super().__init__(id="hits")
        self._state = state
        self._is_short = state.short_hits
        """Whether each hit has only one line."""
        self.result: SearchResult | None = None
        self._rows: list[HitRow] = []
        self._unfolded: set[int] = set()
        """The groups, by `Hit.group`, whose other hits are listed."""
        self._is_moved = False
        """Whether the user has chosen a hit of this query."""

    @property
    def screenful(self) -> int:
        """About how many hits are in sight, the list being as high as the screen at most."""
        return self.screen.size.height // (1 if self._is_short else _LINES) + 1

    def show(self, result: SearchResult) -> None:
        """Show the result of a query.

        A newer result of the same query leaves the cursor on the hit that the user chose, otherwise on the first one.
        """
        before, self.result = self.result, result
        if before is None or before.query != result.query:
            self._unfolded.clear()
            self._is_moved = False
            self.fill()
        elif before.hits != result.hits:
            self.fill(self._hit_to_keep(result))

    def _hit_to_keep(self, result: SearchResult) -> Hashable | None:
        """The key of the hit on which the cursor stays; None if it goes to the first one.

        A hit that the user chose is listed even if it is no longer the best one of its group.
        """
        chosen = self.chosen
        # The message about a move may still be on its way.
        if not (self._is_moved or self.highlighted):
            # A list that was scrolled without the cursor stays where it is.
            return chosen if result.hits and chosen == _row_key(result.hits[0]) else None
        group = next((hit.group for hit in result.hits if _row_key(hit) == chosen), None)
        if group is not None and chosen != _row_key(next(hit for hit in result.hits if hit.group == group)):
            self._unfolded.add(group)
        return chosen

    def rows(self, width: int) -> list[ListRow]:
        """The hits, each with its passage, as blocks with a gap below each group, or as lines."""
        now = clock.now()
        self._rows = rows = hit_rows(self.result.hits if self.result is not None else (), self._unfolded)
        if self._is_short:
            project = min(_MAX_PROJECT, width // 5, max((cell_len(row.hit.project) for row in rows), default=0))
            return [ListRow(_row_key(row.hit), row.line(now, width, project)) for row in rows]
        ends = [after is None or not after.below for _, after in pairwise([*rows, None])]
        blocks = [row.block(now, width) + Content("\n" * end) for row, end in zip(rows, ends, strict=True)]
        return [ListRow(_row_key(row.hit), block) for row, block in zip(rows, blocks, strict=True)]

    def render_line(self, y: int) -> Strip:
        """Paint the first line of the hit with the cursor, a bar before the others, and nothing in the gap."""
        self._update_lines()
        line = self.scroll_offset.y + y
        index, offset = self._lines[line] if line < len(self._lines) else (-1, 0)
        if index < 0 or not offset or self._is_short:
            return super().render_line(y)
        style = self.get_visual_style("option-list--option")
        strip = self._get_option_render(self.options[index], style)[offset]
        if index != self.highlighted or not strip.text.strip():
            return strip
        bar = Segment("┃", self.get_visual_style("hits--bar").rich_style + Style.from_meta({"option": index}))
        return Strip.join([Strip([bar], 1), strip.crop(1)])

    def action_lines(self) -> None:
        """Show each hit on one line, or with its passage; the cursor stays."""
        self._is_short = not self._is_short
        self._state.show_short_hits(self._is_short)
        self.fill(self.chosen)
        self.scroll_to_highlight()

    def action_unfold(self, unfold: bool | None = None) -> None:
        """Show or hide the other hits of the session; when they are hidden, the cursor goes to the best hit."""
        if self.highlighted is None:
            return
        group = self._rows[self.highlighted].hit.group
        show = group not in self._unfolded if unfold is None else unfold
        self._is_moved = True
        if show != (group in self._unfolded):
            self._unfolded ^= {group}
            best = next(row.hit for row in self._rows if row.hit.group == group)
            self.fill(self.chosen if show else _row_key(best))

    def action_annotate(self, kind: AnnotationAction) -> None:
        """Ask to annotate the turn of the hit, or its session where only that can be."""
        if self.highlighted is None:
            self.post_message(AnnotationRequested(kind, ()))
        else:
            hit = self._rows[self.highlighted].hit
            self.post_message(AnnotationRequested(kind, (hit.session,), hit.title, hit.turn))

    def on_click(self, event: events.Click) -> None:
        """Stay on the clicked hit, also on the first one, on which the cursor is already."""
        self._is_moved = self._is_moved or "option" in event.style.meta

    def choose(self, index: int, *, read: bool) -> None:
        """Show the hit, and request more hits near the end."""
        result = self.result
        if result is None:
            return
        # The first one is shown by itself.
        self._is_moved = self._is_moved or read or bool(self.highlighted)
        near = [self._rows[at].hit for at in (index + 1, index - 1) if 0 <= at < len(self._rows)]
        # What a colleague shares is fetched from a server, so only when it is asked for.
        ahead = tuple(_target(one, result) for one in near if not one.member)
        self.post_message(TargetChosen(_target(self._rows[index].hit, result), read, ahead))
        if result.more and index and index >= len(self._rows) - _LOAD_MARGIN:
            self.post_message(self.MoreRequested(len(result.hits)))


def hit_rows(hits: Sequence[Hit], unfolded: Collection[int]) -> list[HitRow]:
    """The best hit of each group, and the other ones of those groups that are unfolded."""
    if not hits:
        return []
    from memtui_core.index.search import group_hits

    groups = group_hits(hits)
    titles = Counter((group.best.title, group.best.project) for group in groups)
    shows_agent = len({hit.agent for hit in hits}) > 1
    rows = []
    for group in groups:
        is_unfolded = group.best.group in unfolded
        is_dated = titles[group.best.title, group.best.project] > 1
        rows.append(
            HitRow(group.best, 0 if is_unfolded else len(group.others), is_dated=is_dated, shows_agent=shows_agent)
        )
        if is_unfolded:
            rows += _other_rows(group)
    return rows


def _target(hit: Hit, result: SearchResult) -> Target:
    passages = HitPassages(hit.passages, result.words, result.prefix) if hit.passages else None
    return Target(hit.session, hit.turn, hit=passages, title=hit.title or UNTITLED)


def _row_key(hit: Hit) -> tuple[int, int]:
    return hit.session, hit.turn


def _other_rows(group: HitGroup) -> Iterator[HitRow]:
    is_dated = any(hit.session != group.best.session for hit in group.others)
    shown = {group.best.snippet}
    for hit in group.others:
        yield HitRow(hit, below=True, is_repeated=hit.snippet in shown, is_dated=is_dated)
        shown.add(hit.snippet)
