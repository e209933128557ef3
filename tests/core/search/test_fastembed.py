"""Models that fastembed lists, from files that it has downloaded before."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memtui_core.errors import ModelUnavailable
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import DEFAULT_MODEL, Hit
from memtui_core.search.embed import open_model
from memtui_core.search.vectors.nearest import model_name
from support.indexes import update
from support.models import LONGEST, STATIC, WITH_ONNX, TinyModel
from support.transcripts import Script

WORDS = ["why", "does", "the", "upload", "of", "pictures", "fail", "paint", "buttons", "green", "write", "invoice"]
QUESTION = "who did paint the buttons green"


def _by_meaning(hit: Hit) -> bool:
    return any(reason.startswith("meaning ") for reason in hit.why)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where fastembed keeps its files; there is no network."""
    connect = socket.socket.connect

    def refuse(*_: object) -> None:
        raise AssertionError("the network was called")

    def connect_here(self: socket.socket, address: Any) -> None:
        # A path of this machine.
        return connect(self, address) if isinstance(address, str) else refuse()

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", connect_here)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "cache"))
    open_model.cache_clear()
    yield tmp_path / "cache"
    open_model.cache_clear()


@pytest.mark.spec("S5.10")
@pytest.mark.parametrize("name", [WITH_ONNX, STATIC])
def test_a_downloaded_model_is_run_by_fastembed(cache: Path, name: str) -> None:
    tiny = TinyModel(name, WORDS)
    tiny.install(cache)
    model = open_model(name, 2)
    assert (model.name, model.dimension) == (name, tiny.dimension)
    texts = ["Why does the upload fail", "paint", "green " * 3 + "buttons " * LONGEST]
    read = [text.lower().split()[:LONGEST] for text in texts]
    assert len(texts[2].split()) > LONGEST
    for _ in range(2):
        found = model.embed(texts)
        assert [vector.dtype for vector in found] == [np.float32] * 3
        assert np.allclose(found, [tiny.vector(words) for words in read], atol=1e-5)
        # The tokens of a text are all of them, and asking for them changes nothing.
        for text in texts:
            assert [text[first:last] for first, last in model.tokens(text)] == text.split()


@pytest.mark.spec("S4.27")
def test_vectors_of_another_model_are_made_anew_and_each_answers_by_its_own(cache: Path, tmp_path: Path) -> None:
    TinyModel(WITH_ONNX, WORDS).install(cache)
    TinyModel(STATIC, WORDS).install(cache)
    script = Script()
    for text in ("Why does the upload of pictures fail", "Paint the buttons green", "Write an invoice for March"):
        script.user(text)
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    before: Index | None = None
    for name in (WITH_ONNX, STATIC, DEFAULT_MODEL, WITH_ONNX):
        model = open_model(name)
        for expected in (3, 0):
            with Indexer(data) as indexer:
                list(indexer.embed(model))
                assert (name, indexer.counts.texts_embedded) == (name, expected)
        if before is not None:
            # Whoever has read the other vectors goes on with them, and without once there are new ones.
            assert [_by_meaning(hit) for hit in before.search(QUESTION, 1).hits] == [True]
            assert before.refresh()
            assert not before.vectors.has_model
            assert [_by_meaning(hit) for hit in before.search(QUESTION, 1).hits] == [False]
            assert before.vectors.load_model()
            assert [_by_meaning(hit) for hit in before.search(QUESTION, 1).hits] == [True]
        index = Index.open(data)
        assert model_name(index.snapshot) == name
        assert index.vectors.load_model()
        hits = index.search(QUESTION, 1).hits
        assert [(hit.turn, _by_meaning(hit)) for hit in hits] == [(2, True)]
        assert index.vectors.embed is not None
        assert index.vectors.embed(QUESTION).shape == (model.dimension,)
        before = index


def test_a_model_without_fastembed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    # What an import finds where it is not installed.
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ModelUnavailable) as raised:
        open_model(WITH_ONNX, 7)
    assert str(raised.value) == f"The embedding model {WITH_ONNX} needs fastembed: install memtui[models]."


@pytest.mark.spec("S4.27")
@pytest.mark.parametrize("name", [WITH_ONNX, STATIC])
def test_a_model_that_cannot_be_downloaded_is_told(cache: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else it tries three times, for twelve seconds.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelUnavailable) as raised:
        open_model(name)
    assert str(raised.value) == (
        f"The embedding model {name} cannot be loaded: Could not load model {name} from any source."
    )
    assert not list(cache.rglob("*.onnx"))
