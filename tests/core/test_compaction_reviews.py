"""The list of compactions shows what the indexer has computed, once for each."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from memtui_core.compaction.build import read_review
from memtui_core.compaction.model import Review
from memtui_core.compaction.segment import Boundary
from memtui_core.index import Index
from memtui_core.ingest import compaction_reviews
from memtui_core.ingest.compaction_reviews import CompactionReviews
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import read_manifest, write_manifest
from memtui_core.store.tables import RowSource
from support.indexes import build, update
from support.transcripts import Script


def compacted(summaries: int = 1) -> Script:
    script = Script()
    script.user("Add retries to the upload")
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/upload.py", "old_string": "a", "new_string": "b"}, "t1")
    script.compacts("src/upload.py has retries now.", 150_000)
    script.user("Go on")
    if summaries > 1:
        script.calls(
            "Edit", {"file_path": "/home/ana/code/shop/src/tax.py", "old_string": "a", "new_string": "b"}, "t2"
        )
        script.compacts("Nothing was said.", 150_000)
    return script


def shares(index: Index) -> list[tuple[bool, float | None]]:
    return [(row.is_reviewed, row.share_kept) for row in index.all_compactions()]


def test_the_list_has_the_share_of_each_review(tmp_path: Path) -> None:
    index = build(tmp_path / "data", compacted(2).write(tmp_path / "src"))
    reviewed = [index.review(row.session, row.turn or 0).share_kept for row in index.all_compactions()]
    assert shares(index) == [(True, share) for share in reviewed]
    newest, oldest = reviewed
    assert newest is not None
    assert oldest is not None
    assert (newest, oldest > newest) == (0.0, True)


def test_a_compaction_is_reviewed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reviewed: list[int] = []

    def counted(source: RowSource, boundary: Boundary) -> Review:
        reviewed.append(boundary.line)
        return read_review(source, boundary)

    monkeypatch.setattr(compaction_reviews, "read_review", counted)
    script = compacted()
    update(tmp_path / "data", script.write(tmp_path / "src"))
    script.user("And the tests")
    script.says("They pass.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    assert len(reviewed) == 1


def test_an_index_of_an_older_version_is_listed_and_reviewed_at_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, script = tmp_path / "data", compacted()
    with monkeypatch.context() as patched:
        patched.setattr(CompactionReviews, "review_new", lambda *_: 0)
        update(data, script.write(tmp_path / "src"))
        script.user("And the tests")
        source = script.write(tmp_path / "src")
        update(data, source)
    older(data)
    index = Index.open(data)
    assert (index.stats().turns, shares(index)) == (4, [(False, None)])
    update(data, source)
    [(is_reviewed, share)] = shares(Index.open(data))
    assert is_reviewed
    assert share is not None


def test_a_review_that_fails_costs_only_its_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(source: object, boundary: object) -> object:
        raise ValueError("unlucky")

    data, source = tmp_path / "data", compacted().write(tmp_path / "src")
    with monkeypatch.context() as patched:
        patched.setattr(compaction_reviews, "read_review", fails)
        update(data, source)
    index = Index.open(data)
    assert (index.stats().turns, shares(index)) == (3, [(False, None)])
    update(data, source)
    assert [is_reviewed for is_reviewed, _ in shares(Index.open(data))] == [True]


def test_what_was_not_reviewed_when_indexing_stopped_is_reviewed_later(tmp_path: Path) -> None:
    data, source = tmp_path / "data", compacted().write(tmp_path / "src")
    with Indexer(data) as indexer:
        reviews = CompactionReviews(indexer.work)
        for _ in indexer.update([Location("claude-code", source)]):
            pass
        indexer.work.connection.execute("DELETE FROM compaction_reviews")
        assert reviews.review_new(lambda: True, lambda: None) == 0
        assert reviews.rows("SELECT * FROM compaction_reviews") == []
        indexer.work.begin_batch()
        assert reviews.review_new(lambda: False, lambda: None) == 1
        assert reviews.rows("SELECT weight_total > 0 FROM compaction_reviews") == [(True,)]


def older(data: Path) -> None:
    """Make the index what schema 3 made of it."""
    folder = DataDir(data)
    manifest = read_manifest(folder)
    assert manifest is not None
    base = folder.base(manifest.base)
    for path in (folder.work, base):
        path.chmod(0o644)
        with duckdb.connect(str(path)) as connection:
            connection.execute("DROP TABLE compaction_reviews")
            connection.execute("UPDATE meta SET value = '3' WHERE key = 'schema'")
    write_manifest(folder, manifest._replace(base_bytes=base.stat().st_size))
