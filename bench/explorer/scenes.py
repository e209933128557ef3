"""Starting, opening the biggest session, paging through it, going through the tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bench import screen
from bench.explorer import floors, keys
from bench.explorer.keys import Piece
from bench.explorer.stage import Stage, all_of_it, alternate
from bench.explorer.table import Row
from memtui.views.sessions.items import SessionGroup, fold_titles
from memtui_core.index.index import Index

PAGE = "\x1b[6~"
HALF = 0.2
"""Seconds of rest after a key in a list, where the session under the cursor is shown after a pause."""
_BORDER = 3
"""The line of the screen with the title of what is read."""
_TITLE = 12
_FIRST_TURN = re.compile(r"(?:^|[^\d])1 (?:[●◌○] [a-z]|⧉ compacted)")


def start(stage: Stage, runs: int) -> list[Row]:
    """Cold processes until a session is in sight, each beside a bare label; the first of each for nothing."""
    own, beside = [], []
    for _ in range(runs + 1):
        with stage.app() as app:
            own.append(app.wait_for(stage.title))
        with stage.label() as label:
            beside.append(label.wait_for("ready to read"))
    return [Row("start to the first session in sight", own[1:], beside[1:], "a bare label")]


@dataclass(frozen=True, slots=True)
class Target:
    """The biggest session in the tree: keys to the row beside it, from there, and back; and how its title begins."""

    keys_to: tuple[str, ...]
    onto: str
    away: str
    title: str

    def shown(self, painted: Iterable[Piece]) -> bool:
        """Its title is painted over the text, and below that its first turn."""
        later = iter(painted)
        titled = any(piece.row == _BORDER and self.title in piece.text for piece in later)
        return titled and any(_FIRST_TURN.search(piece.text) for piece in later)


def biggest(stage: Stage) -> Target:
    """The session with the most turns and tool calls of those with one of another title beside them."""
    index = Index.open(stage.data)
    found = []
    for place, project in enumerate(index.sessions.projects()):
        rows = fold_titles(index.sessions.all(project))
        titles = ["" if isinstance(one, SessionGroup) else one.title[:_TITLE] for one in rows]
        for row, one in enumerate(rows):
            if isinstance(one, SessionGroup):
                continue
            beside = next(
                (at for at in (row - 1, row + 1) if 0 <= at < len(titles) and titles[at] != titles[row]), None
            )
            if beside is not None:
                found.append((one.turns + one.tool_calls, place, row, beside, titles[row]))
    _, place, row, beside, title = max(found)
    keys_to = ("g", "h", *("j" * place), "l", *("j" * (beside + 1)))
    return Target(keys_to, *(("j", "k") if beside < row else ("k", "j")), title)


def go(stage: Stage, app: screen.Terminal, target: Target) -> None:
    """Put the cursor on the row beside the biggest session."""
    for key in target.keys_to:
        keys.press(app, key, HALF if key in "hl" else 0.05, stage.above)
    keys.settle(app, stage.above)


def opening(stage: Stage, times: int) -> list[Row]:
    """From the key to the first turn: by resting on the session, and by `enter` at once; the first time by itself."""
    target = biggest(stage)
    shown, entered, swapped = [], [], []
    with stage.both("swap", stage.size[1]) as (app, floor):
        go(stage, app, target)
        for _ in range(times):
            if stage.wide:
                shown.append(keys.until(app, target.onto, target.shown))
                keys.press(app, target.away, HALF, stage.above)
                keys.settle(app, stage.above, HALF)
                entered.append(keys.until(app, f"{target.onto}\r", target.shown))
            else:
                keys.press(app, target.onto, HALF, stage.above)
                entered.append(keys.until(app, "\r", target.shown))
            keys.settle(app, stage.above, HALF)
            keys.press(app, "\x1b", HALF, stage.above)
            keys.press(app, target.away, HALF, stage.above)
            swapped.append(keys.until(floor, "\r", _swapped))
            keys.settle(floor, all_of_it, 0.1)
            keys.press(floor, "\r", 0.1, all_of_it)
    what = "a bare Static"
    rows = [Row("open the biggest session: enter to first turn", entered, swapped, what)]
    if shown:
        rows.insert(0, Row("rest on the biggest session: key to first turn", shown, swapped, what))
    return rows


def _swapped(painted: Iterable[Piece]) -> bool:
    return any(piece.text.startswith(floors.SWAPPED) for piece in painted)


def paging(stage: Stage, pages: int, *, whole: bool = True) -> list[Row]:
    """Page through the biggest session; `whole` also with all of its tools in full, and line by line."""
    rows = []
    with stage.both("scroll", 100_000) as (app, floor):
        go(stage, app, biggest(stage))
        keys.press(app, f"{biggest(stage).onto}\r", HALF, stage.above)
        keys.settle(app, stage.above)
        for name, unfold in (("page down", ""), ("page down, tools in full", "gtt"))[: 1 + whole]:
            for key in unfold:
                keys.press(app, key, HALF, stage.above)
            pairs = alternate(stage, (app, floor), [(PAGE, PAGE)] * pages, 0.1, stage.in_text, 0)
            rows += pairs.rows(f"{name} ({len(pairs.app)} pages)", "a bare ScrollView")
        if whole:
            keys.press(app, "g", HALF, stage.above)
            pairs = alternate(stage, (app, floor), [("j", "j")] * 24, 0.06, stage.in_text)
            rows += pairs.rows("a line down in the text", "a bare ScrollView")
    return rows


def cursor(stage: Stage, times: int, rows: int, name: str, *, ends: bool = False) -> list[Row]:
    """The cursor down and up among the newest sessions, with rests for the one under it; then to both `ends`."""
    index = Index.open(stage.data)
    way = min(8, len(fold_titles(index.sessions.all(index.sessions.projects()[0]))) - 1)
    if not way:
        raise SystemExit("the newest project has a single session, there is nothing to go through")
    what = "a bare Tree"
    with stage.both("tree", rows) as terminals:
        trip = [("j", "j")] * way + [("k", "k")] * way
        pressed = [trip[at % len(trip)] for at in range(times + 3)]
        after = "preview, with its pause of 120 ms" if stage.wide else ""
        found = alternate(stage, terminals, pressed, HALF, stage.in_list).rows(f"j, k {name}", what, after)
        if ends:
            far = alternate(stage, terminals, [("G", "G"), ("g", "g")] * (times // 3), HALF, stage.in_list, 2)
            found += far.rows(f"G, g {name}", what)
    return found
