"""The ways to run the default model for many texts, and the choice of one of them."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed import on_demand, open_model
from memtui_core.search.embed.models import open_model_by
from memtui_core.search.embed.on_demand import OnDemandModel
from memtui_core.search.embed.ways import (
    INTEGERS,
    JOINED,
    PLAIN,
    PROVIDERS,
    Choice,
    Measured,
    fastest,
    read_choice,
    runtime_name,
    ways_here,
    write_choice,
)

TEXTS = [
    "Why does the upload of pictures fail?",
    "def retry(count):\n    for number in range(count):\n        upload()\n" * 12,
    "",
    "Größe der Datei, 全文検索",
    "The client waits ten seconds only, then it gives up. " * 30,
]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], PLAIN),
        ([Measured(INTEGERS, 250.0, 0.9995)], INTEGERS),
        # Vectors of another direction, such as those of a processor whose products of integers overflow.
        ([Measured(INTEGERS, 250.0, 0.9989), Measured(JOINED, 120.0, 1.0)], JOINED),
        # As fast as chance.
        ([Measured(JOINED, 109.0, 1.0)], PLAIN),
        ([Measured("cuda", 0.0, 0.0)], PLAIN),
        ([Measured("cuda", 900.0, 1.0), Measured(INTEGERS, 250.0, 1.0)], "cuda"),
    ],
)
def test_the_fastest_way_with_the_same_vectors_is_taken(others: list[Measured], expected: str) -> None:
    assert fastest([Measured(PLAIN, 100.0, 1.0), *others]) == expected


def test_a_choice_is_read_as_it_was_written_and_nothing_else_is(tmp_path: Path) -> None:
    path = tmp_path / "embedding.json"
    assert read_choice(path) is None
    choice = Choice(JOINED, "1.0 CPU", (Measured(PLAIN, 100.0, 1.0), Measured(JOINED, 120.0, 1.0)))
    write_choice(path, choice)
    assert read_choice(path) == choice
    for damaged in ("", "[]", '{"way": "joined"}', '{"way": "x", "runtime": "", "measured": []}'):
        path.write_text(damaged, "utf-8")
        assert read_choice(path) is None


def test_the_processor_is_always_there_and_providers_where_onnxruntime_has_them() -> None:
    offered = ort.get_available_providers()
    assert ways_here() == (PLAIN, JOINED, INTEGERS, *(way for way, name in PROVIDERS.items() if name in offered))
    assert runtime_name().startswith(f"{ort.__version__} ")


@pytest.mark.much_memory
@pytest.mark.usefixtures("uncached_model")
@pytest.mark.spec("S5.10")
def test_the_graphs_give_the_vectors_of_the_file_and_none_depends_on_its_neighbours() -> None:
    plain = np.array(open_model().embed(TEXTS))
    joined = np.array(open_model_by(JOINED).embed(TEXTS))
    assert float(np.abs(joined - plain).max()) < 1e-6
    rounded = open_model_by(INTEGERS)
    vectors = np.array(rounded.embed(TEXTS))
    # Products of integers may overflow on processors without instructions for them; see `fastest`.
    assert float((vectors * plain).sum(1).min()) > 0.95
    same_length = ["the rate of the till", "the colour of the till", "the upload of the till"]
    together = rounded.embed(same_length)
    alone = [rounded.embed([text])[0] for text in same_length]
    assert float(np.abs(np.array(together) - np.array(alone)).max()) < 1e-6


@pytest.mark.much_memory
@pytest.mark.usefixtures("uncached_model")
def test_ways_are_measured_after_some_texts_once_and_the_choice_is_used_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loads the model in each way, which takes 3 s."""
    monkeypatch.setattr(on_demand, "BACKLOG", 3)
    path = tmp_path / "embedding.json"
    model = OnDemandModel(DEFAULT_MODEL, 1, path)
    model.embed(TEXTS[:2])
    assert not path.exists()
    model.embed(TEXTS[2:])
    choice = read_choice(path)
    assert choice is not None
    assert [one.way for one in choice.measured] == list(ways_here())
    assert (choice.way, choice.runtime) == (fastest(choice.measured), runtime_name())
    rates = {one.way: one.rate for one in choice.measured}
    assert rates[PLAIN] > 0
    # A run after it, and one whose choice was made with another onnxruntime.
    expected = np.array(open_model_by(choice.way).embed(TEXTS))
    stamp = path.stat().st_mtime_ns
    again = OnDemandModel(DEFAULT_MODEL, 1, path)
    assert float(np.abs(np.array(again.embed(TEXTS)) - expected).max()) < 1e-6
    assert path.stat().st_mtime_ns == stamp
    write_choice(path, Choice(choice.way, "1.0", choice.measured))
    other = OnDemandModel(DEFAULT_MODEL, 1, path)
    vectors = np.array(other.embed(TEXTS))
    assert float(np.abs(vectors - np.array(open_model().embed(TEXTS))).max()) < 1e-6
    renewed = read_choice(path)
    assert renewed is not None
    assert renewed.runtime == runtime_name()


@pytest.mark.much_memory
@pytest.mark.usefixtures("uncached_model")
def test_a_way_that_is_gone_is_the_plain_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "embedding.json"
    missing = next(way for way, name in PROVIDERS.items() if name not in ort.get_available_providers())
    write_choice(path, Choice(missing, runtime_name()))
    expected = open_model().embed(TEXTS[:1])[0]
    with caplog.at_level(logging.WARNING):
        vector = OnDemandModel(DEFAULT_MODEL, 1, path).embed(TEXTS[:1])[0]
    assert float(np.abs(vector - expected).max()) < 1e-6
    assert f"The plain way is used instead of {missing}" in caplog.text


@pytest.mark.much_memory
@pytest.mark.usefixtures("uncached_model")
def test_what_is_ranked_by_likeness_is_embedded_in_the_plain_way_whatever_was_chosen(tmp_path: Path) -> None:
    path = tmp_path / "embedding.json"
    write_choice(path, Choice(INTEGERS, runtime_name()))
    model = OnDemandModel(DEFAULT_MODEL, 1, path)
    chosen, plain = model.embed(TEXTS[:1])[0], model.plain.embed(TEXTS[:1])[0]
    assert model.is_loaded
    model.drop()
    assert not model.is_loaded
    expected = open_model().embed(TEXTS[:1])[0]
    assert float(np.abs(plain - expected).max()) < 1e-6
    assert float(np.abs(chosen - expected).max()) > 1e-5
    without = OnDemandModel(DEFAULT_MODEL, 1)
    assert without.plain is without
