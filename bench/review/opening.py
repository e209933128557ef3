"""How fast the list of many compactions and one review open, beside a bare query on the same index."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from bench import corpus
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location

_IDS: Final = ("uuid", "parentUuid", "logicalParentUuid", "leafUuid")
_TIMES: Final = 15
_REVIEWS: Final = 50


def report(compactions: int) -> str:
    """Make an index with some compactions, open its list and its reviews, stored or not, and tell the times."""
    with tempfile.TemporaryDirectory() as folder:
        source, data = Path(folder, "projects", "-home-ana-code-shop"), Path(folder, "data")
        source.mkdir(parents=True)
        copy_sessions(source, compactions)
        started = time.perf_counter()
        with Indexer(data) as indexer:
            for _ in indexer.update([Location("claude-code", source.parent)]):
                pass
            indexed = time.perf_counter() - started
            index = Index.open(data)
            rows = index.compactions.all()
            first = _seconds(lambda: next(index.compactions.reviewed(rows)))
            filled = _seconds(lambda: list(index.compactions.reviewed(rows)))
            for _ in indexer.review():
                pass
        index.refresh()
        bare = _median(lambda: index.snapshot.rows("SELECT count(*) FROM compactions"))
        listed = _median(index.compactions.all)
        opened = [_seconds(partial(index.compactions.review, row.session, row.turn or 0)) for row in rows[:_REVIEWS]]
    return "\n".join(
        [
            f"{len(rows)} compactions, indexed in {indexed:.0f} s",
            f"a bare query                 {bare * 1000:7.1f} ms",
            f"what the first row lacks     {first * 1000:7.1f} ms, not reviewed before",
            f"what the others lack, each   {filled * 1000 / max(1, len(rows) - 1):7.1f} ms",
            f"the list                     {listed * 1000:7.1f} ms",
            f"one review, median           {statistics.median(opened) * 1000:7.1f} ms",
            f"one review, slowest of {len(opened):<4}  {max(opened) * 1000:7.1f} ms",
        ]
    )


def copy_sessions(folder: Path, count: int) -> None:
    """Write copies of the sample session with compactions, each a session of its own."""
    sample = min(
        (path for path in corpus.SAMPLES.rglob("*.jsonl") if b"isCompactSummary" in path.read_bytes()),
        key=lambda path: path.stat().st_size,
    )
    entries = [orjson.loads(line) for line in sample.read_bytes().splitlines() if line.strip()]
    for number in range(count):
        session = f"{number:08d}-0000-4000-8000-000000000000"
        lines = [orjson.dumps(_copied(entry, session, number)) for entry in entries]
        (folder / f"{session}.jsonl").write_bytes(b"\n".join(lines) + b"\n")


def _copied(entry: dict[str, Any], session: str, number: int) -> dict[str, Any]:
    changed = {name: f"{entry[name]}-{number}" for name in _IDS if entry.get(name)}
    return {**entry, **changed, **({"sessionId": session} if "sessionId" in entry else {})}


def _median(action: Callable[[], object]) -> float:
    return statistics.median(_seconds(action) for _ in range(_TIMES))


def _seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
