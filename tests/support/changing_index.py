"""An index that a process of its own changes and publishes without a pause, and readers that check what they find.

Run this file with a data folder, a folder for transcripts, a seed, and a number of steps.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from support.transcripts import Script

_SESSIONS = 5
_MOST_TURNS = 6


def word(number: int) -> str:
    """A word of letters only, which no other number has."""
    letters = ""
    for _ in range(5):
        number, rest = divmod(number, 26)
        letters += chr(ord("a") + rest)
    return f"zq{letters}"


class Change:
    """Transcripts whose turns have a word each that no other turn ever has; they grow, are rewritten, go and return."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = Random(seed)
        self._count = seed * 100_000
        self._words: dict[str, list[str]] = {f"{one:08x}-1111-4111-8111-111111111111": [] for one in range(_SESSIONS)}

    def step(self) -> None:
        """Change one transcript."""
        session = self._random.choice(list(self._words))
        words = self._words[session]
        kind = self._random.choice(("grows", "grows", "grows", "last", "all", "goes"))
        if kind == "goes" and words:
            (self._folder / "src" / f"{session}.jsonl").unlink(missing_ok=True)
            words.clear()
            return
        if kind == "last" and words:
            words[-1] = self._new()
        elif kind == "all":
            words[:] = [self._new() for _ in words]
        if kind == "grows" or not words:
            words.append(self._new())
            del words[: len(words) > _MOST_TURNS and _MOST_TURNS]
        script = Script(session, prefix=f"{session[:8]}-{self._count}-")
        for one in words:
            script.user(f"{one} and so on")
            script.says(f"Yes, {one}.")
        path = self._folder / "src" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(script.lines) + b"\n")

    def _new(self) -> str:
        self._count += 1
        return word(self._count)


def publish(data: Path, folder: Path, seed: int, steps: int) -> None:
    """Change the transcripts and publish each change at once."""
    change = Change(folder, seed)
    with Indexer(data) as indexer:
        for _ in range(steps):
            change.step()
            for _ in indexer.update([Location("claude-code", folder / "src")]):
                pass
            if steps > 1:
                indexer.publisher.tidy()


def start(data: Path, folder: Path, seed: int, steps: int) -> subprocess.Popen[bytes]:
    """A process that publishes so often."""
    root = Path(__file__).parents[1]
    code = "import sys; from pathlib import Path; from support.changing_index import publish;"
    code += "publish(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))"
    arguments = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(root)!r}); {code}"]
    return subprocess.Popen([*arguments, str(data), str(folder), str(seed), str(steps)])


def faults(index: Index, random: Random, wait: Callable[[], object] = lambda: None) -> list[str]:
    """What is wrong with the answers of an index of such transcripts, for a few words of its turns.

    Before each search it waits, so that the index is a little older than the newest one.
    """
    snapshot = index.snapshot
    rows = snapshot.rows("SELECT s.key, t.number, t.user_text FROM turns t JOIN sessions s ON s.key = t.session")
    found: list[str] = []
    if not rows:
        return []
    for session, number, text in random.sample(rows, min(3, len(rows))):
        wanted = str(text).split()[0]
        wait()
        hits = index.search(wanted, 20, engines=("lexicon",)).hits
        if index.snapshot is not snapshot:
            # Another thread has opened a newer one, which may lack the turn.
            return found
        answered = sorted((hit.session, hit.turn) for hit in hits)
        if answered != [(session, number)]:
            found.append(f"{snapshot.number}: {wanted} of {(session, number)} is answered by {answered}")
    return found
