"""What a snapshot and the work database hold, to be compared; and transcripts that change in every way."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np

from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.sources import linking
from memtui_core.ingest.sources.live_sources import LiveSources
from memtui_core.ingest.vectors import turn_vectors
from memtui_core.ingest.writing.lexicon_sync import LexiconSync
from memtui_core.readers.locations import Location
from memtui_core.search.embed import Embedder
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import journal, publisher
from memtui_core.store.snapshot.manifest import Manifest, read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS, TIME
from memtui_core.store.vectors import access
from memtui_core.store.vectors.files import VectorFiles
from memtui_core.store.work import database
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.startup.numeric import Vector
from support.transcripts import Script

Contents = dict[str, list[tuple[Any, ...]]]


def contents(rows: Callable[[str], list[tuple[Any, ...]]], *leave: str) -> Contents:
    """All rows of all tables that snapshots carry, in an order of their own; without the batch of a turn."""
    left = {"batch", *leave}
    found: Contents = {}
    for table, columns in COLUMNS.items():
        chosen = [f"epoch_us({name})" if kind == TIME else name for name, kind in columns.items() if name not in left]
        if table not in left:
            found[table] = sorted(rows(f"SELECT {', '.join(chosen)} FROM {table}"), key=repr)
    return found


def published_contents(data_dir: Path, *leave: str) -> Contents:
    """What a reader that opens the newest snapshot sees, but for some columns and tables."""
    snapshot = Snapshot(DataDir(data_dir))
    try:
        return contents(snapshot.rows, *leave)
    finally:
        snapshot.close()


def work_contents(connection: duckdb.DuckDBPyConnection, *leave: str) -> Contents:
    """What the indexer holds, but for some columns and tables."""
    return contents(lambda sql: connection.execute(sql).fetchall(), *leave)


def make_whole(data_dir: Path) -> None:
    """Give an index the work database of earlier versions, which has everything that is published too."""
    work = WorkDatabase(DataDir(data_dir))
    work.rewrite()
    work.close()


def manifest_of(data_dir: Path) -> Manifest:
    """The newest snapshot."""
    manifest = read_manifest(DataDir(data_dir))
    assert manifest is not None
    return manifest


def bring_up_to_date(indexer: Indexer, folder: Path, embedder: Embedder | None = None) -> None:
    """Read what changed below a folder, and make vectors for it."""
    for _ in indexer.update([Location("claude-code", folder)]):
        pass
    if embedder is not None:
        for _ in indexer.embed(embedder):
            pass


class Letters:
    """A model that knows how often each letter stands in a text."""

    def __init__(self, name: str = "letters", dimension: int = 26) -> None:
        self.name, self.dimension = name, dimension

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]

    def _vector(self, text: str) -> Vector:
        counts = np.ones(self.dimension, np.float32)
        for letter in text:
            counts[ord(letter) % self.dimension] += 1
        vector: Vector = (counts / np.linalg.norm(counts)).astype(np.float32)
        return vector


class Folder:
    """Transcripts that change at random."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.random = Random(seed)
        self.there: list[Script] = []
        self.deleted: list[Script] = []
        self.made = 0
        path.mkdir(parents=True)
        self.appears()

    def step(self) -> str:
        """Change something; what it was."""
        steps = [self.grows] * 6 + [
            self.appears,
            self.is_rewritten,
            self.is_cut,
            self.is_copied,
            self.goes,
            self.returns,
        ]
        step = self.random.choice([*steps, self.gets_lines, self.gets_lines, self.compacts])
        step()
        return step.__name__

    def appears(self) -> None:
        self.made += 1
        session = f"{self.made:08x}-1111-4111-8111-111111111111"
        script = Script(session, cwd=f"/home/ana/code/shop{self.made % 2}", prefix=f"s{self.made}-")
        for _ in range(self.random.randint(1, 3)):
            self._speaks(script)
        self.there.append(script)
        script.write(self.path)

    def grows(self) -> None:
        for script in self._some(2):
            self._speaks(script)
            script.write(self.path)

    def is_rewritten(self) -> None:
        for script in self._some(1):
            script.lines.clear()
            script.prefix += "r"
            self._speaks(script)
            script.write(self.path)

    def is_cut(self) -> None:
        for script in self._some(1):
            del script.lines[self.random.randint(0, len(script.lines)) :]
            script.write(self.path)

    def is_copied(self) -> None:
        """As a session that was forked begins: with entries of another one."""
        for script in self._some(1):
            self.appears()
            copy = self.there[-1]
            copy.lines[:0] = script.lines[: self.random.randint(1, max(1, len(script.lines)))]
            copy.write(self.path)

    def goes(self) -> None:
        for script in self._some(1):
            self.there.remove(script)
            self.deleted.append(script)
            (self.path / f"{script.session_id}.jsonl").unlink()

    def returns(self) -> None:
        if self.deleted:
            script = self.deleted.pop()
            self.there.append(script)
            if self.random.random() < 0.5:
                self._speaks(script)
            script.write(self.path)

    def gets_lines(self) -> None:
        for script in self._some(1):
            number = self.random.randint(1, 4)
            title = f"title {self.random.randint(1, 9)}"
            lines: list[dict[str, Any]] = [
                pull_request(script.session_id, number),
                {"type": "custom-title", "customTitle": title, "sessionId": script.session_id},
                {"type": "summary", "summary": title, "leafUuid": f"{script.prefix}{max(0, script.count - 1)}"},
            ]
            if self.random.random() < 0.3:
                script.lines.append(b'{"type": "user", "mess')
            else:
                script.raw(self.random.choice(lines))
            script.write(self.path)

    def compacts(self) -> None:
        for script in self._some(1):
            script.compacts(f"so far {script.count}")
            script.write(self.path)

    def _some(self, most: int) -> list[Script]:
        return self.random.sample(self.there, min(len(self.there), self.random.randint(1, most)))

    def _speaks(self, script: Script) -> None:
        number = script.count
        if self.random.random() < 0.7:
            script.user(f"please look at @src/part{number}.py in {script.prefix}\x00 “{number}”")
        if self.random.random() < 0.7:
            script.says(f"answer {number} to {script.prefix}")
        if self.random.random() < 0.5:
            arguments = {"file_path": f"{script.cwd}/src/part{number}.py"}
            script.calls(self.random.choice(["Edit", "Read"]), arguments, f"t{number}")
            if self.random.random() < 0.7:
                script.result("done", f"t{number}", error=self.random.random() < 0.3)
        if self.random.random() < 0.2:
            script.calls("Task", {"description": f"look {number}", "prompt": "look there"}, f"a{number}")
        if script.count == number:
            script.says("nothing more")


