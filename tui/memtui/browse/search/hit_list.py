"""The list of hits, those of one session folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from memtui.browse.search.hit_row import HitRow, line_columns
from memtui.keys.annotation_keys import ANNOTATION_KEYS
from memtui.keys.declarations import Key, keys
from memtui.settings.app_state import AppState
from memtui.system import clock
from memtui.widgets.requests.panes import AnnotationAction, AnnotationRequested, TargetChosen
from memtui.widgets.requests.target import HitPassages, Target
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import day_and_time
from memtui.wording.sibling_titles import SiblingTitles
from memtui_core.model import Hit, HitGroup, SearchResult, Variety
from memtui_core.text.controls import UNTITLED

_LINES = 4
"""Lines of most hits: the title, two or three of the passage, and the empty one below."""
_LOAD_MARGIN = 10
"""More hits are requested when the cursor is so close to the end."""


class HitList(RowList):
    """The hits in the order of the ranking, those of one session as a group."""

    HELP: ClassVar[str] = """\
## Hits

The turns that match the query, the best one of each session. `+3` counts the other hits of the session; `space` lists
them. What is found after you have moved the cursor stands below it. `D` shows one line of each hit, or all of it.
`enter` opens the hit at its best passage, which a bar at the left marks; `n` and `N` go to its other passages and then
to the next hit. `*` pins its turn, `#` tags it, `a` writes a note on it. `esc` goes back to the query, and pressed
again to the view.
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
        self.varies = Variety()
        """What differs in the index, and so has a column whatever the hits are: none comes or goes while one reads."""
        self._is_moved = False
        """Whether the user has chosen a hit of this query."""
        self._may_be_gone = False
        """Whether the index has changed, so that a hit that is no longer found may be gone."""

    @property
    def screenful(self) -> int:
        """About how many hits are in sight, the list being as high as the screen at most."""
        return self.screen.size.height // (1 if self._is_short else _LINES) + 1

    def show(self, result: SearchResult) -> None:
        """Show the result of a query.

        A newer result of the same query leaves the hits up to the one that the user chose in their places; before one
        was chosen, the cursor is on the first one.
        """
        before, self.result = self.result, result
        if before is None or before.query != result.query:
            self._unfolded.clear()
            self._is_moved = False
            self.fill()
        elif before.hits != result.hits:
            # The message about a move may still be on its way.
            if self._is_moved or self.highlighted:
                self.result = self._with_place_kept(before, result)
                self.fill(self.chosen)
            else:
                # A list that was scrolled without the cursor stays where it is.
                is_first = bool(result.hits) and self.chosen == _row_key(result.hits[0])
                self.fill(self.chosen if is_first else None)
                if is_first and before.hits[0].passages != result.hits[0].passages:
                    # Once the model is loaded, it has passages by their meaning, too.
                    self.choose(0, read=False)
        self._may_be_gone = False

    def let_go(self) -> None:
        """Expect a result of a newer index, in which the chosen hit may be gone."""
        self._may_be_gone = True

    def _with_place_kept(self, before: SearchResult, result: SearchResult) -> SearchResult:
        """A newer result with the hits up to the one that the user chose where they are; what is new follows them."""
        chosen = next((row.hit for row in self._rows if _row_key(row.hit) == self.chosen), None)
        if chosen is None:
            return result
        found = {_row_key(hit): hit for hit in result.hits}
        if result.more and not self._may_be_gone:
            # It need not be among as many of the best ones any more.
            found.setdefault(_row_key(chosen), chosen)
        groups = list(dict.fromkeys(hit.group for hit in before.hits))
        above = set(groups[: groups.index(chosen.group) + 1])
        keys = [_row_key(hit) for hit in before.hits if hit.group in above]
        kept = [found.pop(key) for key in keys if key in found]
        return replace(result, hits=(*kept, *found.values()))

    def rows(self, width: int) -> list[ListRow]:
        """The hits, each with its passage, as blocks with a gap below each group, or as lines."""
        now = clock.now()
        hits = self.result.hits if self.result is not None else ()
        self._rows = rows = hit_rows(hits, self._unfolded, shows_agent=self.varies.agents)
        if self._is_short:
            columns = line_columns(width, shows_project=self.varies.projects)
            return [ListRow(_row_key(row.hit), row.line(now, columns)) for row in rows]
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


def hit_rows(hits: Sequence[Hit], unfolded: Collection[int], *, shows_agent: bool = False) -> list[HitRow]:
    """The best hit of each group, and the other ones of those groups that are unfolded."""
    if not hits:
        return []
    from memtui_core.index.search import group_hits

    groups = group_hits(hits)
    titles = Counter((group.best.title, group.best.project) for group in groups)
    best = [group.best for group in groups]
    siblings = SiblingTitles([hit.title for hit in best], lambda index: day_and_time(best[index].started_at))
    rows = []
    for index, group in enumerate(groups):
        is_unfolded = group.best.group in unfolded
        is_dated = titles[group.best.title, group.best.project] > 1
        more, shortened = 0 if is_unfolded else len(group.others), partial(siblings.label, index)
        rows.append(HitRow(group.best, more, shortened, is_dated=is_dated, shows_agent=shows_agent))
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
