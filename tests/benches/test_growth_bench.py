"""The invented transcripts are the same at every size, and what grew is told beside what they grew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench import processes, sessions
from bench.growth import Figure, Size, command_beside, growth, rows, table
from bench.rows import Row
from memtui_core.index.index import Index
from support.indexes import build, update

ROOT = Path(__file__).parents[2]
SESSION = 700_000
"""Less than the bytes of one invented session."""


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.jsonl")}


def test_a_smaller_size_begins_a_larger_one(tmp_path: Path) -> None:
    one, three = tmp_path / "one", tmp_path / "three"
    sizes = [sessions.write_bytes(one, 1), sessions.write_bytes(three, 2 * SESSION + 1)]
    small, large = written(one), written(three)
    assert sizes == [sum(map(len, small.values())), sum(map(len, large.values()))]
    assert (len(small), len(large)) == (1, 3)
    assert small.items() <= large.items()
    sessions.write(tmp_path / "turns", 400)
    assert written(tmp_path / "turns").items() == dict(sorted(large.items())[:2]).items()


def test_every_process_invents_the_same_words() -> None:
    code = "from bench.sessions import words; print(*words())"
    # Another one than that of this process, which is a random number if nobody sets it.
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert other.stdout.split() == list(sessions.words())


def test_an_appended_turn_is_a_turn_of_its_session(tmp_path: Path) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    sessions.write_bytes(source, 1)
    build(data, source)
    [transcript] = source.rglob("*.jsonl")
    sessions.append_turn(transcript, 7)
    update(data, source)
    index = Index.open(data)
    [session] = index.sessions.all()
    assert (index.statistics.of_index().turns, session.turns) == (201, 201)
    assert [turn.user_text for turn in index.sessions.turns(session.key)][-1:] == ["Ask 7 about the appended turn"]


def size(gigabytes: float, megabytes: float, seconds: tuple[float, ...], floor: float, none: float) -> Size:
    transcripts = Figure("transcripts", "MB", (megabytes,))
    return Size(gigabytes, (transcripts, Figure("index", "s", seconds, floor), Figure("none", "s", (none,))))


SIZES = [size(0.1, 100.0, (3.0, 1.0, 2.0), 0.5, 0.0), size(1.0, 1000.0, (30.0, 10.0, 40.0), 5.0, 1.0)]


def test_growth_is_told_beside_that_of_the_transcripts() -> None:
    assert growth(SIZES) == [{"transcripts": 10.0, "index": 15.0}]
    assert list(rows(SIZES))[1:] == [
        Row("index at 0.1 GB", 2.0, "s", 0.5, "its floor", (3.0, 1.0, 2.0)),
        Row("none at 0.1 GB", 0.0, "s", None, "its floor"),
        Row("transcripts at 1 GB", 1000.0, "MB", None, "its floor"),
        Row("index at 1 GB", 30.0, "s", 5.0, "its floor", (30.0, 10.0, 40.0)),
        Row("none at 1 GB", 1.0, "s", None, "its floor"),
        Row("transcripts, 0.1 to 1 GB", 10.0, "x", 10.0, "the transcripts"),
        Row("index, 0.1 to 1 GB", 15.0, "x", 10.0, "the transcripts"),
    ]
    assert [line.split() for line in table(SIZES).splitlines()] == [
        ["0.1", "GB", "1", "GB", "0.1->1"],
        ["transcripts", "(MB)", "100", "1000", "10.00x"],
        ["index", "(s)", "2", "(4.00x)", "30", "(6.00x)", "15.00x"],
        ["none", "(s)", "0", "1", "-"],
    ]


def test_another_program_gets_the_transcripts_and_an_empty_folder(tmp_path: Path) -> None:
    source, data = tmp_path / "the source", tmp_path / "its data"
    source.mkdir()
    (source / "a.jsonl").write_text("{}\n")
    run = processes.run_program("sh", "-c", command_beside("cp {source}/a.jsonl {data} && echo done", source, data))
    assert (run.output, [path.name for path in data.iterdir()]) == ("done\n", ["a.jsonl"])
