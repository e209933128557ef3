"""The documents of turns that are being written: in pieces, written again with each commit, and found as one turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tantivy import Index as TantivyIndex

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.lexicon_sync import PIECE
from memtui_core.model import Turn
from memtui_core.readers.locations import Location
from memtui_core.store.lexicon import Lexicon, LexiconWriter, writer
from memtui_core.store.lexicon.tokens import words as words_of
from support.documents import documents, temporary_folder
from support.transcripts import SESSION, Script
from support.turn_docs import doc, turns

TURNS = st.integers(1, 4)
SIZES = st.sampled_from([0, 0, 10, 90, 400])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), TURNS, st.just(0), SIZES, st.booleans()),
        st.tuples(st.just("put"), TURNS, st.integers(1, 3), SIZES, st.booleans()),
        st.tuples(st.just("remove"), TURNS, TURNS, st.just(0), st.just(False)),
        st.tuples(st.just("commit"), st.just(0), st.just(0), st.just(0), st.just(False)),
        st.tuples(st.just("clear"), st.just(0), st.just(0), st.just(0), st.just(False)),
    ),
    min_size=4,
    max_size=24,
)


def stored(folder: Path) -> tuple[Counter[tuple[int, str]], int]:
    """The turn and the user's words of each document, and how many documents there are."""
    texts = Counter((turn, " ".join(words.get("user", []))) for turn, words in documents(folder))
    index = TantivyIndex.open(str(folder))
    return texts, index.searcher().num_docs


def said(text: str) -> str:
    """The words of a text, as `stored` returns them."""
    return " ".join(sorted(set(words_of(text))))


def segments(lexicon: Lexicon) -> int:
    assert lexicon._searcher is not None
    return int(lexicon._searcher.num_segments)


