"""Turns found by what they mean, with the real model over real transcripts."""

from __future__ import annotations

import gc
import re
import shutil
import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.model import Passage, SearchResult
from memtui_core.search.embed import Embedder, open_model
from memtui_core.search.embed.models import DEFAULT_DIMENSION
from memtui_core.search.vectors.nearest import model_name, nearest_turns
from support.indexes import embed, update
from support.publishing import bring_up_to_date
from support.transcripts import SESSION, Script


@pytest.fixture(scope="module")
def model() -> Embedder:
    """The model, loaded once."""
    return open_model()


def opened(data: Path) -> Index:
    """The index with its model loaded."""
    index = Index.open(data)
    assert index.vectors.load_model()
    return index


def three_turns() -> Script:
    """A session about three different things."""
    script = Script()
    script.user("Why do the uploads break off?")
    script.says("The client waits ten seconds only, then it gives up.")
    script.user("Paint the buttons green")
    script.says("Done, the theme has another accent colour.")
    script.user("Write an invoice for March")
    script.says("It lists all orders with their taxes.")
    return script


@pytest.fixture(scope="module")
def unembedded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of the session, without vectors; read only."""
    folder = tmp_path_factory.mktemp("unembedded")
    update(folder / "data", three_turns().write(folder / "src"))
    return folder / "data"


def indexed(data: Path, source: Path) -> Index:
    """The index of a transcript with vectors."""
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, source, open_model())
    return opened(data)


@pytest.fixture(scope="module")
def samples(sample_index: Path) -> Index:
    """The sample sessions, searched by meaning too."""
    return opened(sample_index)


@pytest.mark.spec("S5.10")
@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("why were customers' pictures lost", "Fix flaky uploads"),
        ("make the numbers on the invoice come out right", "Add price rounding"),
        ("spreadsheet for the bookkeepers", "Accounting wants all orders of a month"),
        ("stop people from hammering the service", "Rate limit by client address"),
    ],
)
def test_a_question_in_other_words_finds_the_session(samples: Index, question: str, title: str) -> None:
    assert title in [hit.title[: len(title)] for hit in samples.search(question, 3).hits]


def test_words_and_paths_answer_before_meaning(samples: Index) -> None:
    first: list[SearchResult] = []

    def early(found: Callable[[], SearchResult]) -> None:
        first.append(found())

    whole = samples.search("why did we retry upload.py", 10, on_first_hits=early)
    [answer] = first
    assert answer.hits == samples.search("why did we retry upload.py", 10, engines=("lexicon", "paths")).hits
    assert whole.hits == samples.search("why did we retry upload.py", 10).hits != answer.hits
    for query in ('"retry"', "in:user retry", "has:error"):
        samples.search(query, 10, on_first_hits=early)
    assert first == [answer]


def test_a_search_is_given_up_between_any_two_of_its_steps(samples: Index) -> None:
    class GivenUp(Exception):
        """A newer query waits."""

    def asked(steps: int) -> tuple[int, int]:
        """How often it was asked whether to go on, and whether words and paths had answered, when it ended."""
        calls, answers = [], []

        def still() -> None:
            calls.append(1)
            if len(calls) > steps:
                raise GivenUp

        with suppress(GivenUp):
            samples.search(
                "why did we retry upload.py", 10, on_first_hits=lambda found: answers.append(1), check_cancelled=still
            )
        return len(calls), len(answers)

    # After the words, the paths, the meaning and the details.
    assert [asked(steps) for steps in range(4)] == [(1, 0), (2, 0), (3, 1), (4, 1)]


def test_coverage_is_told(samples: Index) -> None:
    stats = samples.statistics.of_index()
    assert stats.embedded_turns == stats.turns > 0


@pytest.mark.spec("S5.10")
def test_a_hit_by_meaning_says_so_and_shows_its_nearest_piece(tmp_path: Path, model: Embedder) -> None:
    index = indexed(tmp_path / "data", three_turns().write(tmp_path / "src"))
    [hit] = index.search("change how it looks", 1).hits
    [near] = nearest_turns(index.snapshot, model.embed(["change how it looks"])[0], 1)
    assert (hit.turn_id, hit.why) == (near.turn, (f"meaning {1 - near.distance:.2f}",))
    assert hit.passages == (Passage(1, 0, 42, "assistant", "Done, the theme has another accent colour."),)
    assert hit.snippet == "Done, the theme has another accent colour."


def test_of_a_long_answer_the_nearest_piece_is_shown(tmp_path: Path, model: Embedder) -> None:
    script = Script()
    script.user("Tell me about the shop")
    script.says("The orders are kept in a table with their taxes. " * 60)
    script.says("Green buttons are drawn by the theme, which also knows the fonts. " * 40)
    script.says("Uploads break off after ten seconds since the client gives up. " * 40)
    index = indexed(tmp_path / "data", script.write(tmp_path / "src"))
    for query, block, beginning in [
        ("invoice with VAT", 1, "The orders are kept"),
        ("visual design style", 2, "Green buttons are drawn"),
        ("network timeout while sending a file", 3, "Uploads break off"),
    ]:
        [hit] = index.search(query, 1).hits
        assert (hit.passages[0].block, hit.snippet[: len(beginning)]) == (block, beginning)
        assert [reason.split()[0] for reason in hit.why] == ["meaning"]


def test_a_condition_holds_before_the_limit(samples: Index, model: Embedder) -> None:
    vector = model.embed(["retry the upload"])[0]
    snapshot = samples.snapshot
    everywhere = nearest_turns(snapshot, vector, 1000)
    inside = nearest_turns(snapshot, vector, 1000, "s.project = ?", ["infra"])
    of_infra = {turn for (turn,) in snapshot.rows(
        "SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE s.project = 'infra'"
    )}  # fmt: skip
    assert inside == [hit for hit in everywhere if hit.turn in of_infra]
    assert nearest_turns(snapshot, vector, 3, "s.project = ?", ["infra"]) == inside[:3]
    assert [hit.distance for hit in everywhere] == sorted(hit.distance for hit in everywhere)


@pytest.mark.parametrize("query", ['"retry"', "retry -upload", "put_part"])
def test_what_must_stand_there_is_not_guessed(samples: Index, query: str) -> None:
    hits = samples.search(query, 50).hits
    assert [hit.why for hit in hits if hit.why[0].startswith("meaning ")] == []


def test_each_text_is_embedded_once(tmp_path: Path, model: Embedder) -> None:
    script = three_turns()
    path = script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    assert embed(tmp_path / "data").texts_embedded == 3
    assert embed(tmp_path / "data") == Counts()
    script.user("Paint the buttons green")
    script.says("Done, the theme has another accent colour.")
    script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    # The third turn has a successor now, the fourth is new; the two before are as they were.
    assert embed(tmp_path / "data").texts_embedded == 2
    stats = Index.open(tmp_path / "data").statistics.of_index()
    assert (stats.turns, stats.embedded_turns) == (4, 4)


def test_a_stop_keeps_what_was_made_and_goes_on_with_the_newest(
    unembedded: Path, tmp_path: Path, model: Embedder
) -> None:
    shutil.copytree(unembedded, tmp_path / "data")
    with Indexer(tmp_path / "data") as indexer:
        looks = iter([False, False, True])
        list(indexer.embed(model, lambda: next(looks, True)))
        assert indexer.counts.texts_embedded == 1
    index = Index.open(tmp_path / "data")
    [(number,)] = index.snapshot.rows("SELECT t.number FROM chunks c JOIN turns t ON t.id = c.turn")
    assert (number, index.statistics.of_index().embedded_turns) == (3, 1)
    assert embed(tmp_path / "data").texts_embedded == 2


def test_a_turn_without_words_is_done_too(tmp_path: Path, model: Embedder) -> None:
    script = Script()
    script.user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}])
    stats = indexed(tmp_path / "data", script.write(tmp_path / "src")).statistics.of_index()
    assert (stats.turns, stats.embedded_turns) == (1, 1)


class Other:
    """A model with other vectors: the first numbers of those of the model that comes with memtui, turned round."""

    name = "other"

    def __init__(self, model: Embedder, dimension: int) -> None:
        self._model = model
        self.dimension = dimension
        self.tokens = model.tokens

    def embed(self, texts: list[str]) -> list[object]:
        """The vectors of texts."""
        return [-vector[: self.dimension] for vector in self._model.embed(texts)]


@pytest.mark.spec("S4.27")
@pytest.mark.parametrize("dimension", [2, DEFAULT_DIMENSION])
def test_another_model_makes_all_vectors_anew_whatever_its_dimension(
    unembedded: Path, tmp_path: Path, model: Embedder, dimension: int
) -> None:
    shutil.copytree(unembedded, tmp_path / "data")
    other: Embedder = Other(model, dimension)  # type: ignore[assignment]
    with Indexer(tmp_path / "data") as indexer:
        list(indexer.embed(other))
        assert (indexer.unembedded(other), indexer.unembedded(model)) == (False, True)
    before = Index.open(tmp_path / "data")
    assert model_name(before.snapshot) == "other"
    assert embed(tmp_path / "data").texts_embedded == 3
    index = opened(tmp_path / "data")
    assert model_name(index.snapshot) == model.name
    assert [hit.turn for hit in index.search("change how it looks", 1).hits] == [2]
    assert before.statistics.of_index().embedded_turns == 3


@pytest.mark.spec("S4.26")
def test_without_a_model_words_and_paths_are_searched(samples: Index) -> None:
    plain = Index.open(samples.data.path)
    assert not plain.vectors.has_model
    assert plain.search("backoff").hits
    assert plain.search("upload.py").hits


@pytest.mark.spec("S5.10")
def test_indexing_and_searching_by_meaning_need_no_network(tmp_path: Path) -> None:
    three_turns().write(tmp_path / "src")
    code = f"""