def pull_request(session_id: str, number: int) -> dict[str, Any]:
    """The line of a pull request."""
    return {
        "type": "pr-link",
        "sessionId": session_id,
        "prNumber": number,
        "prUrl": f"https://github.com/acme/shop/pull/{number}",
        "prRepository": "acme/shop",
        "timestamp": "2026-11-01T09:00:00Z",
    }


def update_and_die(step: str, when: str, data: Path, folder: Path, limits: tuple[int, int], model: str) -> None:
    """Bring an index up to date, and end the process before or after a step; for a process of its own."""

    def arms(function: Callable[..., object]) -> Callable[..., object]:
        def run(*args: Any, **kwargs: Any) -> object:
            die_at(WorkDatabase, "commit", when)
            return function(*args, **kwargs)

        return run

    publisher.JOURNAL_LIMIT, publisher.SMALLEST_LIMIT = limits
    publisher.LARGEST_LIMIT = publisher.SMALLEST_LIMIT
    if step == "append_vectors":
        die_at(VectorFiles, "append", when)
    elif step == "commit_of_chunks":
        access.put_vectors = arms(access.put_vectors)  # type: ignore[assignment]
    elif step == "prepare":
        die_at(turn_vectors, "prepare_vectors", when)
    else:
        name = step.split()[0]
        places = {"append": journal, "write_base": database, "make_overlay": database}
        die_at(places.get(name, publisher), name, when)
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, folder, Letters(model))


def update_and_die_after(step: str, data: Path, path: Path) -> None:
    """Bring an index up to date, and end the process after a step of the indexer; for a process of its own."""
    places = {
        "read": LiveSources,
        "link": linking,
        "catch_up": LexiconSync,
        "replace_file": database,
        "make_overlay": database,
        "write_manifest": publisher,
        "tidy": publisher.Publisher,
    }
    die_at(places[step], "_link" if step == "link" else step, "after")
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, path)


def put_into_one_file_and_die(step: str, when: str, data: Path, folder: Path) -> None:
    """Turn an index of an earlier version into one of today, and end the process before or after a step."""
    place = publisher if step == "write_manifest" else database
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, folder)
        die_at(WorkDatabase if step in {"checkpoint", "rewrite", "rebase"} else place, step, when)
        if step == "rewrite":
            indexer.work.rewrite()
        elif step == "rebase":
            indexer.publisher.tidy()
            indexer.work.write_base(compact=True)
            indexer.work.rebase(indexer.work.batch)


def die_at(place: object, name: str, when: str) -> None:
    """Have this process end before or after the function of a module or class."""
    function = getattr(place, name)

    def run(*args: Any, **kwargs: Any) -> None:
        if when == "after":
            function(*args, **kwargs)
        os._exit(9)

    setattr(place, name, run)
