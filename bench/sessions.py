"""Invented sessions in any number: transcripts, and vectors without a model."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import orjson

from bench.vectors import DIMENSION, invented
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import DEFAULT_MODEL
from memtui_core.readers.locations import Location
from memtui_core.search.embed.chunks import OVERLAP, SIZE

if TYPE_CHECKING:
    from memtui_core.system.startup.numeric import Vector

_TURNS_A_SESSION = 200
_WORDS = 30_000
CHUNKS = 6
"""Chunks of a turn: what real sessions have on average."""
_TOKENS = SIZE + (CHUNKS - 1) * (SIZE - OVERLAP)
_START = datetime(2026, 1, 1, tzinfo=UTC)


class InventedModel:
    """Vectors as those of the default model are, but at no cost."""

    name = DEFAULT_MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        self._vectors: Iterator[Vector] = iter(())
        self._seed = 0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The next vectors."""
        return [self._next() for _ in texts]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """As many, evenly spread, as make `CHUNKS` chunks; a text too short for so many has one a character."""
        edges = [len(text) * place // _TOKENS for place in range(_TOKENS + 1)]
        return [(first, last) for first, last in pairwise(edges) if first < last]

    def _next(self) -> Vector:
        found = next(self._vectors, None)
        if found is None:
            self._seed += 1
            self._vectors = iter(invented(10_000, self._seed))
            return self._next()
        return found


def _frequency(word: str) -> tuple[int, str]:
    """The order of words: also of those with the same length, or each process would invent other transcripts."""
    return len(word), word


def words() -> list[str]:
    """Invented words, the frequent ones first."""
    pick = random.Random(3)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "il", "ot")]
    return sorted({"".join(pick.choices(syllables, k=pick.randint(2, 4))) for _ in range(_WORDS)}, key=_frequency)


def write(folder: Path, turns: int) -> None:
    """Transcripts of that many turns: a prompt, a long answer and an edit each."""
    for path, lines in made(folder, turns // _TURNS_A_SESSION):
        _write(path, lines)


def write_small(folder: Path, files: int) -> None:
    """That many transcripts of one turn."""
    for path, lines in made(folder, files, turns=1):
        _write(path, lines)


def write_bytes(folder: Path, size: int) -> int:
    """Transcripts of at least so many bytes; the same ones first, whatever the size. Returns their bytes."""
    written = 0
    for path, lines in made(folder):
        written += _write(path, lines)
        if written >= size:
            break
    return written


def made(
    folder: Path, sessions: int | None = None, turns: int = _TURNS_A_SESSION
) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """The path and the entries of each session, always the same; without an end if no number is given."""
    known = words()
    weights = np.cumsum(1.0 / np.arange(5, len(known) + 5)).tolist()
    pick = random.Random(5)

    def text(count: int) -> str:
        return " ".join(pick.choices(known, cum_weights=weights, k=count))

    for session in count() if sessions is None else range(sessions):
        name = f"{session:08x}-0000-4000-8000-000000000000"
        root = f"/home/ana/code/project-{session % 40}"
        path = folder / root.replace("/", "-") / f"{name}.jsonl"
        lines = []
        for turn in range(turns):
            common = {
                "sessionId": name, "cwd": root, "version": "2.1.200", "isSidechain": False,
                "timestamp": (_START + timedelta(minutes=session * 300 + turn)).isoformat().replace("+00:00", "Z"),
            }  # fmt: skip
            edit = {"file_path": f"{root}/src/{pick.choice(known)}.py", "old_string": text(9), "new_string": text(9)}
            called = {"type": "tool_use", "id": f"t{turn}", "name": "Edit", "input": edit}
            result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": text(20)}
            messages: list[dict[str, Any]] = [
                {"role": "user", "content": text(15)},
                {"role": "assistant", "id": f"m{turn}", "content": [{"type": "text", "text": text(250)}, called]},
                {"role": "user", "content": [result]},
            ]
            lines += [
                {**common, "type": message["role"], "uuid": f"{session}-{turn}-{place}", "message": message}
                for place, message in enumerate(messages)
            ]
        yield path, lines


def _write(path: Path, lines: Sequence[dict[str, Any]], mode: Literal["wb", "ab"] = "wb") -> int:
    """Write a transcript, or add to it; returns the bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode) as file:
        return file.write(b"".join(orjson.dumps(line) + b"\n" for line in lines))


def append_turn(path: Path, number: int) -> None:
    """Add a turn to a transcript, as its agent would while a user watches."""
    with path.open("rb") as file:
        common = {key: value for key, value in orjson.loads(file.readline()).items() if key not in {"uuid", "message"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"Ask {number} about the appended turn"},
        {"role": "assistant", "id": f"a{number}", "content": [{"type": "text", "text": f"Answer {number}."}]},
    ]
    lines = [
        {**common, "type": message["role"], "uuid": f"appended-{number}-{place}", "message": message}
        for place, message in enumerate(messages)
    ]
    _write(path, lines, "ab")


def index(source: Path, data: Path) -> None:
    """Index the transcripts and give each chunk of a turn a vector."""
    with Indexer(data) as indexer:
        for _ in indexer.update([Location("claude-code", source)]):
            pass
        for _ in indexer.embed(InventedModel()):
            pass
