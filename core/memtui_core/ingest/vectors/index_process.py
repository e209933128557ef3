"""The process that builds the HNSW index: `python -m memtui_core.ingest.vectors.index_process FOLDER`.

It has a low priority and may be killed at any time. It ends when its standard input is closed, so that it does not
outlive the indexer that started it. If it makes no index, it prints the reason.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.vectors.hnsw_building import build_index
from memtui_core.store.vectors.vss import VssUnavailable
from memtui_core.system.machine import lower_priority, processors


def main() -> None:
    """Build the index of a data folder; exit with the code 1 if that is not possible."""
    threading.Thread(target=_end_with_the_indexer, daemon=True).start()
    lower_priority()
    try:
        build_index(DataDir(Path(sys.argv[1])), threads=max(1, processors() // 2))
    except (VssUnavailable, duckdb.Error, OSError, ValueError, MemoryError) as error:
        sys.exit(str(error).split("\n", 1)[0] or "too little memory")


def _end_with_the_indexer() -> None:
    # Not sys.stdin: a waiting thread that holds its lock would abort the interpreter at exit.
    while os.read(0, 1024):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
