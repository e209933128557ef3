"""A review is made when somebody looks, or by the idle indexer, which stores it; once for each compaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memtui_core.compaction.build import SessionReviews
from memtui_core.compaction.history import Boundary, boundaries
from memtui_core.compaction.model import ReviewItems
from memtui_core.index.index import Index
from memtui_core.ingest import indexer as indexer_module
from memtui_core.ingest.compaction_reviews import CompactionReviews
from memtui_core.ingest.indexer import Indexer
from memtui_core.queries.main_items import RULES
from memtui_core.readers.locations import Location
from memtui_core.search.embed import open_model
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import read_progress
from memtui_core.store.schema import MIGRATIONS
from memtui_core.store.snapshot.manifest import read_manifest, write_manifest
from memtui_core.store.tables import RowSource
from support.indexes import build, review, update
from support.publishing import make_whole
from support.transcripts import Script


def compacted(summaries: int = 1, number: int = 1) -> Script:
    script = Script(f"5e550000-0000-4000-8000-{number:012}", prefix=f"{number}-")
    script.user("Add retries to the upload")
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/upload.py", "old_string": "a", "new_string": "b"}, "t1")
    script.compacts("Retries were added to the upload in src/upload.py.", 150_000)
    script.user("Go on")
    if summaries > 1:
        script.calls(
            "Edit", {"file_path": "/home/ana/code/shop/src/tax.py", "old_string": "a", "new_string": "b"}, "t2"
        )
        script.compacts("Nothing was said.", 150_000)
    return script


def lists(index: Index) -> list[tuple[bool, list[tuple[str, str]]]]:
    return [(row.is_reviewed, [(item.kind, item.text) for item in row.lost]) for row in index.compactions.all()]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A session that was compacted twice, with stored reviews; read only."""
    folder = tmp_path_factory.mktemp("compacted")
    update(folder / "data", compacted(2).write(folder / "src"))
    review(folder / "data")
    return Index.open(folder / "data")


def test_the_list_has_what_each_summary_lacks_and_what_matters(tmp_path: Path) -> None:
    script = Script()
    for text in ("Prices must never be rounded up.", "Add retries to the upload"):
        script.user(text)
        script.calls(
            "Edit", {"file_path": "/home/ana/code/shop/src/tax.py", "old_string": "a", "new_string": "b"}, "t1"
        )
        script.compacts("Nothing was said.", 150_000)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    rule = ("rule", "Prices must never be rounded up.")
    assert lists(index) == [(False, []), (False, [])]
    made = list(index.compactions.reviewed(index.compactions.all()))
    assert lists(index) == [(True, [rule]), (True, [rule])]
    assert made == index.compactions.all()
    review(tmp_path / "data")
    assert (index.refresh(), index.compactions.all()) == (True, made)
    reviewed = [index.compactions.review(row.session, row.turn or 0) for row in index.compactions.all()]
    assert [[(item.kind, item.text) for item in review.main] for review in reviewed] == [[rule], [rule]]
    assert [[item.kind for item in review.lost] for review in reviewed] == [
        ["rule", "request", "edited"], ["rule", "edited"]
    ]  # fmt: skip


def test_a_review_has_what_its_summary_lacks(index: Index) -> None:
    reviewed = [index.compactions.review(row.session, row.turn or 0).lost for row in index.compactions.all()]
    assert [[(item.kind, item.text) for item in lost] for lost in reviewed] == [
        [("request", "Add retries to the upload"), ("edited", "src/tax.py")],
        [],
    ]


