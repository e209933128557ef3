"""What is done to an index while the process is killed: a table to which a step of the program adds a line.

A scenario prepares a folder, and runs in it until its work is done, from whatever state a killed run has left. All runs
must end with the same index.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Final

import duckdb

from memtui.cli import cli
from memtui_core.ingest import indexer as indexer_module
from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept import transcripts as kept_transcripts
from memtui_core.ingest.workers import pool
from memtui_core.ingest.writing import lexicon_sync
from memtui_core.readers.exclusions import DEFAULT, RetentionRules
from memtui_core.readers.locations import Location
from memtui_core.store.archive.export_names import MANIFEST
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import ForgetLog, SessionIdentity
from memtui_core.store.processes import Presence
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot import publisher
from memtui_core.store.snapshot.manifest import read_manifest, write_manifest
from memtui_core.store.vectors.hnsw_building import build_index
from memtui_core.store.vectors.vss import vss_problem
from memtui_core.system.startup.numeric import Vector, np

PARTS: Final = 5
"""Pieces in which transcripts grow."""


class WordLengths:
    """A model that is made of the lengths of words: what it costs is not to be measured."""

    def __init__(self, name: str = "word lengths", dimension: int = 26) -> None:
        self.name, self.dimension = name, dimension

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text."""
        return [self._vector(text) for text in texts]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The words of a text."""
        return [match.span() for match in re.finditer(r"\S+", text)]

    def _vector(self, text: str) -> Vector:
        lengths = [len(word) % self.dimension for word in text.split()]
        counts = np.bincount(lengths, minlength=self.dimension).astype(np.float32) + 1
        vector: Vector = (counts / np.linalg.norm(counts)).astype(np.float32)
        return vector


class Place(tuple[Path]):
    """The folder of a run."""

    @property
    def whole(self) -> Path:
        """The transcripts as they are in the end."""
        return self[0] / "whole"

    @property
    def source(self) -> Path:
        """The transcripts as they are."""
        return self[0] / "source"

    @property
    def data(self) -> Path:
        """The data folder."""
        return self[0] / "data"

    @property
    def origin(self) -> Path:
        """The data folder of another machine."""
        return self[0] / "origin"

    @property
    def locations(self) -> list[Location]:
        """What is indexed."""
        return [Location(None, self.source)]

    def transcripts(self) -> list[Path]:
        """The files of `whole`, in an order of their own."""
        return sorted(path for path in self.whole.rglob("*") if path.is_file())

    def grow(self, share: float) -> bool:
        """Let each transcript have at least a share of its bytes; whether one grew."""
        grew = False
        for number, path in enumerate(self.transcripts()):
            copy = self.source / path.relative_to(self.whole)
            copy.parent.mkdir(parents=True, exist_ok=True)
            content, has = path.read_bytes(), copy.stat().st_size if copy.exists() else 0
            if (wanted := int(len(content) * share)) > has:
                with copy.open("ab") as file:
                    file.write(content[has:wanted])
                grew = True
                # The newest are read first.
                os.utime(copy, (1_700_000_000 + number, 1_700_000_000 + number))
        return grew


@dataclass(frozen=True)
class Scenario:
    """Something that is done to an index."""

    name: str
    prepare: Callable[[Place], object]
    run: Callable[[Place], object]
    steps: tuple[str, ...]
    """The fault points to which a run comes."""


def _set(module: ModuleType, **values: float) -> None:
    """Change limits of a module: what happens with gigabytes is to happen with little."""
    for name, value in values.items():
        setattr(module, name, value)


def to_the_end(work: Iterable[object]) -> None:
    """Do all of something that reports its progress."""
    deque(work, maxlen=0)


def read(place: Place) -> None:
    """Bring the index up to date with the transcripts as they are."""
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.update(place.locations))


def read_in_parts(place: Place) -> None:
    """Transcripts that have grown, with a lexicon that gets what is new in parts."""
    _set(lexicon_sync, MOST_UNCOMMITTED=500)
    place.grow(1.0)
    read(place)


def embed(place: Place) -> None:
    """Make the vectors."""
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.update(place.locations))
        to_the_end(indexer.embed(WordLengths()))


def _whole(place: Place) -> None:
    place.grow(1.0)


def _indexed(place: Place) -> None:
    place.grow(1.0)
    read(place)


def _embedded(place: Place) -> None:
    place.grow(1.0)
    embed(place)


def _part(place: Place) -> None:
    place.grow(0.3)
    embed(place)


def read_by_workers(place: Place) -> None:
    """A first reading with worker processes, of which two snapshots are published in between."""
    _set(pool, WORTH_A_PROCESS=1)
    size = sum(path.stat().st_size for path in place.transcripts())
    _set(indexer_module, REPORT_EVERY=0.0, REOPEN_EVERY=size // 4)
    with Indexer(place.data, wait=10, processes=2) as indexer:
        for number, _ in enumerate(indexer.update(place.locations)):
            if number in (4, 9):
                indexer.publish()
    embed(place)


def publish_often(place: Place) -> None:
    """Transcripts that grow, read in one process by small pieces: many journals, deltas and bases."""
    size = sum(path.stat().st_size for path in place.transcripts())
    # What a piece adds goes into a delta, and not every time into another base.
    limit = max(120_000, size // 2)
    _set(publisher, JOURNAL_LIMIT=6_000, SMALLEST_LIMIT=limit, LARGEST_LIMIT=limit, FEWEST_TIDIED=1_000)
    with Indexer(place.data, wait=10) as indexer:
        for part in range(1, PARTS + 1):
            if place.grow(part / PARTS):
                to_the_end(indexer.update(place.locations))
                to_the_end(indexer.embed(WordLengths()))
                if part % 3 == 0:
                    indexer.tidy()
        to_the_end(indexer.update(place.locations))
        to_the_end(indexer.embed(WordLengths()))


def watch_growing(place: Place) -> None:
    """Transcripts that grow while they are watched."""
    _set(watch, WATCHED_PAUSE=0.05, SETTLED=0.05, IDLE=0.05)
    stop = threading.Event()

    def grow() -> None:
        for part in range(1, PARTS + 1):
            if place.grow(part / PARTS):
                stop.wait(0.4)
        stop.set()

    with Indexer(place.data, wait=10) as indexer:
        Presence(indexer.data).touch()
        thread = threading.Thread(target=grow, daemon=True)
        thread.start()
        watch.watch_locations(indexer, place.locations, stop, WordLengths(), "exact")
        thread.join()
        to_the_end(indexer.update(place.locations))
        to_the_end(indexer.embed(WordLengths()))
        to_the_end(indexer.review())
        to_the_end(indexer.review(embedder=WordLengths()))


def embed_by_steps(place: Place) -> None:
    """Vectors of one model after those of another, written and published piece by piece."""
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.update(place.locations))
        for _ in indexer.embed(WordLengths("short words", 20)):
            indexer.publish()


def _forgotten_sessions(indexer: Indexer) -> list[SessionIdentity]:
    """The sessions that are forgotten: those whose ids begin with a letter."""
    identities = [SessionIdentity(*row.unique) for row in indexer.stored.rows.values()]
    return [one for one in identities if one.parent_id is None and one.session_id[:1].isalpha()]


def forget(place: Place) -> None:
    """Forget sessions, and leave nothing to bring them back from."""
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.update(place.locations))
        indexer.forgetting.catch_up()
        if sessions := _forgotten_sessions(indexer):
            indexer.forgetting.forget(sessions)
        for forgotten in ForgetLog(indexer.data).forgets().values():
            if forgotten.waiting:
                indexer.forgetting.purge(forgotten.id)
    embed(place)


def _forgotten(place: Place) -> None:
    _embedded(place)
    with Indexer(place.data) as indexer:
        indexer.forgetting.forget(_forgotten_sessions(indexer))


def undo(place: Place) -> None:
    """Bring back what was forgotten."""
    with Indexer(place.data, wait=10) as indexer:
        indexer.forgetting.catch_up()
        for forgotten in ForgetLog(indexer.data).forgets().values():
            if forgotten.waiting:
                indexer.forgetting.undo(forgotten.id)
    embed(place)


def _deleted(place: Place) -> None:
    _indexed(place)
    for path in sorted(place.source.rglob("*.jsonl"))[::2]:
        path.unlink()
    read(place)


def shrink(place: Place) -> None:
    """Keep only the titles of all sessions."""
    rules = RetentionRules({DEFAULT: "titles"})
    with Indexer(place.data, wait=10, retention=rules) as indexer:
        indexer.forgetting.shrink(rules)
        to_the_end(indexer.update(place.locations))


def restore_from_archive(place: Place) -> None:
    """Keep sessions whose transcripts were deleted, and make the index again from the transcripts that are left."""
    read(place)
    data = DataDir(place.data)
    for path in (data.work, data.work_log):
        path.unlink(missing_ok=True)
    for folder in (data.snapshots, data.lexicon):
        shutil.rmtree(folder, ignore_errors=True)
    read(place)


def archive_transcripts(place: Place) -> None:
    """Add the bytes of all transcripts to the archive."""
    _set(kept_transcripts, SETTLED=0.0)
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.update(place.locations))
        indexer.keeper(place.locations).archive_settled()


def _elsewhere(place: Place) -> None:
    """An index of all transcripts in another data folder, of which half are not here any more."""
    _deleted(place)
    embed(place)
    place.data.rename(place.origin)


def _partly_elsewhere(place: Place) -> None:
    """The same, and an index of the others here."""
    _elsewhere(place)
    embed(place)


def _memtui(*arguments: str | Path) -> None:
    with redirect_stdout(StringIO()):
        cli([str(argument) for argument in arguments], standalone_mode=False)


def back_up_and_import(place: Place) -> None:
    """Write a backup of another data folder, and make an index of it."""
    backup = place[0] / "memtui.tar.zst"
    if not backup.exists():
        _memtui("backup", backup, "--data-dir", place.origin)
    _memtui("import", backup, "--data-dir", place.data)


def export_and_import(place: Place) -> None:
    """Write an export of another data folder, and add what is not in the index."""
    export = place[0] / "export"
    if not (export / MANIFEST).exists():
        shutil.rmtree(export, ignore_errors=True)
        _memtui("export", "--all", export, "--data-dir", place.origin)
    _memtui("import", export, "--data-dir", place.data)
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.embed(WordLengths()))


def _lost_work(place: Place) -> None:
    place.grow(0.5)
    read(place)
    _set(publisher, JOURNAL_LIMIT=10)
    place.grow(1.0)
    read(place)
    for path in (DataDir(place.data).work, DataDir(place.data).work_log):
        path.unlink(missing_ok=True)


def _lost_lexicon(place: Place) -> None:
    _indexed(place)
    (DataDir(place.data).lexicon / "meta.json").write_text("nothing")


def _older(place: Place) -> None:
    """An index of the schema before this one, whose last migration only added a table, and no work database."""
    _indexed(place)
    data = DataDir(place.data)
    with Indexer(place.data) as indexer:
        indexer.work.rewrite()
        indexer.publish()
    manifest = read_manifest(data)
    assert manifest is not None
    assert (manifest.delta, manifest.journal) == (None, None)
    with duckdb.connect(str(data.base(manifest.base))) as base:
        base.execute("DROP TABLE facts")
        base.execute(f"UPDATE meta SET value = '{VERSION - 1}' WHERE key = 'schema'")
    write_manifest(data, manifest._replace(base_bytes=data.base(manifest.base).stat().st_size))
    for path in (data.work, data.work_log):
        path.unlink(missing_ok=True)


def review(place: Place) -> None:
    """Store the reviews of all compactions."""
    with Indexer(place.data, wait=10) as indexer:
        to_the_end(indexer.update(place.locations))
        to_the_end(indexer.review())


def index_vectors(place: Place) -> None:
    """Build the vector index."""
    if not vss_problem():
        build_index(DataDir(place.data))


_ROWS: Final = ("rows-written", "rows-committed", "batch-written", "documents-written", "documents-committed")
_PUBLISHED: Final = ("snapshot-written", "snapshot-published", "work-follows-snapshot", "old-snapshot-removed")
_READ: Final = ("transcript-read", *_ROWS, *_PUBLISHED, "indexer-published", "progress-reported")
_VECTORS: Final = ("codes-written", "vectors-written")
_BASE: Final = ("base-written", "base-in-place", "work-detached", "overlay-written")
_DELTA: Final = ("delta-written", "delta-in-place")
_WORKERS: Final = ("transcript-taken", "transcript-prepared", "work-closed-to-reopen", "work-became-base")
_REMOVED: Final = (
    "forgotten-kept", "forget-logged", "sessions-removed", "sessions-out-of-sight", "vectors-replaced",
    "removed-vectors-left-out", "lexicon-cleared", "work-rewritten", "rewritten-work-in-place", "removal-published",
    "removed-files-gone", "texts-removed", "removal-logged", "purge-logged", "forgotten-deleted",
)  # fmt: skip
SCENARIOS: Final = (
    Scenario("reading", _whole, read_by_workers, (*_READ, *_WORKERS, "vectors-cleared")),
    Scenario(
        "growing", _part, publish_often,
        (*_READ, *_VECTORS, *_BASE, *_DELTA, "journal-written", "journal-synced", "index-tidied"),
    ),
    Scenario("watching", _part, watch_growing, (*_READ, *_VECTORS)),
    Scenario("embedding", _embedded, embed_by_steps, ("vectors-cleared", *_VECTORS, *_ROWS, *_DELTA, *_PUBLISHED)),
    Scenario("forgetting", _embedded, forget, (*_REMOVED, *_ROWS, *_BASE, *_PUBLISHED)),
    Scenario("undoing", _forgotten, undo, ("undo-logged", "forgotten-inserted", "forgotten-rewritten")),
    Scenario("forgetting archived", _deleted, forget, ("rest-archived", "archive-rewritten")),
    Scenario("shrinking", _indexed, shrink, ("shrink-logged",)),
    Scenario("archiving", _deleted, restore_from_archive, ("indexer-published",)),
    Scenario("archiving transcripts", _indexed, archive_transcripts, ("transcripts-archived",)),
    Scenario(
        "restoring", _lost_work, read,
        ("work-restored", "work-log-removed", *_ROWS, *_PUBLISHED, "indexer-published", "progress-reported"),
    ),
    Scenario("upgrading", _older, read, ("schema-upgraded", "work-log-removed", *_PUBLISHED)),
    Scenario("lexicon", _lost_lexicon, read, ("lexicon-file-removed", "documents-written", "documents-committed")),
    Scenario("reading in parts", _part, read_in_parts, ("part-of-documents-committed", *_ROWS)),
    Scenario("backing up", _elsewhere, back_up_and_import, ("backup-written", "import-moved", "import-in-place")),
    Scenario("exporting", _partly_elsewhere, export_and_import, ("export-written", "import-inserted")),
    Scenario("reviewing", _indexed, review, ("review-written", *_PUBLISHED)),
    Scenario(
        "vector index", _embedded, index_vectors,
        ("vector-index-written", "vector-index-in-place", "vector-index-named"),
    ),
)  # fmt: skip
"""Everything that is killed."""
BY_NAME: Final = {scenario.name: scenario for scenario in SCENARIOS}


def prepare(scenario: Scenario, source: Path, folder: Path) -> None:
    """Make the folder in which a scenario begins, from a folder of transcripts."""
    shutil.rmtree(folder, ignore_errors=True)
    place = Place((folder,))
    shutil.copytree(source, place.whole)
    place.source.mkdir()
    scenario.prepare(place)


def run(name: str, folder: str) -> None:
    """Run a scenario in its folder to the end."""
    BY_NAME[name].run(Place((Path(folder),)))
