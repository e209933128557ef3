"""What readers pay for base, delta and journal instead of one file, and readers beside a writer that replaces them."""

from __future__ import annotations

import multiprocessing
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from bench import corpus, searching
from bench.live.growing import line
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import publisher
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot

T = TypeVar("T")
_CHANGED = 200
"""Sessions in the delta."""
_QUERIES = 60
READERS = 4


def layers(source: Path, run: Path) -> None:
    """The same questions to a base alone and to base, delta and journal, in turn."""
    shutil.rmtree(run, ignore_errors=True)
    corpus.copies(source, max(2, round(1e8 / corpus.size(source))), run / "source")
    place = Location("claude-code", run / "source")
    with Indexer(run / "data") as indexer:
        _update(indexer, place)
        indexer.work.changes.discard()
        indexer.publish()
    shutil.copytree(run / "data", run / "alone")
    files = sorted((run / "source").rglob("*.jsonl"))
    with Indexer(run / "data") as indexer:
        for number, path in enumerate(files[:_CHANGED]):
            _append(path, number)
        _update(indexer, place)
        for number, path in enumerate(files[:5]):
            _append(path, 1000 + number)
            _update(indexer, place)
    manifest = read_manifest(DataDir(run / "data"))
    assert manifest is not None
    print(
        f"\nbase {manifest.base_bytes / 1e6:.1f} MB, delta {manifest.delta_bytes / 1e6:.1f} MB of {_CHANGED} sessions,"
    )
    print(f"journal {manifest.journal_bytes / 1e3:.0f} kB")
    print(f"{'milliseconds':46}{'p50':>9}{'base alone':>12}{'ratio':>8}")
    both, alone = Index.open(run / "data"), Index.open(run / "alone")
    keywords, paths = searching.queries(run / "alone", _QUERIES)
    keys = [session.key for session in alone.sessions.all()[: 2 * _QUERIES : 2]]
    _compare("open the index", lambda one, _: Index.open(run / one).close(), ["data"] * 20, "data", "alone")
    asked = {"data": both, "alone": alone}
    _compare("search by words", lambda one, query: asked[one].search(query, 20, live=True), keywords, "data", "alone")
    _compare("search by file name", lambda one, query: asked[one].search(query, 20, live=True), paths, "data", "alone")
    _compare("open a session", lambda one, key: _open(asked[one], key), keys, "data", "alone")
    _compare(
        "projects, numbers",
        lambda one, _: (asked[one].sessions.projects(), asked[one].statistics.of_index()),
        keys,
        "data",
        "alone",
    )
    _compare("all sessions", lambda one, _: asked[one].sessions.all(), keys, "data", "alone")


def readers(run: Path, queries: int) -> None:
    """Readers ask while each batch is published and base and delta are replaced all the time."""
    shutil.rmtree(run, ignore_errors=True)
    publisher.JOURNAL_LIMIT, publisher.SMALLEST_LIMIT, publisher.LARGEST_LIMIT = 6_000, 150_000, 150_000
    pair = [run / "source" / f"{name * 8}-1111-4111-8111-111111111111.jsonl" for name in "ab"]
    pair[0].parent.mkdir(parents=True)
    with Indexer(run / "data") as indexer:
        indexer.schedule._pause = float("inf")
        _grow(indexer, pair, 0)
        context = multiprocessing.get_context("spawn")
        results: multiprocessing.Queue[tuple[int, int, int, str]] = context.Queue()
        asked = [
            context.Process(target=_read, args=(run / "data", queries // READERS, results)) for _ in range(READERS)
        ]
        for one in asked:
            one.start()
        bases, deltas, batches = set(), set(), 0
        while any(one.is_alive() for one in asked):
            batches += 1
            _grow(indexer, pair, batches)
            manifest = indexer.publisher.published
            assert manifest is not None
            bases.add(manifest.base)
            deltas.add(manifest.delta)
        for one in asked:
            one.join()
    found = [results.get() for _ in asked]
    total, states, mixed = sum(one[0] for one in found), sum(one[1] for one in found), sum(one[2] for one in found)
    errors = [one[3] for one in found if one[3]]
    print(f"\n{total} queries by {READERS} readers over {states} snapshots, while {batches} batches were published in")
    print(f"{len(bases)} bases and {len(deltas)} deltas: {len(errors)} errors, {mixed} answers that mix two states")
    for error in errors:
        print(f"    {error}")


def _read(data: Path, queries: int, results: multiprocessing.Queue[tuple[int, int, int, str]]) -> None:
    """Every batch adds a turn to both sessions: in one state both have as many, and the words of the last are there."""
    done = states = mixed = 0
    try:
        index = Index.open(data)
        while done < queries:
            states += index.refresh()
            snapshot: Snapshot = index.snapshot
            counts = []
            for name in "ab":
                rows = snapshot.rows(
                    "SELECT count(*), max(t.number), count(DISTINCT b.turn)"
                    " FROM turns t JOIN sessions s ON s.key = t.session JOIN blocks b ON b.turn = t.id AND b.seq = 0"
                    " WHERE starts_with(s.session_id, ?)",
                    [name * 8],
                )
                counts.append(rows[0])
            turns = [session.turns for session in index.sessions.all()]
            mixed += len({*counts[0], *counts[1], *turns}) != 1 or len(turns) != 2
            hits = index.search('"please go on" in:user', 5, engines=("lexicon",)).hits
            mixed += not hits
            done += 4
    except Exception as error:
        results.put((done, states, mixed, f"{type(error).__name__}: {error}"))
    else:
        results.put((done, states, mixed, ""))


def _grow(indexer: Indexer, pair: Sequence[Path], batch: int) -> None:
    for path in pair:
        with path.open("ab") as file:
            file.write(line(path.stem, 20 * batch, "again") + line(path.stem, 20 * batch + 1, "again"))
    _update(indexer, Location("claude-code", pair[0].parent))


def _append(path: Path, number: int) -> None:
    with path.open("ab") as file:
        file.write(line(path.stem.removeprefix("agent-"), 20 * number, f"added{number}"))
        file.write(line(path.stem.removeprefix("agent-"), 20 * number + 1, f"added{number}"))


def _update(indexer: Indexer, place: Location) -> None:
    for _ in indexer.update([place]):
        pass


def _open(index: Index, key: int) -> None:
    """What the app asks for when a session is opened."""
    index.sessions.get(key)
    turns = index.sessions.turns(key)
    if turns:
        index.sessions.blocks(key, 1, 20)
        index.files.of_turn(key, turns[0].number)
    index.sessions.subagents(key)
    index.compactions.of_session(key)


def _compare(name: str, ask: Callable[[str, T], object], asked: Sequence[T], *ways: str) -> None:
    times: dict[str, list[float]] = {way: [] for way in ways}
    for question in [*asked[:5], *asked]:
        for way in ways:
            started = time.perf_counter()
            ask(way, question)
            times[way].append((time.perf_counter() - started) * 1000)
    own, other = (statistics.median(times[way][5:]) for way in ways)
    print(f"{name:46}{own:9.2f}{other:12.2f}{own / other:8.2f}", flush=True)
