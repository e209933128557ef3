"""An index beyond repair: what the archive and its damaged databases have comes back, whenever the process dies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from conftest import SAMPLES
from memtui_core.errors import MemtuiError
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import publisher
from memtui_core.store.snapshot.manifest import read_manifest
from support.indexes import update
from support.systems import drops_root
from support.table_values import index_values


class Gone:
    """A copy of an index of the samples of which half of the transcripts are gone."""

    def __init__(self, made: Path, folder: Path) -> None:
        shutil.copytree(made / "data", folder / "data")
        # Which the index names, so that they stay in their place.
        self.data, self.sources = DataDir(folder / "data"), made / "src"
        self.before = index_values(self.data.path)

    @property
    def base(self) -> Path:
        manifest = read_manifest(self.data)
        assert manifest is not None
        return self.data.base(manifest.base)

    def update(self) -> None:
        update(self.data.path, self.sources)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What has changed since the base is in a delta."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copytree(SAMPLES, folder / "src")
    update(folder / "data", folder / "src")
    for path in sorted((folder / "src").rglob("*.jsonl"))[::2]:
        path.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publisher, "JOURNAL_LIMIT", 0)
        update(folder / "data", folder / "src")
    return folder


@pytest.fixture
def gone(made: Path, tmp_path: Path) -> Gone:
    return Gone(made, tmp_path)


def break_header(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[:4096] = bytes(4096)
    path.write_bytes(content)


@pytest.mark.spec("S6.1")
def test_what_a_damaged_base_still_has_comes_back_without_an_archive(gone: Gone) -> None:
    """The delta is broken, and so is the work database; the base has everything but that some sources are gone."""
    shutil.rmtree(gone.data.archive)
    break_header(gone.data.work)
    for path in gone.data.snapshots.glob("*.delta.duckdb"):
        break_header(path)
    gone.update()
    assert index_values(gone.data.path) == gone.before


def test_of_a_base_with_damaged_blocks_only_what_is_in_these_is_lost(gone: Gone) -> None:
    """Texts are lost, and not one turn."""
    shutil.rmtree(gone.data.archive)
    gone.data.work.unlink()
    for path in gone.data.snapshots.glob("*.delta.duckdb"):
        break_header(path)
    content = bytearray(gone.base.read_bytes())
    with duckdb.connect(str(gone.base), read_only=True) as connection:
        size = 32_768
        blocks = {
            block
            for (block,) in connection.execute(
                "SELECT block_id FROM pragma_storage_info('blocks') WHERE column_name = 'text' AND block_id >= 0"
            ).fetchall()
        }
    assert blocks
    for block in blocks:
        # Behind the three headers of 4 kB.
        content[12_288 + block * size + 100] ^= 0xFF
    gone.base.write_bytes(content)
    gone.update()
    after = index_values(gone.data.path)
    # Sources that were not read whole are to be read again, should they be found.
    unlike: dict[str, list[object]] = {"blocks": [], "sources": [], "facts": []}
    assert {**after, **unlike} == {**gone.before, **unlike}
    # Facts are made of the texts that are left: there are fewer, and none of another kind.
    facts = [{repr(row[:4]) for row in values["facts"]} for values in (after, gone.before)]
    assert facts[0] < facts[1]
    lost = [(old, new) for old, new in zip(gone.before["blocks"], after["blocks"], strict=True) if old != new]
    assert 0 < len(lost) < len(after["blocks"])


@pytest.mark.spec("S6.1")
@pytest.mark.parametrize("moment", ["before anything was restored", "before the transcripts were read"])
def test_a_process_that_dies_while_it_restores_is_followed_by_one_that_does(moment: str, gone: Gone) -> None:
    """The second one stops after the archive was read: as if it had died, nothing says that all is there."""
    gone.base.write_bytes(b"junk")
    stops = [False, True]
    with Indexer(gone.data.path) as indexer:
        assert indexer.work.is_new
        if moment == "before the transcripts were read":
            for _ in indexer.update([Location("claude-code", gone.sources)], lambda: stops.pop(0) if stops else True):
                pass
    gone.update()
    assert index_values(gone.data.path) == gone.before


def test_nothing_is_restored_twice_and_nothing_into_an_index_that_is_whole(gone: Gone) -> None:
    gone.base.write_bytes(b"junk")
    gone.update()
    with Indexer(gone.data.path) as indexer:
        for _ in indexer.update([Location("claude-code", gone.sources)]):
            pass
        assert (indexer.counts.sessions_restored, indexer.counts.records_archived) == (0, 0)
    assert index_values(gone.data.path) == gone.before


def test_sources_that_are_indexed_from_another_location_are_read_there_and_not_salvaged(gone: Gone) -> None:
    """An index of two locations is made again by a run with one of them: the rest is as it was, and is read later."""
    gone.base.write_bytes(b"junk")
    folders = sorted(path for path in gone.sources.iterdir() if path.is_dir())
    update(gone.data.path, folders[0])
    gone.update()
    assert index_values(gone.data.path) == gone.before


@pytest.mark.parametrize("part", ["work", "base", "archive"])
def test_a_file_that_may_not_be_read_is_neither_moved_nor_replaced(part: str, gone: Gone) -> None:
    """Takes 2 s, because a user without rights is needed, in a process of its own."""
    path = {
        "work": gone.data.work,
        "base": gone.base,
        "archive": gone.data.session_archive,
    }[part]
    if part == "archive":
        gone.data.work.unlink()
        shutil.rmtree(gone.data.snapshots)
    for one in [gone.data.path, *gone.data.path.rglob("*")]:
        one.chmod(0o777)
    content = path.read_bytes()
    path.chmod(0)
    code = (
        "import sys\nfrom pathlib import Path\nfrom memtui_core.ingest.indexer import Indexer\n"
        "from memtui_core.system.failures import failure_text\nfrom memtui_core.readers.locations import Location\n"
        "folder = Path(sys.argv[1])\n"
        "try:\n    with Indexer(folder) as indexer:\n"
        "        for _ in indexer.update([Location('claude-code', Path(sys.argv[2]))]):\n            pass\n"
        "except Exception as error:\n    print(failure_text(error, folder))\n"
    )
    command = [*drops_root(), sys.executable, "-c", code, str(gone.data.path), str(gone.sources)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    path.chmod(0o600)
    assert "permission denied" in ran.stdout.lower(), (ran.stdout, ran.stderr)
    assert (path.read_bytes(), gone.data.broken.exists()) == (content, False)
    if part != "archive":
        gone.update()
        assert index_values(gone.data.path) == gone.before


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def test_an_error_of_the_machine_is_no_damage(gone: Gone) -> None:
    """Nothing is moved aside when too many files are open."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The limit is one of numbers: those that are free below other open files can be used, too.
    third = [number for number in range(soft) if not _is_open(number)][2]
    resource.setrlimit(resource.RLIMIT_NOFILE, (third, hard))
    try:
        with pytest.raises((MemtuiError, OSError, duckdb.Error, ValueError)):
            Indexer(gone.data.path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not gone.data.broken.exists()
    gone.update()
    assert index_values(gone.data.path) == gone.before
