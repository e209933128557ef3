"""The rows of sessions go from one index to another."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.sources.removal import remove_sessions
from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.archive.session_rows import SessionRows, groups_of, rows_of
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS
from support.indexes import build, embed, update
from support.table_values import index_values
from support.transcripts import SESSION, Script

SESSION_PLACE = list(COLUMNS["sources"]).index("session") - 1
"""Without the id, which `index_values` leaves out."""


def stored_rows(data_dir: Path) -> list[SessionRows]:
    """The rows of all sessions of an index, as they come back from bytes."""
    snapshot = Snapshot(DataDir(data_dir))
    keys = [key for (key,) in snapshot.rows("SELECT key FROM sessions")]
    return [SessionRows.from_bytes(group.to_bytes()) for group in rows_of(snapshot, keys)]


def insert(data_dir: Path, rows: list[SessionRows]) -> list[tuple[str, str]]:
    """Insert sessions into an index and publish it; agent and id of those that got anything."""
    with Indexer(data_dir) as indexer:
        keys = indexer.stored.insert(rows)
        indexer.publish()
        named = f"SELECT agent, session_id FROM sessions WHERE key IN ({', '.join(map(str, keys)) or 'NULL'})"
        return sorted(indexer.work.connection.execute(named).fetchall())


def hits(data_dir: Path, query: str) -> list[tuple[str, int]]:
    return sorted((hit.session_id, hit.turn) for hit in Index.open(data_dir).search(query).hits)


def test_every_session_of_the_samples_comes_back_in_an_empty_index(sample_index: Path, tmp_path: Path) -> None:
    """Equal in every table, for the lexicon, and with the same vectors; takes 2 s because of these."""
    groups = stored_rows(sample_index)
    names = sorted(name for group in groups for name in group.sessions)
    before = index_values(sample_index)
    # Of files that are no transcripts the rows say nothing.
    before["sources"] = [row for row in before["sources"] if row[SESSION_PLACE] is not None]
    assert insert(tmp_path, groups) == names
    after = index_values(tmp_path)
    assert after.pop("chunks") == []
    chunks = before.pop("chunks")
    assert after == before
    assert [table for table, rows in before.items() if not rows] == []
    for query in ("rounding", "retry", 'path:"src/shop/prices.py"'):
        assert hits(tmp_path, query) == hits(sample_index, query) != []
    embed(tmp_path)
    assert index_values(tmp_path)["chunks"] == chunks


def test_sessions_come_in_groups_that_share_a_source_or_a_parent(sample_index: Path) -> None:
    snapshot = Snapshot(DataDir(sample_index))
    parents = dict(snapshot.rows("SELECT key, parent FROM sessions"))
    groups = groups_of(snapshot, list(parents))
    assert sorted(key for group in groups for key in group) == sorted(parents)
    place = {key: number for number, group in enumerate(groups) for key in group}
    linked = [(key, parent) for key, parent in parents.items() if parent is not None]
    shared = snapshot.rows(
        "SELECT DISTINCT a.session, b.session FROM turns a JOIN turns b USING (source) WHERE a.session < b.session"
    )
    assert linked
    assert shared
    assert [pair for pair in (*linked, *shared) if place[pair[0]] != place[pair[1]]] == []
    assert len(groups) > 1
    # Without its parent a session is a group of its own.
    child = linked[0][0]
    assert groups_of(snapshot, [child]) == [[child]]


def test_inserted_sources_are_continued_by_the_next_reading(tmp_path: Path) -> None:
    """The cursor is kept, so that of a transcript that has grown only the new lines are read."""
    script = Script()
    script.user("first")
    script.says("answer to first")
    path = script.write(tmp_path / "src")
    update(tmp_path / "one", path)
    insert(tmp_path / "two", stored_rows(tmp_path / "one"))
    assert update(tmp_path / "two", path).files_read == 0
    script.user("second")
    script.says("answer to second")
    script.write(tmp_path / "src")
    counts = update(tmp_path / "two", path)
    assert (counts.files_read, index_values(tmp_path / "two")) == (
        1,
        index_values_of_new(tmp_path / "three", path),
    )


def index_values_of_new(data_dir: Path, path: Path) -> dict[str, list[tuple[Any, ...]]]:
    update(data_dir, path)
    return index_values(data_dir)


def two_transcripts(folder: Path) -> tuple[Path, Path]:
    """A session in two transcripts, the second with a compaction and entries of its own."""
    first, second = Script(), Script(prefix="f")
    for number in range(3):
        first.user(f"apples {number}")
        first.says(f"answer {number}")
    second.count = 8
    second.user("pears")
    second.says("an answer on pears")
    second.raw({"type": "file-history-snapshot-2", "note": "unknown"})
    return first.write(folder, "one.jsonl"), second.write(folder, "two.jsonl")


@pytest.mark.parametrize("there", [0, 1])
def test_a_session_gets_the_turns_of_a_transcript_that_the_index_has_not(tmp_path: Path, there: int) -> None:
    """In the order of time, and not those that it has, whichever of the two transcripts it has. It keeps its title."""
    paths = two_transcripts(tmp_path / "src")
    whole = build(tmp_path / "whole", tmp_path / "src")
    assert [turn.number for turn in whole.sessions.turns(1)] == [1, 2, 3, 4]
    update(tmp_path / "part", paths[there])
    assert insert(tmp_path / "part", stored_rows(tmp_path / "whole")) == [("claude-code", SESSION)]
    assert {**index_values(tmp_path / "part"), "sessions": []} == {**index_values(tmp_path / "whole"), "sessions": []}
    assert hits(tmp_path / "part", "answer") == [(SESSION, 1), (SESSION, 2), (SESSION, 3), (SESSION, 4)]


def test_entries_that_the_index_has_under_another_path_are_not_inserted_again(tmp_path: Path) -> None:
    """As when a home folder was renamed, or another machine has the same sessions."""
    for folder in ("old", "new"):
        two_transcripts(tmp_path / folder)
    update(tmp_path / "one", tmp_path / "old")
    update(tmp_path / "two", tmp_path / "new")
    before = index_values(tmp_path / "two")
    assert insert(tmp_path / "two", stored_rows(tmp_path / "one")) == []
    assert index_values(tmp_path / "two") == before


def test_ids_of_removed_turns_are_not_used_in_the_batch_in_which_they_were_removed(tmp_path: Path) -> None:
    """The lexicon drops them with the next batch, and would drop the turns that have their ids."""
    paths = two_transcripts(tmp_path / "src")
    update(tmp_path / "index", *paths)
    rows = stored_rows(tmp_path / "index")
    with Indexer(tmp_path / "index", exclusions=Exclusions(["*/two.jsonl", "*/one.jsonl"])) as indexer:
        indexer.work.begin_batch()
        remove_sessions(indexer.work, indexer.stored.excluded())
        indexer._writer.batch.reload()
        assert len(indexer.stored.insert(rows, as_stored=True)) == 1
        indexer.publish()
        for _ in indexer.update([]):
            pass
        indexer.work.begin_batch()
        indexer.publish()
    assert hits(tmp_path / "index", "apples") == [(SESSION, 1), (SESSION, 2), (SESSION, 3)]


def test_rows_of_another_version_are_read_by_the_names_of_their_columns() -> None:
    tables = {"forks": {"columns": ["mood", "session"], "rows": [["good", 7]]}, "moods": {"columns": [], "rows": []}}
    data = orjson.dumps({"version": 1, "tables": tables})
    assert SessionRows.from_bytes(data) == SessionRows({"forks": [(7, None)]})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "unexpected end of data"),
        (b"[]", "broken"),
        (b'{"version":1,"tables":[]}', "it is no object"),
        (b'{"version":2,"tables":{}}', "it has version 2; this memtui knows 1"),
        (b'{"version":1,"tables":{"forks":{"columns":["session"],"rows":[["x"]]}}}', "forks.session has a value"),
        (b'{"version":1,"tables":{"forks":{"rows":[]}}}', "columns"),
    ],
)
def test_broken_rows_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        SessionRows.from_bytes(data)


def test_inserting_twice_and_into_an_index_that_has_them_changes_nothing(sample_index: Path, tmp_path: Path) -> None:
    index = shutil.copytree(sample_index, tmp_path / "index")
    before = index_values(index)
    assert insert(index, stored_rows(sample_index)) == []
    assert index_values(index) == before
