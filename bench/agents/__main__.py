"""How much of what the transcripts of every agent contain is in the index.

Usage: python -m bench.agents --source FOLDER [--agent NAME] [--data-dir DIR]. The folder is indexed unless a data
folder is given. Each agent is counted by a module of its own here, which does not use the reader.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import bench.agents
from bench.coverage import Counts, held, share
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.files import DataDir
from memtui_core.store.reader import Snapshot

KINDS = ("text", "tool_call", "tool_result")


def main() -> int:
    """Print a row for each agent; the exit code is 1 if something is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--agent")
    parser.add_argument("--data-dir", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            with Indexer(data) as indexer:
                for _ in indexer.update([Location(None, options.source.absolute())], review=False):
                    pass
        complete = [_row(name, options.source.absolute(), data) for name in _names(options.agent)]
    return 0 if all(complete) else 1


def _names(agent: str | None) -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(bench.agents.__path__) if not module.name.startswith("_")]
    return [name for name in names if agent in (None, name)]


def _row(name: str, source: Path, data: Path) -> bool:
    """Print the shares of one agent; whether everything is there."""
    module = importlib.import_module(f"bench.agents.{name}")
    want: Counts = module.expected(source)
    have = held(data, module.AGENT)
    states = Counter(
        state for (state,) in Snapshot(DataDir(data)).rows("SELECT state FROM sources WHERE agent = ?", [module.AGENT])
    )
    shares = {kind: share(kind, want[kind], have[kind]) for kind in KINDS}
    counts = "  ".join(f"{kind} {want[kind].total():>6} {shares[kind]:7.2%}" for kind in KINDS)
    print(f"{module.AGENT:<12} {counts}  {dict(states)}")
    return all(value == 1 for value in shares.values())


if __name__ == "__main__":
    sys.exit(main())
