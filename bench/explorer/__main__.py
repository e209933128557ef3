"""The app in a terminal, as the person at the keys feels it.

python -m bench.explorer [--source FOLDER] [--sessions N] [--turns N] [--only SCENE ...] [--quick]

Each row stands beside a bare Textual app in the same run, its keys pressed in turn with those of the app. `first bytes`
is when the terminal got the first bytes of the pane that the key is for, `repaint` when it got the last ones of that
pane before a pause of 40 ms. What other panes show later is told where it is named.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from bench import corpus, processes, sessions
from bench.explorer import busy, many, scenes
from bench.explorer.stage import Stage
from bench.explorer.table import HEAD, Row, line

SCENES = ("start", "open", "page", "tree", "busy", "small")
SMALL = (80, 24)
PAGES = 40
"""Of the biggest session at most."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.explorer")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--sessions", type=int, default=10_000, help="invented ones, in the large tree")
    parser.add_argument("--turns", type=int, default=30_000, help="invented ones, that are indexed meanwhile")
    parser.add_argument("--only", nargs="+", choices=SCENES, default=SCENES)
    parser.add_argument("--quick", action="store_true", help="a look: few keys, a tenth of the sessions")
    options = parser.parse_args()
    if options.quick:
        options.sessions //= 10
    with tempfile.TemporaryDirectory() as folder:
        print(HEAD)
        for row in _rows(options, Path(folder)):
            print(line(row), flush=True)


def _rows(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """The rows of the scenes that are wanted."""
    stage = Stage(folder / "data", folder / "none", folder / "home")
    for path in (stage.source, stage.home):
        path.mkdir()
    sessions.index(options.source.absolute(), stage.data)
    times = 10 if options.quick else 24
    played: dict[str, Callable[[], list[Row]]] = {
        "start": lambda: scenes.start(stage, 2 if options.quick else 4),
        "open": lambda: scenes.opening(stage, max(3, times // 4)),
        "page": lambda: (
            scenes.paging(stage, PAGES if times > 10 else 10) + scenes.cursor(stage, times, 100, "in the tree")
        ),
        "tree": lambda: _many(stage, options.sessions, options.turns, times),
        "busy": lambda: _busy(stage, options.turns, times),
        "small": lambda: _small(replace(stage, size=SMALL), times),
    }
    for name in SCENES:
        if name in options.only:
            yield from played[name]()


def _many(stage: Stage, count: int, turns: int, times: int) -> list[Row]:
    """The large tree: at rest, and while others are indexed."""
    home = stage.home.parent
    many.write_sessions(home / "many", count)
    large = replace(stage, data=home / "many-data")
    processes.index(home / "many", large.data, "--no-embed", "--agent", "claude-code")
    with large.at_rest():
        rows = many.scene(large, count, times)
    large = replace(large, source=_big(stage, turns))
    return rows + busy.scene(large, times * 2 // 3, f"j, k, {count} in the", text=False, embedding=False)


def _busy(stage: Stage, turns: int, times: int) -> list[Row]:
    """The indexer on a large source."""
    return busy.scene(replace(stage, source=_big(stage, turns)), times * 2 // 3, "j, k in the")


def _big(stage: Stage, turns: int) -> Path:
    big = stage.home.parent / "big"
    if not big.is_dir():
        sessions.write(big, turns)
    return big


def _small(stage: Stage, times: int) -> list[Row]:
    """A small terminal, where list and text stand in the same place."""
    rows = [
        *scenes.opening(stage, times // 4),
        *scenes.cursor(stage, times, 100, "in the tree"),
        *scenes.paging(stage, times, whole=False),
    ]
    return [replace(row, name=f"80x24: {row.name}") for row in rows]


if __name__ == "__main__":
    main()
