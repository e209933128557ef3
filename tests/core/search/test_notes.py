"""Notes are found: those that the user saw by every search, those only for the model if they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui_core.index.index import Index
from memtui_core.search.completion import complete
from support.indexes import build
from support.pictures import picture
from support.transcripts import Script

REMINDER = "<system-reminder>The budget of zinnias is spent by parseGardenPlan.</system-reminder>"


def garden() -> Script:
    """A session with a reminder, a shell command of the user, and two entries of unknown types."""
    script = Script()
    script.user(f"water the tulips{REMINDER}")
    script.says("Watered.")
    script.raw({"type": "weather", "sessionId": script.session_id, "said": ["rain over", {"b": "the orchids"}], "n": 5})
    script.raw({"type": "silent", "sessionId": script.session_id, "said": "dry", "path": "/home/ana/code"})
    script.user("<bash-input>ls greenhouse</bash-input>")
    script.user("and the roses")
    script.says("Too wet.")
    return script


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("notes")
    return build(folder / "data", garden().write(folder / "src"))


def found(index: Index, query: str) -> list[tuple[int, str]]:
    """Turn and snippet of every hit."""
    return [(hit.turn, hit.snippet) for hit in index.search(query).hits]


@pytest.mark.parametrize(
    ("query", "turns"),
    [
        ("zinnias", []),
        ("in:note zinnias", [1]),
        ('in:note "budget of zinnias"', [1]),
        ("parseGardenPlan", []),
        ("garden", []),
        ("in:note parseGardenPlan", [1]),
        ("orchids", [1]),
        ("in:note orchids", [1]),
        ("weather", [1]),
        ("in:note greenhouse", [1]),
        ("greenhouse", [1]),
        ("tulips", [1]),
        ("in:note tulips", []),
        ("in:user zinnias", []),
        ("in:note", [1]),
    ],
)
def test_which_notes_a_query_finds(index: Index, query: str, turns: list[int]) -> None:
    assert [turn for turn, _ in found(index, query)] == turns


def test_the_passage_of_a_hit_is_the_note(index: Index) -> None:
    [(_, reminder)] = found(index, "in:note zinnias")
    assert "budget of zinnias" in reminder
    [(_, unknown)] = found(index, "orchids")
    assert unknown == "the orchids"


def test_the_filter_is_offered(index: Index) -> None:
    assert complete("in:no", index.search.filter_values()) == "in:note"


def test_an_unknown_entry_is_a_note_of_its_turn(index: Index) -> None:
    [session] = index.sessions.all()
    blocks = index.sessions.blocks(session.key, 1, 2)
    assert [(block.kind, block.tool, block.text) for block in blocks[1] if block.tool == "unknown"] == [
        ("note", "unknown", "weather\nrain over\nthe orchids")
    ]
    assert index.statistics.by_agent()["claude-code"].unknown_entries == {"silent": 1, "weather": 1}


def test_a_file_with_unknown_entries_only_is_no_transcript(tmp_path: Path) -> None:
    path = tmp_path / "src" / "data.jsonl"
    path.parent.mkdir()
    path.write_bytes(orjson.dumps({"question": "Where are the tulips?", "type": "row"}) + b"\n")
    index = build(tmp_path / "data", path.parent)
    assert (index.sessions.all(), [source.state for source in index.statistics.sources()]) == ([], ["ignored"])


def test_a_copy_with_unknown_entries_is_a_copy(tmp_path: Path) -> None:
    """Whether they stand at the beginning or in the middle; and a fork has them once."""
    script = garden()
    first: dict[str, Any] = {"type": "forecast", "sessionId": script.session_id, "text": "sun and wind"}
    script.lines.insert(0, orjson.dumps(first))
    script.write(tmp_path / "src/a")
    script.write(tmp_path / "src/b")
    index = build(tmp_path / "data", tmp_path / "src")
    assert sorted(source.state for source in index.statistics.sources()) == ["copy", "ok"]
    assert [hit.turn for hit in index.search("wind").hits] == [1]
    alone = build(tmp_path / "alone", tmp_path / "src/a")
    assert picture(tmp_path / "data")["turns"] == picture(tmp_path / "alone")["turns"]
    assert [session.turns for session in alone.sessions.all()] == [2]
