"""Many small sessions in one project, invented; the index takes most of the time that this costs."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from bench.sessions import words
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location

_ROOT = "/home/ana/code/many"
_START = datetime(2026, 1, 1, tzinfo=UTC)


def write(folder: Path, count: int) -> None:
    """Transcripts of one turn each, a prompt and an answer; the prompt is the title."""
    known = words()
    pick = random.Random(11)
    target = folder / _ROOT.replace("/", "-")
    target.mkdir(parents=True)
    for number in range(count):
        name = f"{number:08x}-0000-4000-8000-000000000000"
        at = (_START + timedelta(minutes=20 * number)).isoformat().replace("+00:00", "Z")
        common = {"sessionId": name, "cwd": _ROOT, "version": "2.1.200", "isSidechain": False, "timestamp": at}
        asked = {"role": "user", "content": f"{number} {' '.join(pick.choices(known, k=6))}"}
        said = [{"type": "text", "text": " ".join(pick.choices(known, k=20))}]
        lines = [
            {**common, "type": "user", "uuid": f"{number}-0", "message": asked},
            {**common, "type": "assistant", "uuid": f"{number}-1", "parentUuid": f"{number}-0"}
            | {"message": {"role": "assistant", "id": f"m{number}", "content": said}},
        ]
        (target / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


def index(source: Path, data: Path) -> None:
    """Index the transcripts, without vectors."""
    with Indexer(data) as indexer:
        for _ in indexer.update([Location("claude-code", source)]):
            pass