def test_a_compaction_is_reviewed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reviewed: list[int] = []

    made = SessionReviews.items

    def counted(reviews: SessionReviews, boundary: Boundary) -> ReviewItems:
        reviewed.append(boundary.line)
        return made(reviews, boundary)

    monkeypatch.setattr(SessionReviews, "items", counted)
    script = compacted()
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    looks: list[Callable[[], object]] = [
        lambda: list(index.compactions.reviewed(index.compactions.all())),
        lambda: list(index.compactions.reviews()),
        lambda: index.compactions.review(1, 2),
    ]
    assert reviewed == []
    for look in looks:
        look()
        assert len(reviewed) == 1
    script.user("And the tests")
    script.says("They pass.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    index.refresh()
    # The turns before the compaction are the same.
    assert [row.is_reviewed for row in index.compactions.all()] == [True]
    review(tmp_path / "data")
    assert len(reviewed) == 2
    script.user("And the docs")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    review(tmp_path / "data")
    index.refresh()
    for look in looks:
        look()
    assert len(reviewed) == 2


class CountedRows:
    """A snapshot that counts the blocks and the turns that are read."""

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self.blocks: Counter[tuple[int, int]] = Counter()
        self.turn_lists = 0

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        found = self._source.rows(sql, parameters)
        if "FROM blocks" in sql:
            self.blocks.update((turn, seq) for turn, seq, *_ in found)
        self.turn_lists += "FROM turns WHERE session" in sql
        return found


def many_times_compacted() -> Script:
    script = Script()
    for part in range(5):
        script.user(f"Part {part}: prices must never be rounded up in step {part}.")
        script.calls("Bash", {"command": f"pytest tests/part_{part}.py"}, f"t{part}")
        script.result(f"t{part}", f"{part + 1} failed")
        script.says(f"Caveat: I have not verified the upload of large pictures in part {part} yet.")
        script.compacts(f"Part {part} was done. Prices must never be rounded up in step {part}.", 150_000)
    return script


def test_the_compactions_of_a_session_read_each_block_once(tmp_path: Path) -> None:
    index = build(tmp_path / "data", many_times_compacted().write(tmp_path / "src"))
    source = CountedRows(index.snapshot)
    found = boundaries(source, None)
    together = SessionReviews(source)
    in_order = [together.items(boundary) for boundary in sorted(found, key=lambda boundary: boundary.segment)]
    before_last = index.snapshot.rows("SELECT turn, seq FROM blocks JOIN turns t ON t.id = turn WHERE t.segment < 5")
    assert source.blocks == Counter(before_last)
    assert source.turn_lists == 1
    alone = [SessionReviews(index.snapshot).items(boundary) for boundary in reversed(found)]
    assert in_order == alone
    assert [len(items.lost) > 0 for items in in_order] == [True] * 5


def test_a_review_is_opened_as_it_was_stored(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = [SessionReviews(index.snapshot).items(boundary) for boundary in boundaries(index.snapshot, None)]

    def never(*_: object) -> ReviewItems:
        raise AssertionError("a stored review is made again")

    monkeypatch.setattr(SessionReviews, "items", never)
    opened = [ReviewItems(review.lost, review.kept) for review in index.compactions.reviews()]
    assert opened == computed
    assert any(items.lost for items in computed)


def test_reviews_are_made_again_by_meaning_and_by_newer_rules(tmp_path: Path) -> None:
    data = tmp_path / "data"
    source = compacted().write(tmp_path / "src")
    with Indexer(data) as indexer:
        list(indexer.update([Location("claude-code", source)]))
        list(indexer.review())
        reviews = CompactionReviews(indexer.work)
        assert reviews.rows("SELECT rules, by_meaning FROM reviews") == [(RULES, False)]
        assert (indexer.needs_review(by_meaning=False), indexer.needs_review(by_meaning=True)) == (False, True)
        assert list(indexer.review(lambda: True, open_model())) == []
        assert indexer.needs_review(by_meaning=True)
        list(indexer.review(lambda: False, open_model()))
        assert reviews.rows("SELECT rules, by_meaning FROM reviews") == [(RULES, True)]
        assert not indexer.needs_review(by_meaning=True)
        [(review_source, line, rules, by_meaning)] = indexer.work.rows("reviews", "TRUE", [])
        indexer.work.begin_batch()
        with indexer.work.transaction():
            indexer.work.drop("reviews", [review_source])
            indexer.work.put("reviews", [(review_source, line, rules - 1, by_meaning)])
        assert indexer.needs_review(by_meaning=False)
        indexer.publish()
        assert [is_reviewed for is_reviewed, _ in lists(Index.open(data))] == [False]
        list(indexer.review())
        assert reviews.rows("SELECT rules, by_meaning FROM reviews") == [(RULES, False)]


def test_an_index_of_an_older_version_is_listed_and_reviewed(tmp_path: Path) -> None:
    data, script = tmp_path / "data", compacted()
    update(data, script.write(tmp_path / "src"))
    script.user("And the tests")
    source = script.write(tmp_path / "src")
    update(data, source)
    older(data)
    index = Index.open(data)
    assert (index.statistics.of_index().turns, lists(index)) == (4, [(False, [])])
    [unstored] = index.compactions.reviews()
    update(data, source)
    review(data)
    index = Index.open(data)
    assert lists(index) == [(True, [])]
    assert list(index.compactions.reviews()) == [unstored]


def test_a_review_that_fails_costs_only_its_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> ReviewItems:
        raise ValueError("unlucky")

    data, source = tmp_path / "data", compacted(2).write(tmp_path / "src")
    index = build(data, source)
    made = SessionReviews.items

    def fails_first(reviews: SessionReviews, boundary: Boundary) -> ReviewItems:
        return made(reviews, boundary) if boundary.segment == 2 else fails()

    with monkeypatch.context() as patched:
        patched.setattr(SessionReviews, "items", fails_first)
        assert len(list(index.compactions.reviewed(index.compactions.all()))) == 1
        patched.setattr(SessionReviews, "items", fails)
        review(data)
    index = Index.open(data)
    assert (index.statistics.of_index().turns, lists(index)) == (4, [(False, []), (False, [])])
    review(data)
    assert [is_reviewed for is_reviewed, _ in lists(Index.open(data))] == [True, True]


def test_what_was_not_reviewed_when_indexing_stopped_is_reviewed_later(tmp_path: Path) -> None:
    data, source = tmp_path / "data", compacted().write(tmp_path / "src")
    with Indexer(data) as indexer:
        reviews = CompactionReviews(indexer.work)
        for _ in indexer.update([Location("claude-code", source)]):
            pass
        assert list(reviews.review_new(lambda: True, lambda: None)) == []
        assert reviews.rows("SELECT * FROM reviews") == []
        indexer.work.begin_batch()
        assert list(reviews.review_new(lambda: False, lambda: None)) == [(1, 1)]
        assert reviews.rows("SELECT rules, by_meaning FROM reviews") == [(RULES, False)]


def test_an_update_makes_no_review_and_a_review_reports_its_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer_module, "REPORT_EVERY", 0.0)
    data, source = tmp_path / "data", compacted(2).write(tmp_path / "src")
    reports: list[tuple[str, int, int, bool]] = []
    with Indexer(data) as indexer:
        assert {progress.stage for progress in indexer.update([Location("claude-code", source)])} == {"reading"}
        assert lists(Index.open(data)) == [(False, []), (False, [])]
        for progress in indexer.review():
            reports.append((progress.stage, progress.done, progress.total, progress.finished))
            assert read_progress(data) == progress
    assert reports == [("reviewing", 1, 2, False), ("reviewing", 2, 2, False), ("reviewing", 2, 2, True)]
    assert [is_reviewed for is_reviewed, _ in lists(Index.open(data))] == [True, True]


def test_the_compactions_of_one_transcript_are_reviewed(tmp_path: Path) -> None:
    first, second = (compacted(number=number).write(tmp_path / "src") for number in (1, 2))
    with Indexer(tmp_path / "data") as indexer:
        list(indexer.update([Location("claude-code", tmp_path / "src")]))
        list(indexer.review(transcript=second))
        places = indexer.work.rows("reviews", "TRUE", [])
        [(expected,)] = CompactionReviews(indexer.work).rows("SELECT id FROM sources WHERE path = ?", [str(second)])
        assert ([source for source, *_ in places], indexer.needs_review(by_meaning=False)) == ([expected], True)
        list(indexer.review(transcript=first))
        assert not indexer.needs_review(by_meaning=False)


def older(data: Path) -> None:
    """Make the index what schema 4 made of it."""
    make_whole(data)
    folder = DataDir(data)
    manifest = read_manifest(folder)
    assert manifest is not None
    base = folder.base(manifest.base)
    for path in (folder.work, base):
        path.chmod(0o644)
        with duckdb.connect(str(path)) as connection:
            connection.execute("DROP TABLE reviews")
            connection.execute("DROP TABLE review_items")
            connection.execute("DROP TABLE forks")
            connection.execute("DROP TABLE unknown_entries")
            connection.execute("DROP TABLE facts")
            connection.execute(MIGRATIONS[3])
            connection.execute("UPDATE meta SET value = '4' WHERE key = 'schema'")
    write_manifest(folder, manifest._replace(base_bytes=base.stat().st_size))


def test_a_boundary_without_its_summary_is_not_due(tmp_path: Path) -> None:
    script = compacted()
    script.entry("system", subtype="compact_boundary", content="Conversation compacted", compactMetadata={})
    with Indexer(tmp_path / "data") as indexer:
        list(indexer.update([Location("claude-code", script.write(tmp_path / "src"))]))
        assert indexer.needs_review(by_meaning=False)
        list(indexer.review())
        assert not indexer.needs_review(by_meaning=False)
    assert [is_reviewed for is_reviewed, _ in lists(Index.open(tmp_path / "data"))] == [False, True]
