"""Each file of a data folder, damaged in each way: a sentence for readers, then an index that lacks nothing.

Half of the transcripts are gone from the disk, so that the index has the only copy of their sessions. Takes minutes,
because after each damage the whole index is read, mended and compared row by row.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from conftest import SAMPLES
from memtui.cli import cli
from memtui_core.errors import MemtuiError
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.gone_sessions import archived_rows
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import publisher
from memtui_core.store.snapshot.checking import check_index
from memtui_core.store.snapshot.manifest import read_manifest
from support.table_values import index_values, table_values

QUERIES = ("rounding", "retry prices", 'path:"prices.py"')


def memtui(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def grow(path: Path, text: str) -> None:
    """Append a prompt and its answer to a transcript of the samples."""
    last = json.loads(path.read_bytes().splitlines()[-1])
    entry = {key: last[key] for key in ("cwd", "sessionId", "version", "gitBranch", "isSidechain") if key in last}
    for number, (kind, content) in enumerate((("user", text), ("assistant", [{"type": "text", "text": text.upper()}]))):
        message = {"role": kind, "content": content, "id": f"m-{text}", "model": "m"}
        ids = {"uuid": f"{text}-{number}", "timestamp": f"2026-12-01T10:00:0{number}Z"}
        with path.open("ab") as file:
            file.write(json.dumps({**entry, "type": kind, "message": message, **ids}).encode() + b"\n")


@dataclass(frozen=True)
class Kept:
    """A data folder with everything, and what it has."""

    made: Path
    """As it was made; each case gets a copy at `data`."""
    data: DataDir
    projects: Path
    values: dict[str, list[tuple[Any, ...]]]
    hits: list[Any]
    archived: list[str]

    def begin(self) -> DataDir:
        """The folder as it was made, with the times of its files, so that a run with nothing to do opens nothing."""
        shutil.rmtree(self.data.path, ignore_errors=True)
        shutil.copytree(self.made, self.data.path)
        return self.data


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home folder in which Claude Code keeps the samples, and the data folder of memtui."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDE_CONFIG_DIR", str(folder / "claude"))
        patch.setenv("MEMTUI_DATA_DIR", str(folder / "data"))
        yield folder


@pytest.fixture(autouse=True)
def home(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for each test."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(environment / "claude"))
    monkeypatch.setenv("MEMTUI_DATA_DIR", str(environment / "data"))


@pytest.fixture(scope="module")
def kept(environment: Path) -> Kept:
    """An index with a base, a delta, a journal, vectors and an archive."""
    projects = shutil.copytree(SAMPLES, environment / "claude" / "projects")
    paths = sorted(projects.rglob("*.jsonl"))
    data = DataDir(environment / "data")
    assert memtui("index").exit_code == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publisher, "JOURNAL_LIMIT", 0)
        for path in paths[::2]:
            path.unlink()
        assert memtui("index").exit_code == 0
    grow(paths[1], "marmalade")
    assert memtui("index").exit_code == 0
    # The log of the last run is in the database, and the next run has nothing to do.
    assert memtui("index").exit_code == 0
    manifest = read_manifest(data)
    assert manifest is not None
    assert None not in (manifest.delta, manifest.journal, manifest.vectors)
    made = shutil.copytree(data.path, environment / "made")
    return Kept(made, data, projects, index_values(data.path), hits(data.path), archived(data))


def hits(data_dir: Path) -> list[Any]:
    index = Index.open(data_dir)
    found = [sorted((hit.session_id, hit.turn) for hit in index.search(query, 500).hits) for query in QUERIES]
    index.close()
    return found


def archived(data: DataDir) -> list[str]:
    return sorted(rows.digest for rows in archived_rows(data))


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def flip(share: float) -> Callable[[Path], None]:
    """Flips one bit at a place of the file. Its time stays: so does a disk that forgets."""

    def flipped(path: Path) -> None:
        status = path.stat()
        if not status.st_size:
            return
        with path.open("r+b") as file:
            file.seek(place := int(share * (status.st_size - 1)))
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 0x04]))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    return flipped


def remove(path: Path) -> None:
    path.unlink()


DAMAGES: dict[str, Callable[[Path], None]] = {
    "truncated": truncate,
    "zeroed": zero,
    "removed": remove,
    "flipped in the middle": flip(0.5),
}
FLIPS = {f"flipped at {share}": flip(share) for share in (0.0031, 0.27, 0.83)}
"""In the head of a database, and in other blocks of it."""


def lexicon_files(folder: Path) -> list[Path]:
    """Two files of the largest segment, and those of the whole lexicon: tantivy reads all of a segment in one way."""
    largest = max(folder.iterdir(), key=lambda path: path.stat().st_size).stem.partition(".")[0]
    return [folder / name for name in (f"{largest}.term", f"{largest}.pos", "meta.json", ".managed.json")]


PARTS: dict[str, Callable[[DataDir], list[Path]]] = {
    "work": lambda data: [data.work],
    "CURRENT": lambda data: [data.current],
    "base": lambda data: [path for path in data.snapshots.glob("*.duckdb") if path.stem.isdigit()],
    "delta": lambda data: list(data.snapshots.glob("*.delta.duckdb")),
    "journal": lambda data: list(data.snapshots.glob("*.journal")),
    "lexicon": lambda data: lexicon_files(data.lexicon),
    "vectors": lambda data: sorted(data.vectors(0).parent.iterdir()),
    "archive": lambda data: [data.session_archive],
    "notes": lambda data: [data.last_run, data.progress],
}
"""The files of each part of a data folder."""
CASES = [(part, name) for part in PARTS for name in (*DAMAGES, *(FLIPS if part in ("work", "base") else ()))]


def read_all(index: Index) -> dict[str, list[tuple[Any, ...]]]:
    """All rows, and a search by words and meaning."""
    values = table_values(index.snapshot)
    for query in QUERIES:
        index.search(query)
    return values


def fails_clearly_or_reads_all(kept: Kept, read: Callable[[], dict[str, list[tuple[Any, ...]]]]) -> None:
    """Reading fails with one sentence that names the folder, or it has read what there is."""
    problem = None
    try:
        assert read() == kept.values
    except MemtuiError as error:
        problem = str(error)
    if problem is not None:
        assert str(kept.data.path) in problem
        assert "\n" not in problem


def is_mended(kept: Kept) -> None:
    """`memtui index`, or a repair where only reading everything finds the damage: then all is as it was."""
    ran = memtui("index")
    assert ran.exit_code == 0, ran.stderr
    if found := list(check_index(kept.data)):
        repaired = memtui("doctor", "--repair")
        assert repaired.exit_code == 0, repaired.stderr
        assert "damaged" in repaired.stderr, found
        assert memtui("index").exit_code == 0
    assert list(check_index(kept.data)) == []
    assert index_values(kept.data.path) == kept.values
    assert hits(kept.data.path) == kept.hits
    assert archived(kept.data) == kept.archived
    assert memtui("doctor").exit_code == 0


@pytest.mark.spec("S6.2")
@pytest.mark.parametrize(("part", "damage"), CASES)
def test_a_damaged_file_is_named_and_mended(part: str, damage: str, kept: Kept) -> None:
    """A reader that opens the index, and one that has it open."""
    for place in range(len(PARTS[part](DataDir(kept.made)))):
        data = kept.begin()
        opened = Index.open(data.path)
        path = PARTS[part](data)[place]
        (DAMAGES | FLIPS)[damage](path)
        fails_clearly_or_reads_all(kept, partial(read_all, opened))
        fails_clearly_or_reads_all(kept, lambda: read_all(Index.open(kept.data.path)))
        is_mended(kept)
        opened.refresh()
        assert read_all(opened) == kept.values, path
        opened.close()


@pytest.mark.spec("S6.2")
@pytest.mark.parametrize("part", ["work", "base", "delta", "journal", "lexicon", "vectors", "CURRENT"])
def test_damage_while_an_indexer_runs_is_mended_by_the_next_one(part: str, kept: Kept) -> None:
    """Each block in the middle of the file is flipped while the indexer has it open and reads what has grown."""
    data = kept.begin()
    transcript = sorted(kept.projects.rglob("*.jsonl"))[0]
    content, status = transcript.read_bytes(), transcript.stat()
    try:
        with suppress(MemtuiError, duckdb.Error, ValueError, OSError), Indexer(data.path) as indexer:
            path = PARTS[part](data)[0]
            for share in (0.2, 0.4, 0.6, 0.8):
                flip(share)(path)
            grow(transcript, "apricots")
            for _ in indexer.update([Location("claude-code", kept.projects)]):
                pass
    finally:
        transcript.write_bytes(content)
        os.utime(transcript, ns=(status.st_atime_ns, status.st_mtime_ns))
    is_mended(kept)
