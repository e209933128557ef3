"""How often the passage of a hit's snippet is on the screen once the hit is opened.

python -m bench.quality.in_sight --data-dir FOLDER [--size 80x24] [--most N]

Each question is put into the search bar of the app, and `enter` opens the first hit. The snippet is in sight when most
of its letters stand on the screen, in stretches of `STRETCH`, whatever signs or line ends are between them.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from bench.quality import known_items
from memtui.app import MemtuiApp
from memtui.browse.search.hit_list import HitList
from memtui.settings.config import Config
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.widget import TranscriptPane

STRETCH = 12
"""Letters and digits in a row."""
SHARE = 0.8
"""Share of the snippet's stretches that must be on the screen."""
_HAND_WRITTEN = ("other words", "vague")
SIZES = ((80, 24), (140, 40))


def shown(snippet: str, screen: str) -> float:
    """The share of a snippet that is on a screen, 0 to 1."""
    wanted, seen = _letters(snippet), _letters(screen)
    starts = range(max(1, len(wanted) - STRETCH + 1))
    return sum(wanted[start : start + STRETCH] in seen for start in starts) / len(starts)


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


async def unseen(data_dir: Path, questions: Sequence[str], size: tuple[int, int]) -> list[str]:
    """The questions whose passage is not in sight."""
    app = MemtuiApp(data_dir, config=Config(), run_indexer=False)
    missed = []
    async with app.run_test(size=size) as pilot:
        await _settled(pilot)
        for question in questions:
            await pilot.press("slash")
            app.screen.query_one(SearchBar).value = question
            await _settled(pilot)
            await pilot.press("enter")
            await _settled(pilot)
            hits, view = app.screen.query_one(HitList), app.screen.query_one(TranscriptPane)
            listed = hits.result.hits if hits.result is not None else ()
            opened = next((hit for hit in listed if (hit.session, hit.turn) == hits.chosen), None)
            lines = [view.render_line(y).text for y in range(view.size.height)]
            if opened is None or shown(opened.snippet.strip("…"), "".join(lines)) < SHARE:
                missed.append(question)
            await pilot.press("escape", "escape")
            await _settled(pilot)
    return missed


async def _settled(pilot: Pilot[None]) -> None:
    """Wait until nothing works in the background and every message was taken in."""
    quiet = 0
    while quiet < 3:
        busy = [worker for worker in pilot.app.workers if not worker.is_finished]
        for worker in busy:
            with suppress(WorkerCancelled):
                await worker.wait()
        await pilot.pause(0 if quiet else None)
        quiet = 0 if busy else quiet + 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.in_sight")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--size", help="columns x rows, such as 80x24; by default both sizes")
    parser.add_argument("--most", type=int, default=60, help="questions that are asked")
    options = parser.parse_args()
    asked = known_items.make(options.data_dir, options.most)
    questions = [one.text for one in sorted(asked, key=lambda one: one.kind not in _HAND_WRITTEN)][: options.most]
    sizes = [tuple(map(int, options.size.split("x")))] if options.size else SIZES
    for columns, rows in sizes:
        missed = asyncio.run(unseen(options.data_dir, questions, (columns, rows)))
        share = 1 - len(missed) / max(1, len(questions))
        print(f"{columns}x{rows}: {100 * share:.0f} % of {len(questions)} passages in sight", flush=True)
        for question in missed:
            print(f"  not in sight: {question}")


if __name__ == "__main__":
    main()
