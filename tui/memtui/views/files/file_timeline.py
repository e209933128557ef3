"""The list of what the turns of all sessions did to one file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.system import clock
from memtui.views.files.touch_strip import MARKS
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import age, cut, number, plural, short_commit
from memtui_core.index.files import TurnTouch

if TYPE_CHECKING:
    from memtui_core.index.sessions import SessionCommit

TurnCommits = Mapping[tuple[int, int], Sequence["SessionCommit"]]
"""The commits of turns, by the key of the session and the number of the turn."""
_COMMITS_FROM = 64
"""Cells of a list from which on it shows what turns committed."""
_WIDE = 90
"""Cells of a list that also shows the tools."""
_TOOLS_WIDTH = 14


@dataclass(frozen=True, slots=True)
class TouchRun:
    """Consecutive reads and mentions, which are listed as one row or each as its own."""

    touches: tuple[TurnTouch, ...]
    """The newest first."""

    @property
    def key(self) -> Hashable:
        """Identifies the run also after newer touches were added to it."""
        return touch_key(self.touches[-1])

    @property
    def text(self) -> str:
        """The counts: `3 reads, 12 mentions`."""
        kinds = [touch.kind for touch in self.touches]
        counts = ((kinds.count("read"), "read"), (kinds.count("mentioned"), "mention"))
        return ", ".join(plural(count, noun) for count, noun in counts if count)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A row: a run, or a touch; a touch of an unfolded run is indented."""

    run: TouchRun | None = None
    touch: TurnTouch | None = None
    indented: bool = False

    @property
    def key(self) -> Hashable:
        """Identifies the row."""
        return ("run", self.run.key) if self.run is not None else touch_key(self.touch) if self.touch else None


def touch_key(touch: TurnTouch) -> Hashable:
    """Identifies a touch among those of one file."""
    return touch.touch.session, touch.touch.turn, touch.kind


