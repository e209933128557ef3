"""The sample sessions as if they were of this machine, with the files that they wrote on the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from memtui_core.index.index import Index
from memtui_core.queries.file_history import TurnTouch
from support.indexes import update

SAMPLES: Final = Path(__file__).parents[2] / "sample_sessions" / "projects"
_HOME: Final = "/home/ana"


def with_files(folder: Path, make: Callable[[Path, Path], object] = update) -> Path:
    """The data folder of an index of the samples, of which every file is there that a session knew as a whole.

    After the last edit that memtui knows, somebody has added a line to each. `make` indexes the sources in the second
    folder in the first one.
    """
    home, sources, data = folder / "ana", folder / "sources", folder / "data"
    for path in SAMPLES.rglob("*.jsonl"):
        copy = sources / path.relative_to(SAMPLES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text().replace(_HOME, str(home)))
    make(data, sources)
    index = Index.open(data)
    for file in index.files.find().rows:
        edits = [touch for touch in index.files.history(file) if touch.kind == "edited"]
        if edits and (content := _content(index, edits[0])) is not None:
            path = Path(file.root) / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n# Ask Bob before you change this.\n")
    return data


def _content(index: Index, edit: TurnTouch) -> str | None:
    own = edit.touch
    return index.files.content_at(own.session, own.path, own.turn).text
