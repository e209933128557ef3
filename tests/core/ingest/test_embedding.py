"""Which texts the model reads, how often, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from bench.embedding_ways import Counted
from memtui.cli import cli
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.speed import Speed
from memtui_core.ingest.vectors import embedding
from memtui_core.readers.locations import Location
from memtui_core.search.embed import open_model
from memtui_core.store.data_folder import DataDir
from memtui_core.store.opened import note_opened
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors.files import stored_vectors
from memtui_core.system.startup.numeric import Vector
from support.transcripts import Script

SHOP, TILL = "/home/ana/code/shop", "/home/ana/code/till"
PLAN = "Round the prices only at the till. " * 8


def session(number: int, cwd: str, *prompts: str, answer: str = "Done.") -> Script:
    script = Script(f"{number:08d}-0000-4000-8000-000000000000", cwd, f"s{number}-")
    # Each session is later than those before.
    script.count = 100 * number
    for prompt in prompts:
        script.user(prompt)
        script.says(answer)
    return script


def read(data: Path, source: Path, model: Counted, *, folder: str = "") -> None:
    with Indexer(data, folder=folder) as indexer:
        list(indexer.update([Location("claude-code", source)]))
        list(indexer.embed(model))


def order(model: Counted, *words: str) -> list[str]:
    """The words in the order in which the model has read the prompts with them; a text has the next prompt too."""
    return [min((word for word in words if word in text), key=text.index) for text in model.texts]


@pytest.mark.parametrize("write_every", [0.0, 1000.0])
def test_a_text_that_is_there_twice_is_read_once(
    tmp_path: Path, write_every: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_WRITE_EVERY", write_every)
    monkeypatch.setattr(embedding, "_TURNS", 2)
    data, source = tmp_path / "data", tmp_path / "src"
    model = Counted(open_model())
    # A conversation ends with the next prompt, so these turns have three different ones.
    for number, prompts in enumerate([["Unlike", PLAN], ["Unlike", PLAN], [PLAN] * 4], 1):
        session(number, SHOP, *prompts).write(source)
    read(data, source, model)
    before = Counter(model.texts)
    assert sorted(before.values()) == [1, 1, 1]
    assert all(PLAN.strip() in text for text in before)
    # After a restart, the texts of another session are known.
    session(4, TILL, "Unlike", PLAN).write(source)
    read(data, source, model)
    assert Counter(model.texts) == before
    index = Index.open(data)
    assert (index.statistics.of_index().turns, index.statistics.of_index().embedded_turns) == (10, 10)


def test_the_turns_of_the_project_at_hand_are_read_first_and_of_each_the_newest(tmp_path: Path) -> None:
    source = tmp_path / "src"
    session(1, SHOP, "oldest alpha", "old bravo").write(source)
    session(2, TILL, "middle charlie", "middle delta").write(source)
    session(3, SHOP, "new echo").write(source)
    words = ("alpha", "bravo", "charlie", "delta", "echo")

    def first_read(folder: str) -> list[str]:
        model = Counted(open_model())
        read(tmp_path / f"data-{folder.replace('/', '-')}", source, model, folder=folder)
        return order(model, *words)

    newest_first = ["echo", "delta", "charlie", "bravo", "alpha"]
    assert first_read("") == newest_first
    assert first_read(TILL) == ["delta", "charlie", "echo", "bravo", "alpha"]
    assert first_read(f"{SHOP}/src") == ["echo", "bravo", "alpha", "delta", "charlie"]
    assert first_read("/home/ana/elsewhere") == newest_first


def test_sessions_that_were_opened_come_after_the_project_at_hand_also_while_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_TURNS", 1)
    source, data = tmp_path / "src", DataDir(tmp_path / "data")
    blog = "/home/ana/code/blog"
    one, other, last = (session(number, SHOP).session_id for number in (1, 2, 3))
    session(1, SHOP, "old alpha", "next bravo").write(source)
    session(2, SHOP, "middle charlie").write(source)
    session(4, blog, "new delta").write(source)
    session(5, blog, "newest echo").write(source)
    session(6, TILL, "here foxtrot").write(source)
    data.path.mkdir()
    note_opened(data, last)
    note_opened(data, one)
    model = Counted(open_model())

    def open_another() -> bool:
        # When three texts are read, the user opens another session.
        if len(model.texts) == 3:
            note_opened(data, other)
        return False

    with Indexer(data.path, folder=TILL) as indexer:
        list(indexer.update([Location("claude-code", source)]))
        list(indexer.embed(model, open_another))
    words = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")
    assert order(model, *words) == ["foxtrot", "bravo", "alpha", "charlie", "echo", "delta"]


def test_what_is_written_later_waits_for_the_project_at_hand(tmp_path: Path) -> None:
    source = tmp_path / "src"
    session(1, TILL, "old charlie").write(source)
    model = Counted(open_model())
    with Indexer(tmp_path / "data", folder=TILL) as indexer:
        list(indexer.update([Location("claude-code", source)]))
        list(indexer.embed(model, lambda: True))
        backlog = indexer._writer.vectors.backlog()
        session(2, SHOP, "new alpha").write(source)
        session(3, TILL, "newest delta").write(source)
        list(indexer.update([Location("claude-code", source)]))
        assert indexer._writer.vectors.backlog() is backlog
        list(indexer.embed(model))
    assert order(model, "alpha", "charlie", "delta") == ["delta", "charlie", "alpha"]


def test_the_command_begins_with_the_project_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, source, data = tmp_path / "here", tmp_path / "src", tmp_path / "data"
    here.mkdir()
    session(1, here.as_posix(), "Old question about the till").write(source)
    session(2, SHOP, "New question about the shop").write(source)
    monkeypatch.chdir(here)
    done = CliRunner().invoke(cli, ["index", "--quiet", "--source", str(source), "--data-dir", str(data)])
    assert done.exit_code == 0, done.output
    manifest = read_manifest(DataDir(data))
    assert manifest is not None
    assert manifest.vectors is not None
    hashes = stored_vectors(DataDir(data), manifest.vectors).hashes.tolist()
    rows = Index.open(data).snapshot.rows(
        "SELECT c.hash, s.root FROM chunks c JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = t.session"
    )
    roots = dict(rows)
    assert [roots[text_hash] for text_hash in hashes] == [here.as_posix(), SHOP]


def test_the_speed_counts_what_was_known_already_and_the_time_between_two_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    class Slow(Counted):
        """Reads a text in ten seconds."""

        def embed(self, texts: Sequence[str]) -> list[Vector]:
            nonlocal now
            now += 10.0
            return super().embed(texts)

        def tokens(self, text: str) -> list[tuple[int, int]]:
            nonlocal now
            now += 1.0
            return super().tokens(text)

    monkeypatch.setattr(embedding, "time", SimpleNamespace(monotonic=lambda: now))
    session(1, SHOP, *[PLAN] * 4).write(tmp_path / "src")
    model = Slow(open_model())
    with Indexer(tmp_path / "data") as indexer:
        list(indexer.update([Location("claude-code", tmp_path / "src")]))
        list(indexer.embed(model))
        assert indexer._writer.vectors._embedding is not None
        measured = indexer._writer.vectors._embedding.speed
    # The newest turn ends without another prompt; the other three are the same text.
    newest, other = map(len, model.texts)
    expected = Speed()
    for characters, seconds in ((newest, 11.0), (other, 11.0), (other, 1.0), (other, 1.0)):
        expected.add(characters, seconds)
    assert measured.seconds_left(1000) == pytest.approx(expected.seconds_left(1000))


def test_texts_of_the_same_length_have_the_vectors_that_they_have_alone() -> None:
    texts = [f"the {word} of the till" for word in ("rate", "price", "sum", "key", "tax")] * 9
    texts += ["", "a longer text about the till " * 60, "the colour of the till"]
    model = open_model()
    together = model.embed(texts)
    alone = [model.embed([text])[0] for text in texts]
    assert len(together) == len(texts)
    assert all(np.array_equal(one, other) for one, other in zip(together, alone, strict=True))
    assert model.embed([]) == []
