"""Keys while the app's own indexer works, beside the same keys at rest and beside a bare app under the same load."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock

from bench import screen
from bench.explorer import floors, keys
from bench.explorer.scenes import HALF, biggest, go
from bench.explorer.stage import Pairs, Stage, alternate
from bench.explorer.table import Row
from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import read_progress

REST = 0.06
"""Seconds between the answer to a key in the text and the next key."""
_PATIENCE = 60.0
_STAGES = {"reading": "while it is indexed", "embedding": "while vectors are made"}
"""Stages of the indexer, and what they are called here."""


@dataclass(slots=True)
class Keys:
    """One app, and the bare apps beside it."""

    stage: Stage
    app: screen.Terminal
    tree: screen.Terminal
    lines: screen.Terminal
    times: int
    found: dict[tuple[str, str], Pairs] = field(default_factory=dict)
    """Presses by what is pressed in and what the indexer does."""

    def measure(self, doing: str, *, text: bool) -> None:
        """Down and up in the tree, then in the text of the session that the cursor is on."""
        stage = self.stage
        pressed = [("j", "j"), ("k", "k")] * (self.times // 2 + 2)
        self.found["tree", doing] = alternate(stage, (self.app, self.tree), pressed, HALF, stage.in_list, 4)
        if text:
            keys.press(self.app, "\r", HALF, stage.above)
            self.found["text", doing] = alternate(stage, (self.app, self.lines), pressed, REST, stage.in_text, 4)
            keys.press(self.app, "\x1b", HALF, stage.above)


def scene(stage: Stage, times: int, name: str, *, text: bool = True, embedding: bool = True) -> list[Row]:
    """The rows; `stage.source` is large and not in the index. The lock holds the indexer up until its turn comes."""
    with ExitStack() as stack:
        lock = FileLock(DataDir(stage.data).lock)
        lock.acquire()
        stack.callback(lock.release)
        app, tree = stack.enter_context(stage.both("tree", 1000))
        lines = stack.enter_context(stage.floor("scroll", 1000))
        lines.wait_for(floors.READY)
        held = Keys(stage, app, tree, lines, times)
        if text:
            target = biggest(stage)
            go(stage, app, target)
            keys.press(app, target.onto, HALF, stage.above)
        held.measure("at rest", text=text)
        lock.release()
        for doing in list(_STAGES)[: 1 + embedding]:
            _await(stage.data, doing)
            held.measure(_STAGES[doing], text=text)
            if not _at_work(stage.data, doing):
                raise SystemExit(f"{doing} ended before the keys were measured: more --turns are needed")
    return [row for place, doing in held.found for row in _rows(held.found, place, doing, name)]


def _rows(found: dict[tuple[str, str], Pairs], place: str, doing: str, name: str) -> list[Row]:
    called = f"{name} {place}, {doing}"
    rows = found[place, doing].rows(called, "a bare Tree" if place == "tree" else "a bare ScrollView")
    if doing != "at rest":
        calm, now = ([one.repaint for one in found[place, at].app] for at in ("at rest", doing))
        rows.append(Row(f"{called}: repaint", now, calm, "the same at rest"))
    return rows


def _doing(data: Path) -> str:
    progress = read_progress(data)
    return "" if progress is None or progress.finished else progress.stage


def _at_work(data: Path, doing: str) -> bool:
    """Between two slices of vectors the indexer looks for new text, and says so: what lacks tells more."""
    stats = Index.open(data).statistics.of_index()
    return _doing(data) == doing or (doing == "embedding" and stats.embedded_turns < stats.turns)


def _await(data: Path, doing: str) -> None:
    """Wait for the indexer."""
    end = time.monotonic() + _PATIENCE
    while _doing(data) != doing:
        if time.monotonic() > end:
            raise SystemExit(f"the indexer did not come so far: {read_progress(data)}")
        time.sleep(0.05)
