"""How much of what the transcripts of each agent contain is in the index.

Usage: python -m bench.agents [AGENT=FOLDER]... The default are the sample sessions. Each folder contains transcripts of
one agent only; it is counted by a module of its own here, which does not use the reader.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

import bench.agents
from bench.coverage import Counts, held, share
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.files import DataDir
from memtui_core.store.reader import Snapshot

KINDS: Final = ("text", "tool_call", "tool_result")
ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = (ROOT / "sample_sessions", ROOT / "tests" / "samples")
"""The sample sessions that come with memtui, and those of agents that it does not show."""
FOLDERS: Final = {"kiro": "kiro-cli"}
"""The folders of the sample sessions that do not have the id of the agent."""


def main(arguments: list[str]) -> int:
    """Print a row for each folder; the exit code is 1 if something is missing."""
    pairs = [argument.split("=", 1) for argument in arguments] or [[name, str(samples_of(name))] for name in names()]
    complete = [_row(name, Path(folder).absolute()) for name, folder in pairs]
    return 0 if all(complete) else 1


def names() -> list[str]:
    """The agents that can be counted."""
    return sorted(module.name for module in pkgutil.iter_modules(bench.agents.__path__) if module.name[0] != "_")


def samples_of(name: str) -> Path:
    """The folder with the sample sessions of an agent."""
    folders = [folder / FOLDERS.get(name, name) for folder in SAMPLES]
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def expected(name: str, folder: Path) -> Counts:
    """What the transcripts of an agent in a folder contain."""
    counts: Counts = importlib.import_module(f"bench.agents.{name}").expected(folder)
    return counts


def shares(want: Counts, have: Counts) -> dict[str, float]:
    """The shares of texts, calls and results that the index holds, 0 to 1."""
    return {kind: share(kind, want[kind], have[kind]) for kind in KINDS}


def _row(name: str, folder: Path) -> bool:
    """Print the shares of the transcripts in one folder; whether everything is there."""
    want = expected(name, folder)
    with tempfile.TemporaryDirectory() as data:
        with Indexer(Path(data)) as indexer:
            for _ in indexer.update([Location(name, folder)], review=False):
                pass
        found = shares(want, held(Path(data), name))
        states = Snapshot(DataDir(Path(data))).rows("SELECT state FROM sources WHERE state <> 'ignored'")
    counts = "  ".join(f"{kind} {want[kind].total():>6} {found[kind]:7.2%}" for kind in KINDS)
    files = ", ".join(f"{count} {state}" for state, count in Counter(state for (state,) in states).most_common())
    print(f"{name:<10} {counts}  {files}")
    return all(value == 1 for value in found.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
