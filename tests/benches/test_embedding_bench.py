"""What is measured beside bare onnxruntime reads the same texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.embedding import FLOOR, SHORT, WAYS, WHOLE, Spent, rows
from bench.embedding_ways import Bare, prepared, tokens, write_texts
from bench.rows import Row
from memtui_core.index.index import Index
from memtui_core.search.embed import open_model
from support.indexes import build
from support.transcripts import Script

# Sessions of onnxruntime.
pytestmark = pytest.mark.much_memory


def transcripts(folder: Path) -> Path:
    script = Script()
    for number in range(4):
        script.user(f"Why do the uploads of part {number} break off?")
        script.says(f"The client of part {number} waits ten seconds only. Then it gives up.")
    return script.write(folder)


def test_the_floor_reads_what_memtui_gives_the_model(tmp_path: Path) -> None:
    """Each way makes sessions of onnxruntime of its own."""
    data, read, short = tmp_path / "data", tmp_path / "texts.json", tmp_path / "sentences.json"
    source = transcripts(tmp_path / "src")
    build(data, source)
    write_texts(data, 3, read, short)
    texts = json.loads(read.read_bytes())
    assert len(texts) == 3
    assert all("The client of part" in text for text in texts)
    assert "Then it gives up." in json.loads(short.read_bytes())
    # With the two tokens at the ends of each text.
    assert tokens(read) == sum(len(open_model().tokens(text)) + 2 for text in texts)
    for way in (*WAYS[len(WHOLE) :], *SHORT):
        prepared(way, str(read), "")()
    assert Index.open(data).statistics.of_index().embedded_turns == 3
    for way in WHOLE:
        build(tmp_path / way, source)
        prepared(way, str(read), str(tmp_path / way))()
        assert Index.open(tmp_path / way).statistics.of_index().embedded_turns == 3


def test_a_long_text_is_cut_as_the_model_cuts_it() -> None:
    long, short = Bare(1).ids(["word " * 400, "word"])
    assert (len(long), long[-1]) == (256, short[-1])


def test_rates_stand_beside_the_floor() -> None:
    spent = {"whole path": [Spent(2.0, 300.0), Spent(4.0, 310.0)], FLOOR: [Spent(1.0, 200.0), Spent(1.0, 200.0)]}
    assert list(rows(("whole path", FLOOR), 100, spent)) == [
        Row("whole path, tokens a processor second", 37.5, "1/s", 100.0, FLOOR, (50.0, 25.0)),
        Row(f"{FLOOR}, tokens a processor second", 100.0, "1/s", None, "", (100.0, 100.0)),
        Row("whole path, peak memory", 305.0, "MB", 200.0, FLOOR, (300.0, 310.0)),
        Row(f"{FLOOR}, peak memory", 200.0, "MB", None, "", (200.0, 200.0)),
    ]