COMMIT = ("commit", 0, 0, 0, False)
GROWING = [step for number in range(9) for step in (("put", 1 + number % 3, number // 3, 60, False), COMMIT)]


@settings(max_examples=12)
@example(GROWING, (100, 5000))
@example(GROWING, (100, 300))
@given(STEPS, st.sampled_from([(0, 0), (0, 300), (100, 0), (100, 300), (100, 5000), (64_000, 2_000_000)]))
def test_what_was_put_is_found_and_nothing_else(
    steps: list[tuple[str, int, int, int, bool]], room: tuple[int, int]
) -> None:
    held: dict[tuple[int, int], str] = {}
    words: dict[str, int] = {}
    with temporary_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "LAST_SEGMENT_SIZE", room[0])
        patch.setattr(writer, "PREVIOUS_SEGMENT_SIZE", room[1])
        lexicon = LexiconWriter(folder)
        for number, (what, turn, piece, size, fresh) in enumerate([*steps, COMMIT]):
            if what == "put" and (piece == 0 or (turn, 0) in held):
                word = f"kw{chr(97 + number)}z"
                text, words[word] = f"{word} " + "x" * size, turn
                nothing = (turn, piece) not in held if piece else not any(one == turn for one, _ in held)
                lexicon.put(doc(turn, text, piece=piece), fresh=fresh and nothing)
                held = {key: old for key, old in held.items() if piece or key[0] != turn} | {(turn, piece): text}
            elif what == "remove":
                lexicon.remove([turn, piece])
                held = {key: text for key, text in held.items() if key[0] not in (turn, piece)}
            elif what == "clear":
                lexicon.commit(number)
                lexicon.clear()
                held = {}
            elif what == "commit":
                lexicon.commit(number)
                expected = Counter((one, said(text)) for (one, _), text in held.items())
                assert stored(folder) == (expected, len(held) + 1)
                reader, alive = Lexicon(folder), {text.split()[0] for text in held.values()}
                assert {word: turns(reader, word) for word in words} == {
                    word: [one] if word in alive else [] for word, one in words.items()
                }
        lexicon.close()


def names_of_segments(folder: Path) -> set[str]:
    """The files of the segments but those that say which of their documents are deleted."""
    return {path.name for path in folder.iterdir() if len(path.stem) == 32 and path.suffix != ".del"}


def test_many_small_commits_leave_few_segments(tmp_path: Path) -> None:
    lexicon, most = LexiconWriter(tmp_path), 0
    for batch in range(1, 101):
        lexicon.put(doc(batch, f"number {batch}"))
        lexicon.commit(batch)
        most = max(most, segments(Lexicon(tmp_path)))
    lexicon.close()
    assert most <= 3
    assert stored(tmp_path) == (Counter((batch, said(f"number {batch}")) for batch in range(1, 101)), 101)


def test_small_commits_leave_a_large_segment_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LAST_SEGMENT_SIZE", 2_000)
    lexicon = LexiconWriter(tmp_path)
    for turn in range(2000):
        lexicon.put(doc(turn + 1, f"number {turn} and what was said of it"), fresh=True)
    lexicon.commit(1)
    before = names_of_segments(tmp_path)
    for batch in range(2, 42):
        lexicon.put(doc(2000 + batch, "x " * 100))
        lexicon.commit(batch)
    lexicon.close()
    assert len(before) > 4
    assert before - names_of_segments(tmp_path) == set()
    assert stored(tmp_path)[1] == 2000 + 40 + 1


def test_the_pieces_of_one_turn_do_not_crowd_out_the_others(tmp_path: Path) -> None:
    lexicon = LexiconWriter(tmp_path)
    for piece in range(60):
        lexicon.put(doc(1, "upload", piece=piece))
    for turn in range(2, 5):
        lexicon.put(doc(turn, "upload and several other words"))
    lexicon.commit(1)
    lexicon.close()
    assert turns(Lexicon(tmp_path), "upload", 4) == [1, 2, 3, 4]


class Live:
    """A transcript that one indexer takes in as it grows."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.data = tmp_path / "src", tmp_path / "data"
        self.indexer = Indexer(self.data)
        self.script = Script()

    def look(self) -> None:
        """Write the transcript as far as it is, and take it in."""
        path = self.script.write(self.folder)
        for _ in self.indexer.update([Location("claude-code", path)]):
            pass

    def found(self, query: str) -> list[tuple[int, tuple[str, ...]]]:
        """The number of each turn found by the words of a query, and why."""
        hits = Index.open(self.data).search(query, engines=["lexicon"]).hits
        return [(hit.turn, hit.why) for hit in hits]

    def documents(self) -> list[int]:
        """How many documents each turn has."""
        texts, _ = stored(self.data / "lexicon")
        found: Counter[int] = Counter()
        for (turn, _), count in texts.items():
            found[turn] += count
        return [found[turn.id] for turn in self.turns()]

    def turns(self) -> list[Turn]:
        """The turns as a reader sees them."""
        index = Index.open(self.data)
        return index.sessions.turns(index.sessions.find(SESSION).key)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path)
    yield made
    made.indexer.close()


def test_a_long_turn_that_grows_is_found_by_all_of_its_words(live: Live) -> None:
    live.script.user("Please retry the upload")
    live.script.says("zebra " + "so " * (PIECE // 3))
    live.look()
    for word in ("giraffe", "okapi"):
        live.script.says(f"{word} " + "so " * (PIECE // 3))
        live.look()
    live.script.says("gnu")
    live.look()
    words = ("zebra", "giraffe", "okapi", "gnu", "upload")
    assert live.documents() == [4]
    assert {word: live.found(word) for word in words} == {word: [(1, (f"words: {word}",))] for word in words}
    assert [number for number, _ in live.found("zebra gnu")] == [1]
    live.script.user("And now the mail")
    live.look()
    assert live.documents() == [1, 1]
    assert [turn.provisional for turn in live.turns()] == [False, True]
    assert [live.found(word) for word in ("zebra", "gnu")] == [
        [(1, ("words: zebra",))],
        [(1, ("words: gnu",))],
    ]
    whole, _ = (own for _, own in sorted(documents(live.data / "lexicon"), key=lambda found: found[0]))
    assert {"zebra", "gnu"} <= set(whole["assistant"])


def test_a_piece_grows_until_it_is_large_and_is_written_alone(live: Live) -> None:
    live.script.user("Please retry the upload")
    live.script.says("so " * (PIECE // 3))
    live.look()
    counts = []
    for number in range(3):
        live.script.says(f"step {number}")
        live.look()
        counts.append((live.documents(), live.indexer.counts.documents_written))
    assert counts == [([2], 2), ([2], 3), ([2], 4)]


def test_a_title_that_changes_while_the_turn_is_in_pieces_is_found(live: Live) -> None:
    live.script.user("Please retry the upload")
    live.script.says("zebra " + "so " * (PIECE // 3))
    live.look()
    live.script.says("giraffe")
    live.look()
    live.script.raw({"type": "custom-title", "customTitle": "Walrus", "sessionId": SESSION})
    live.script.says("okapi")
    live.look()
    assert [live.found(word) for word in ("walrus", "zebra", "giraffe", "okapi")] == [
        [(1, ("title: walrus",))],
        [(1, ("words: zebra",))],
        [(1, ("words: giraffe",))],
        [(1, ("words: okapi",))],
    ]
    assert live.documents() == [1]
    live.script.says("gnu")
    live.look()
    assert live.documents() == [2]
    assert [live.found(word) for word in ("walrus", "gnu")] == [[(1, ("title: walrus",))], [(1, ("words: gnu",))]]


def test_another_process_writes_a_turn_in_pieces_whole(live: Live) -> None:
    live.script.user("Please retry the upload")
    live.script.says("zebra " + "so " * (PIECE // 3))
    live.look()
    live.script.says("giraffe")
    live.look()
    assert live.documents() == [2]
    live.indexer.close()
    live.indexer = Indexer(live.data)
    live.script.says("okapi")
    live.look()
    assert live.documents() == [1]
    assert [live.found(word) for word in ("zebra", "giraffe", "okapi")] == [
        [(1, (f"words: {word}",))] for word in ("zebra", "giraffe", "okapi")
    ]
