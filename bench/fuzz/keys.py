"""Random keys, clicks, pasted texts and sizes of the terminal, in an app whose index changes meanwhile.

The app runs without a terminal. Every key comes from a seed; a key that ends the app starts it again. The exit code is
1 if the app raised anything, or if anything in its log is an error.

python -m bench.fuzz.keys [--keys N] [--seed N] [--still]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson
from textual import events
from textual.pilot import Pilot

from bench.agents.__main__ import SAMPLES
from memtui.app import MemtuiApp
from memtui.settings.config import Config
from memtui.system.log_file import log_file
from memtui.system.logs import configure
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location

_NAMED: Final = (
    *("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter", "escape", "tab", "shift+tab"),
    *("backspace", "delete", "space", "f1", "f2", "f3", "f5", "shift+up", "shift+down", "ctrl+up", "ctrl+down"),
    *(f"ctrl+{letter}" for letter in "abdefghijklmnoprstuvwxy"),
)
_TEXTS: Final = (
    "upload",
    "İstanbul",
    "a\nb\nc",
    "\x1b[31m",
    "project:shop ",
    "x" * 5000,
    "漢字👩‍👩‍👧",
    "half \ud83d",
    "caf\udce9",
)
_SIZES: Final = (1, 2, 5, 20, 40, 79, 80, 100, 120, 160, 200)


class Trial:
    """Runs apps on a copy of the sample sessions, and counts what failed."""

    def __init__(self, folder: Path, seed: int, *, changing: bool) -> None:
        self.chance = Random(seed)
        self.failures: list[str] = []
        self.pressed = 0
        self.apps = 0
        self._sources = folder / "sources"
        for samples in SAMPLES:
            if samples.is_dir():
                shutil.copytree(samples, self._sources / samples.name)
        self.data = folder / "data"
        self._indexer = Indexer(self.data)
        self._changing = changing
        self._update()
        configure(self.data)

    def run(self, keys: int) -> None:
        """Press some keys."""
        while self.pressed < keys and len(self.failures) < 20:
            self.apps += 1
            seen: list[str] = []
            try:
                asyncio.run(self._one_app(keys, seen))
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                self.failures.append(f"after {' '.join(seen[-30:])}\n{_told(error)}")
        log = log_file(self.data)
        if log.exists() and " ERROR " in (text := log.read_text(errors="replace")):
            self.failures.append(text)

    async def _one_app(self, keys: int, seen: list[str]) -> None:
        app = MemtuiApp(self.data, config=Config(theme="textual-dark"), run_indexer=False, sources_text=lambda: "there")
        async with app.run_test(size=(self.chance.choice(_SIZES[4:]), self.chance.choice(_SIZES[3:8]))) as pilot:
            await pilot.pause(0.2)
            while self.pressed < keys and app.is_running and app._exit is False:
                self.pressed += 1
                if self.chance.random() < 0.03:
                    self._change(seen)
                await self._act(pilot, seen)
                if self.chance.random() < 0.2:
                    await pilot.pause()

    async def _act(self, pilot: Pilot[None], seen: list[str]) -> None:
        chance, kind = self.chance, self.chance.random()
        if kind < 0.05:
            size = chance.choice(_SIZES), chance.choice(_SIZES[:9])
            seen.append(f"size={size[0]}x{size[1]}")
            await pilot.resize_terminal(*size)
        elif kind < 0.09:
            text = chance.choice(_TEXTS)
            seen.append(f"paste={text[:12]!r}")
            pilot.app.post_message(events.Paste(text))
        elif kind < 0.15:
            width, height = pilot.app.size
            at = chance.randrange(max(1, width)), chance.randrange(max(1, height))
            seen.append(f"click={at[0]},{at[1]}")
            with suppress(Exception):
                await pilot.click(offset=at, times=chance.choice((1, 1, 2)))
        else:
            key = chance.choice(_NAMED) if chance.random() < 0.5 else chr(chance.randrange(33, 127))
            seen.append(key)
            pilot.app.simulate_key(_named(key))

    def _change(self, seen: list[str]) -> None:
        """A session grows, is rewritten shorter, goes or comes back, while the app shows it."""
        if not self._changing:
            return
        paths = sorted(self._sources.rglob("projects/**/*.jsonl"))
        path, kind = self.chance.choice(paths), self.chance.randrange(5)
        lines = path.read_bytes().splitlines(keepends=True)
        if kind < 3:
            at = datetime(2026, 11, 20, tzinfo=UTC) + timedelta(seconds=self.pressed)
            entry = {
                "type": "user", "uuid": f"new-{self.pressed}", "sessionId": path.stem, "cwd": "/home/ana/code/site",
                "timestamp": at.isoformat(), "message": {"role": "user", "content": f"Go on {self.pressed}"},
            }  # fmt: skip
            lines.append(orjson.dumps(entry) + b"\n")
        elif kind == 3:
            lines = lines[: max(1, len(lines) // 2)]
        else:
            lines = []
        seen.append(f"change={kind}")
        path.write_bytes(b"".join(lines))
        # In a thread, as the app does not wait for an indexer either.
        thread = threading.Thread(target=self._update)
        thread.start()
        thread.join()

    def _update(self) -> None:
        for _ in self._indexer.update([Location(None, self._sources)]):
            pass

    def close(self) -> None:
        """Close the index."""
        self._indexer.close()


def _named(key: str) -> str:
    from textual.keys import _character_to_key

    return _character_to_key(key) if len(key) == 1 else key


def _told(error: BaseException) -> str:
    inner: BaseException = error
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    return "".join(traceback.format_exception(inner))


def main(arguments: Sequence[str]) -> int:
    """Press the keys, print what failed, and return the exit code."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="memtui-keys-") as name:
        folder = Path(name)
        for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[variable] = str(folder / "home")
        (folder / "home").mkdir()
        os.environ.update(
            EDITOR="true", VISUAL="true", PAGER="true", BROWSER="true", SSH_TTY="/dev/null", PATH="/nowhere"
        )
        os.chdir(folder / "home")
        trial = Trial(folder, options.seed, changing=not options.still)
        trial.run(options.keys)
        trial.close()
        print(f"{trial.pressed:,} keys, clicks and sizes in {trial.apps} apps, seed {options.seed}: ", end="")
        print(f"{len(trial.failures)} failures")
        for failure in trial.failures:
            print(f"\n{failure}")
        return 1 if trial.failures else 0


def _options(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz.keys", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--still", action="store_true", help="the index does not change")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
