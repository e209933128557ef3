"""Transcripts that grow by a line a second, as those of agents at work do."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

LINE = 700
"""Bytes of a line, about as many as the median of real ones."""
_EVERY = 20
"""Lines of a turn."""


class Growing:
    """Some transcripts in a folder; `written` has the time of each line by the one word that no other line has."""

    def __init__(self, folder: Path, transcripts: int) -> None:
        self._paths = [
            folder / "-home-ana-code-live" / f"{one:08d}-0000-4000-8000-00000000beef.jsonl"
            for one in range(transcripts)
        ]
        self._count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.written: dict[str, float] = {}
        self.bytes = 0
        self._paths[0].parent.mkdir(parents=True, exist_ok=True)
        self._add()

    @property
    def sessions(self) -> list[str]:
        """The ids of the sessions."""
        return [path.stem for path in self._paths]

    def session_of(self, word: str) -> str:
        """The id of the session that has the line with a word."""
        return self._paths[int("".join(str(ord(letter) - ord("a")) for letter in word[2:-7]))].stem

    def start(self) -> None:
        """Begin to grow."""
        self._thread.start()

    def stop(self) -> None:
        """Grow no more."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            self._add()
            due += 1.0

    def _add(self) -> None:
        for number, path in enumerate(self._paths):
            word = _word(number, self._count)
            added = _line(path.stem, self._count, word)
            with path.open("ab") as file:
                file.write(added)
            self.written[word] = time.monotonic()
            self.bytes += len(added)
        self._count += 1


def _word(number: int, count: int) -> str:
    """Letters only: of a name with numbers each part would be found."""
    return "zq" + "".join(chr(ord("a") + int(digit)) for digit in f"{number}{count:05}") + "zq"


def _line(session: str, count: int, word: str) -> bytes:
    """A line of a transcript by its number in it; a prompt each 20 lines."""
    place = count % _EVERY
    text = f"{word} " + " ".join(f"step{(count * 7 + one * 13) % 997}" for one in range(LINE // 20))
    content: Any
    if place == 0:
        kind, content = "user", f"{word} please go on with part {count}"
    elif place % 3 == 1:
        kind, content = "assistant", [{"type": "text", "text": text}]
    elif place % 3 == 2:
        call = {"type": "tool_use", "id": f"t{count}", "name": "Bash", "input": {"command": f"echo {text}"}}
        kind, content = "assistant", [call]
    else:
        kind, content = "user", [{"type": "tool_result", "tool_use_id": f"t{count - 1}", "content": text}]
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"m{count}", "model": "claude-opus-4-5", "usage": {"input_tokens": 10, "output_tokens": 5}}
    entry = {
        "parentUuid": None, "isSidechain": False, "cwd": "/home/ana/code/live", "sessionId": session,
        "version": "2.1.200", "gitBranch": "main", "type": kind, "uuid": f"{session}-{count}",
        "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"), "message": message,
    }  # fmt: skip
    return orjson.dumps(entry) + b"\n"