class FileTimeline(RowList):
    """One line for each edit, the newest first; the reads and mentions between two edits are one line to unfold."""

    HELP: ClassVar[str] = """\
## History of a file

What the turns of all sessions did to the file, the newest first: edits `✎` with the lines that they added and removed,
reads `○` and mentions `·`. `◇` is a commit that the turn made; whether it has the file, only git knows. Above is the
time of each; a click there chooses it. Below is what the chosen turn did: the diff of an edit, the lines of a read.

`{` and `}` go to the previous and the next edit in time, in whichever session that was, and `0` to the first one.
`space` unfolds the reads and mentions between two edits. `enter` reads the turn, and `esc` returns here; `v` shows the
content of the file after the turn, as far as the session knew it; `y` copies the diff as a patch.
"""
    BINDINGS = keys(
        "history of a file",
        Key("space", "fold", "More", "Show or hide reads and mentions", "timeline.fold"),
        Key("h,left", "close", "Fold", "Hide reads and mentions", "timeline.close"),
    )

    def __init__(self, show: Callable[[TimelineRow, bool], None]) -> None:
        """`show` is called with a row, and whether to go to its turn instead of a preview."""
        super().__init__(id="timeline")
        self._show_row = show
        self.touches: Sequence[TurnTouch] = ()
        """All touches of the file, the newest first."""
        self._commits: TurnCommits = {}
        self._unfolded: set[Hashable] = set()
        self._rows: list[TimelineRow] = []

    def show(self, touches: Sequence[TurnTouch], commits: TurnCommits, chosen: Hashable | None = None) -> None:
        """Show the touches of a file, and what their turns committed, with the cursor on the row with a key.

        Without that row it is on the newest edit.
        """
        self.touches, self._commits = touches, commits
        newest = next((touch for touch in touches if touch.kind == "edited"), touches[0] if touches else None)
        keys = {row.key for row in self._listed()}
        self.fill(chosen if chosen in keys else touch_key(newest) if newest is not None else None)

    def commits_of(self, touch: TurnTouch) -> Sequence[SessionCommit]:
        """The commits that the turn of a touch made, of whichever files."""
        return self._commits.get((touch.touch.session, touch.touch.turn), ())

    @property
    def chosen_row(self) -> TimelineRow | None:
        """The row with the cursor."""
        cursor = self.highlighted
        return self._rows[cursor] if cursor is not None and cursor < len(self._rows) else None

    def rows(self, width: int) -> list[ListRow]:
        """One line for each row."""
        now = clock.now()
        self._rows = list(self._listed())
        columns = _Columns.of(self.touches, [_made(self.commits_of(touch)) for touch in self.touches], width)
        rows: list[ListRow] = []
        above = 0
        for row in self._rows:
            if row.run is not None:
                content = _run_content(row.run, row.run.key in self._unfolded, now, width)
            elif row.touch is not None:
                content = columns.touch(
                    row.touch,
                    _made(self.commits_of(row.touch)),
                    now,
                    indented=row.indented,
                    repeated=row.touch.touch.session == above,
                )
                above = row.touch.touch.session
            rows.append(ListRow(row.key, content))
        return rows

    def _listed(self) -> Iterator[TimelineRow]:
        """The rows; without any edit, or if it is only one, reads and mentions are not folded."""
        has_edits = any(touch.kind == "edited" for touch in self.touches)
        for is_edit, group in groupby(self.touches, lambda touch: touch.kind == "edited"):
            touches = tuple(group)
            if is_edit or len(touches) == 1 or not has_edits:
                yield from (TimelineRow(touch=touch) for touch in touches)
                continue
            run = TouchRun(touches)
            yield TimelineRow(run=run)
            if run.key in self._unfolded:
                yield from (TimelineRow(touch=touch, indented=True) for touch in touches)

    def key_name(self, action: str) -> str | None:
        """A run is unfolded or folded."""
        row = self.chosen_row
        if action != "select" or row is None or row.run is None:
            return None
        return "Fold" if row.run.key in self._unfolded else "Unfold"

    def choose(self, index: int, *, read: bool) -> None:
        """Show the row; fold or unfold a run."""
        row = self._rows[index]
        if row.run is not None and read:
            self._unfolded ^= {row.run.key}
            self.fill(self.chosen)
        else:
            self._show_row(row, read)

    def choose_touch(self, touch: TurnTouch) -> None:
        """Move the cursor to a touch, and unfold its run."""
        key = touch_key(touch)
        run = next((row.run for row in self._rows if row.run is not None and touch in row.run.touches), None)
        if run is not None and run.key not in self._unfolded:
            self._unfolded.add(run.key)
            self.fill(self.chosen)
        index = next((index for index, row in enumerate(self._rows) if row.key == key), None)
        if index is not None:
            self.highlighted = index

    def action_fold(self) -> None:
        """Fold or unfold the run of the chosen row."""
        row = self.chosen_row
        if row is not None and row.run is not None:
            self.read()
        else:
            self.action_close()

    def action_close(self) -> None:
        """Fold the run of the chosen row."""
        cursor = self.highlighted
        if cursor is None or not self._rows:
            return
        if self._rows[cursor].indented:
            cursor = max(index for index in range(cursor) if self._rows[index].run is not None)
            self.highlighted = cursor
        run = self._rows[cursor].run
        if run is not None and run.key in self._unfolded:
            self.choose(cursor, read=True)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The widths of the columns before the title."""

    width: int
    turn: int
    added: int
    removed: int
    made: int
    """0 where there is no room for commits, and if no turn made one."""

    @classmethod
    def of(cls, touches: Sequence[TurnTouch], made: Sequence[str], width: int) -> _Columns:
        """The columns for all rows of a file; `made` says the commits of the turn of each."""
        counts = [touch.counts for touch in touches if touch.counts is not None]
        added, removed = (max((len(number(count[side])) for count in counts), default=0) for side in (0, 1))
        commits = max(map(len, made), default=0) if width >= _COMMITS_FROM else 0
        turn = max((len(str(touch.touch.turn)) for touch in touches), default=1)
        return cls(width, turn, added, removed, commits)

    def touch(self, touch: TurnTouch, made: str, now: datetime, *, indented: bool, repeated: bool) -> Content:
        """`✎ turn 36  +12 −3  Fix flaky uploads   ◇ 3f2a9c1   2 h`: in a wide list also the tools.

        The title is dim if it is `repeated` from the row above.
        """
        is_edit, own = touch.kind == "edited", touch.touch
        mark = f"{'  ' if indented else ''}{MARKS[touch.kind]} turn {own.turn:>{self.turn}}  "
        added, removed = touch.counts or (None, None)
        plus = f"{'' if added is None else f'+{number(added)}':>{self.added + 1}}" if self.added else ""
        minus = f"{'' if removed is None else f'−{number(removed)}':>{self.removed + 1}}" if self.added else ""
        gap, between = ("  ", " ") if self.added else ("", "")
        if indented:
            plus = plus[2:]
        tools = f"  {cut(', '.join(touch.tools), _TOOLS_WIDTH):<{_TOOLS_WIDTH}}" if self.width >= _WIDE else ""
        ago = f"  {age(own.at, now):>5}"
        committed = f"  {made:<{self.made}}" if self.made else ""
        used = sum(map(cell_len, (mark, plus, between, minus, gap, committed, tools, ago)))
        title = cut(own.title, max(8, self.width - used))
        space = " " * max(0, self.width - used - cell_len(title))
        return Content.assemble(
            (mark, "" if is_edit else "dim"),
            (plus, "$text-success"),
            between,
            (minus, "$text-error"),
            gap,
            (title, "bold" if is_edit and not repeated else "dim"),
            space,
            (committed, "$text-secondary"),
            (tools, "dim"),
            (ago, "dim"),
        )


def _made(commits: Sequence[SessionCommit]) -> str:
    """`◇ 3f2a9c1`: the last commit of a turn, and how many others it made; empty for none."""
    if not commits:
        return ""
    more = f" +{len(commits) - 1}" if len(commits) > 1 else ""
    return f"◇ {short_commit(commits[-1].id) or 'commit'}{more}"


def _run_content(run: TouchRun, unfolded: bool, now: datetime, width: int) -> Content:
    """`▸ 3 reads, 12 mentions   2 h`."""
    ago = age(run.touches[0].touch.at, now)
    left = f"{'▾' if unfolded else '▸'} {run.text}"
    return Content.assemble((left, "dim"), " " * max(1, width - cell_len(left) - len(ago)), (ago, "dim"))
