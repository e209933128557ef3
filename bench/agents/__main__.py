"""What the transcripts of each agent contain beside what memtui has of them.

Usage: python -m bench.agents [AGENT=FOLDER]... The default are the sample sessions. Each folder contains transcripts of
one agent only; it is counted by a module of its own here, which does not use the reader, and its texts are found by one
that does not know the format. What differs is listed with the reason that the module of the agent states.
"""

from __future__ import annotations

import pkgutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

import bench.agents
from bench.agents._compared import Compared, compared
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = (ROOT / "sample_sessions", ROOT / "tests" / "samples")
"""The sample sessions that come with memtui, and those of agents that it does not show."""
FOLDERS: Final = {"kiro": "kiro-cli", "claude-code": "projects"}
"""The folders of the sample sessions that do not have the id of the agent."""
_EXAMPLE: Final = 90


def main(arguments: list[str]) -> int:
    """Print what each folder contains; the exit code is 1 if something is missing without a stated reason."""
    pairs = [argument.split("=", 1) for argument in arguments] or [[name, str(samples_of(name))] for name in names()]
    complete = [_measure(name, Path(folder).absolute()) for name, folder in pairs]
    return 0 if all(complete) else 1


def names() -> list[str]:
    """The agents that can be counted."""
    modules = (module.name for module in pkgutil.iter_modules(bench.agents.__path__))
    return sorted(name.replace("_", "-") for name in modules if name[0] != "_")


def samples_of(name: str) -> Path:
    """The folder with the sample sessions of an agent."""
    folders = [folder / FOLDERS.get(name, name) for folder in SAMPLES]
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def _measure(name: str, folder: Path) -> bool:
    """Print what one folder contains; whether everything is there."""
    with tempfile.TemporaryDirectory() as data:
        with Indexer(Path(data)) as indexer:
            for _ in indexer.update([Location(name, folder)]):
                pass
        made = compared(name, folder, Path(data))
        states = Snapshot(DataDir(Path(data))).rows("SELECT state FROM sources WHERE state <> 'ignored'")
    _print(name, made, ", ".join(f"{count} {state}" for state, count in Counter(one for (one,) in states).items()))
    return made.is_complete


def _print(name: str, made: Compared, files: str) -> None:
    counts = "  ".join(f"{kind} {made.totals[kind]:>6} {share:7.2%}" for kind, share in made.shares.items())
    numbers = "  ".join(
        f"{what} {number}" if number == made.memtui[what] else f"{what} {number} : {made.memtui[what]}"
        for what, number in made.raw.items()
    )
    print(f"{name:<11} {counts}  {files}")
    print(f"{'':<11} leaves {made.leaves} shown {made.shown}  searched {made.searched} found {made.found}  {numbers}")
    for one in made.differences:
        example = f" | {one.example[:_EXAMPLE]}" if one.example else ""
        print(f"{'':<13} {one.what}: {one.raw} : {one.memtui}  {one.reason or 'NO REASON' + example}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
