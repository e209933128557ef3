from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_core.errors import IndexerBusy
from memtui_core.store.lexicon import Lexicon, LexiconWriter
from support.turn_docs import doc, index, turns


def test_put_replaces_and_remove_takes_out(tmp_path: Path) -> None:
    index(tmp_path, doc(1, "old words"), doc(2, "other"), doc(3, "third"))
    writer = LexiconWriter(tmp_path)
    writer.put(doc(1, "new words"))
    writer.put(doc(1, "newer words"))
    writer.remove(iter([2, 77]))
    writer.commit(2)
    writer.close()
    lexicon = Lexicon(tmp_path)
    assert [turns(lexicon, word) for word in ("old", "new", "newer", "other", "third")] == [[], [], [1], [], [3]]


def test_clear_takes_everything_out(tmp_path: Path) -> None:
    index(tmp_path, doc(1, "old"), batch=5)
    writer = LexiconWriter(tmp_path)
    writer.clear()
    assert writer.batch == 0
    writer.put(doc(1, "new"), fresh=True)
    writer.commit(1)
    writer.close()
    assert (turns(Lexicon(tmp_path), "old"), turns(Lexicon(tmp_path), "new")) == ([], [1])


def test_readers_see_a_commit_when_they_refresh_and_not_before(tmp_path: Path) -> None:
    first, second = Lexicon(tmp_path), Lexicon(tmp_path)
    writer = LexiconWriter(tmp_path)
    writer.put(doc(1, "word"))
    first.refresh()
    assert turns(first, "word") == []
    writer.commit(1)
    assert turns(first, "word") == []
    first.refresh()
    assert (turns(first, "word"), turns(second, "word")) == ([1], [])
    writer.put(doc(2, "word"))
    writer.commit(2)
    second.refresh()
    writer.remove([1])
    writer.commit(3)
    writer.close()
    assert (turns(first, "word"), turns(second, "word")) == ([1], [1, 2])


def test_another_process_reads_beside_the_writer(tmp_path: Path) -> None:
    writer = LexiconWriter(tmp_path)
    writer.put(doc(1, "word"))
    writer.commit(1)
    code = (
        "import sys; from pathlib import Path; from memtui_core.store.lexicon import Lexicon;"
        "from memtui_core.search.query_parser import parse;"
        "print([hit.turn for hit in Lexicon(Path(sys.argv[1])).search(parse('word'), 5)])"
    )
    said = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    writer.close()
    assert said.stdout == "[1]\n"


def test_the_batch_of_the_last_commit_is_kept(tmp_path: Path) -> None:
    for before, batch in ((0, 7), (7, 7), (7, 8)):
        writer = LexiconWriter(tmp_path)
        assert writer.batch == before
        writer.commit(batch)
        assert writer.batch == batch
        writer.close()


def test_what_was_not_committed_is_lost(tmp_path: Path) -> None:
    index(tmp_path, doc(1, "one"), batch=4)
    writer = LexiconWriter(tmp_path)
    writer.put(doc(2, "two"))
    writer.close()
    again = LexiconWriter(tmp_path)
    assert again.batch == 4
    again.commit(5)
    again.close()
    assert turns(Lexicon(tmp_path), "two") == []


@pytest.mark.parametrize("size", [0, 3, 60])
@pytest.mark.parametrize("kind", ["json", "store", "term"])
def test_a_damaged_folder_is_emptied_and_can_be_filled_again(kind: str, size: int, tmp_path: Path) -> None:
    reader = index(tmp_path, doc(1, "old"), batch=4)
    for file in list(tmp_path.glob(f"*.{kind}")):
        damaged = file.read_bytes()[:size] if kind == "json" else b"x" * size
        # The file that the reader has mapped into its memory must not shrink, only its name may point elsewhere.
        file.unlink()
        file.write_bytes(damaged)
    assert turns(Lexicon(tmp_path), "old") == []
    writer = LexiconWriter(tmp_path)
    assert writer.batch == 0
    writer.put(doc(1, "new"))
    writer.commit(1)
    writer.close()
    reader.refresh()
    assert (turns(reader, "old"), turns(reader, "new")) == ([], [1])


def test_a_folder_of_another_version_is_emptied_and_unseen_by_readers(tmp_path: Path) -> None:
    index(tmp_path, doc(1, "word"), batch=4)
    meta = tmp_path / "meta.json"
    meta.write_text(meta.read_text().replace("memtui_words_", "other_words_"))
    assert turns(Lexicon(tmp_path), "word") == []
    writer = LexiconWriter(tmp_path)
    writer.close()
    assert writer.batch == 0


def test_a_second_writer_is_told_so_and_does_no_harm(tmp_path: Path) -> None:
    index(tmp_path, doc(1, "word"))
    writer = LexiconWriter(tmp_path)
    with pytest.raises(IndexerBusy, match="Another process"):
        LexiconWriter(tmp_path)
    writer.close()
    assert turns(Lexicon(tmp_path), "word") == [1]


@pytest.mark.parametrize("links", [True, False])
def test_a_folder_in_which_nothing_can_be_locked_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """By links to its files, or by copies where the system makes no links."""
    index(tmp_path, doc(1, "word"))
    for lock in tmp_path.glob(".*.lock"):
        lock.unlink()
    (tmp_path / ".tantivy-meta.lock").mkdir()
    if not links:

        def refuse(*_: object, **__: object) -> None:
            raise OSError("a privilege is missing")

        monkeypatch.setattr(os, "symlink", refuse)
    lexicon = Lexicon(tmp_path)
    assert turns(lexicon, "word") == [1]
    beside = lexicon._links
    assert beside is not None
    assert {path.is_symlink() for path in Path(beside.name).iterdir() if path.suffix == ".term"} == {links}
    beside.cleanup()


def test_a_part_of_a_batch_is_visible_and_durable_and_the_batch_is_not_complete(tmp_path: Path) -> None:
    reader = index(tmp_path, doc(1, "one"), batch=4)
    writer = LexiconWriter(tmp_path)
    for words in ("two", "twice"):
        writer.put(doc(2, words))
        assert writer.uncommitted == len(words)
        writer.commit_part(6)
        assert (writer.batch, writer.begun, writer.uncommitted, writer.is_partial) == (4, 6, 0, True)
    writer.put(doc(3, "three"))
    writer.close()
    reader.refresh()
    assert [turns(reader, word) for word in ("one", "two", "twice", "three")] == [[1], [], [2], []]
    # What is newer than a snapshot, a reader looks for again.
    assert reader.batch == 6
    again = LexiconWriter(tmp_path)
    assert (again.batch, again.begun, again.is_partial) == (4, 6, True)
    again.put(doc(2, "twofold"))
    again.commit(6)
    assert (again.batch, again.begun, again.is_partial) == (6, 6, False)
    again.close()
    reader.refresh()
    assert [turns(reader, word) for word in ("one", "twice", "twofold")] == [[1], [], [2]]
    last = LexiconWriter(tmp_path)
    assert (last.batch, last.is_partial) == (6, False)
    last.close()
