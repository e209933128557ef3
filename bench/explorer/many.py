"""A tree of very many small sessions in one project: until it is whole, to its end, and filtered by what is typed."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from bench import screen
from bench.explorer import floors, keys
from bench.explorer.keys import Piece
from bench.explorer.scenes import HALF, cursor
from bench.explorer.stage import Stage, all_of_it
from bench.explorer.table import Row
from bench.sessions import words as invented_words

_BAR = 2
"""The line of the screen with what is typed into the app."""
_BARE_BAR = 2
"""The same in the bare app."""
_ROOT = "/home/ana/code/many"
_START = datetime(2026, 1, 1, tzinfo=UTC)
BETWEEN = 0.08
"""Seconds between an answer and the next key of a person who types."""


def write_sessions(folder: Path, count: int) -> None:
    """Transcripts of one turn each, a prompt and an answer; the prompt is the title."""
    known = invented_words()
    pick = random.Random(11)
    target = folder / _ROOT.replace("/", "-")
    target.mkdir(parents=True)
    for number in range(count):
        name = f"{number:08x}-0000-4000-8000-000000000000"
        at = (_START + timedelta(minutes=20 * number)).isoformat().replace("+00:00", "Z")
        common = {"sessionId": name, "cwd": _ROOT, "version": "2.1.200", "isSidechain": False, "timestamp": at}
        asked = {"role": "user", "content": f"{number} {' '.join(pick.choices(known, k=6))}"}
        said = [{"type": "text", "text": " ".join(pick.choices(known, k=20))}]
        lines = [
            {**common, "type": "user", "uuid": f"{number}-0", "message": asked},
            {**common, "type": "assistant", "uuid": f"{number}-1", "parentUuid": f"{number}-0"}
            | {"message": {"role": "assistant", "id": f"m{number}", "content": said}},
        ]
        (target / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


def scene(stage: Stage, count: int, times: int) -> list[Row]:
    """All rows."""
    rows = starts(stage, count, 2) + cursor(stage, times, count, f"among {count} sessions", ends=True)
    return rows + typing(stage, ["ba", "dene", "gotil", "fo", "silar"][: times // 5])


def starts(stage: Stage, count: int, runs: int) -> list[Row]:
    """Cold processes until the first session is in sight, and until nothing more comes into the tree."""
    found: list[list[float]] = [[], [], [], []]
    for _ in range(runs + 1):
        with stage.app() as app:
            found[0].append(app.wait_for(stage.title))
            found[1].append(keys.settle(app, stage.above, 1.5))
        with stage.floor("tree", count) as floor:
            found[2].append(floor.wait_for(floors.READY))
            found[3].append(keys.settle(floor, all_of_it, 0.3))
    first, whole, bare_first, bare_whole = (column[1:] for column in found)
    return [
        Row(f"start with {count} sessions", first, bare_first, "a bare Tree"),
        Row(f"start until all {count} are in the tree", whole, bare_whole, "a bare Tree"),
    ]


def typing(stage: Stage, words: list[str]) -> list[Row]:
    """Filter by `/`: a letter to its place in the bar, the last letter to its hits, and the tree back."""
    letters, beside, answers, filled, back = [], [], [], [], []
    with stage.both("filter", 1) as (app, floor):
        keys.press(app, "/", HALF, stage.above)
        for word in words:
            for end in range(1, len(word) + 1):
                time.sleep(BETWEEN)
                letters.append(_typed(app, word[:end], _BAR))
                time.sleep(BETWEEN)
                beside.append(_typed(floor, word[:end], _BARE_BAR))
                filled.append(keys.summed_up([beside[-1], keys.settle(floor, all_of_it, 0.06)]).still)
            answers.append(app.last(screen.ANSWER))
            back.append(keys.press(app, "\x15", HALF, stage.above))
            keys.press(floor, "\x15", 0.1, all_of_it)
    what = "a bare Input and list"
    return [
        Row("filter: a letter typed to its place in the bar", letters, beside, what),
        Row("filter: last letter to the last answer", answers, filled, what),
        Row("filter: cleared, until all is as before", [one.still for one in back if one], filled, what),
    ]


def _typed(terminal: screen.Terminal, typed: str, row: int) -> float:
    def there(painted: Iterable[Piece]) -> bool:
        return any(piece.row == row and typed in piece.text for piece in painted)

    return keys.until(terminal, typed[-1], there)