import socket
def refuse(*args, **kwargs):
    raise AssertionError("the network was called")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from memtui.cli import cli
data = {str(tmp_path / "data")!r}
cli(["index", "--source", {str(tmp_path / "src")!r}, "--data-dir", data], standalone_mode=False)
cli(["search", "change how it looks", "--data-dir", data, "--limit", "1"], standalone_mode=False)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(f"{SESSION}:2  ")
    assert re.fullmatch(r"    meaning \d\d %", done.stdout.splitlines()[2])


def test_a_model_that_was_dropped_is_gone_and_finds_the_same_when_it_is_loaded_again(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "stop people from hammering the service"
    # Other tests may keep the model that they have loaded.
    open_model.cache_clear()
    index = opened(sample_index)
    index.vectors.cache()
    before = index.search(question)
    assert index.vectors._embedder is not None
    assert index.vectors._cached is not None
    model, vectors = weakref.ref(index.vectors._embedder), weakref.ref(index.vectors._cached.matrix.texts)
    embed = index.vectors.embed
    index.vectors.drop_model()
    # A search that has begun ends with the model that it began with.
    assert embed is not None
    assert embed(question).shape == (384,)
    del embed
    gc.collect()
    assert (model(), vectors()) == (None, None)
    assert (index.vectors.has_model, index.vectors.needs_model) == (False, True)
    assert all("meaning" not in why for hit in index.search(question).hits for why in hit.why)
    assert index.vectors.load_model()
    assert (index.vectors.has_model, index.vectors.needs_model) == (True, False)
    assert index.search(question).hits == before.hits


def test_an_index_without_vectors_needs_and_loads_no_model(unembedded: Path) -> None:
    index = Index.open(unembedded)
    assert (index.vectors.needs_model, index.vectors.load_model(), index.vectors.has_model) == (False, False, False)
