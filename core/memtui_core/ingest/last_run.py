"""What the last run left, by which the next one sees that there is nothing to do, without opening the index.

The file has the sources as they are in the index, so that the same comparison with the disk is made as by the indexer
(`compared`). It counts only while the files of the index are as that run left them, and for the same code: another
process may have died half-way, a part may be damaged or missing, and another version may have more to do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from memtui_core.ingest.discover import KnownSource, compared, scan
from memtui_core.readers.base import START
from memtui_core.readers.exclusions import Exclusions
from memtui_core.readers.locations import Location, Recognized, RecognizedFiles
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import read_progress
from memtui_core.system.atomic_files import write_atomically
from memtui_core.text.own_patterns import used_patterns

FileState = tuple[str, int, int]
"""The name of a file, its size and its time."""
_COLUMNS: Final = ("name", "agent", "size", "mtime", "session", "gone", "error", "state")
"""What a comparison with the disk needs of a source."""
_ENGINES: Final = ("_duckdb", "tantivy")
"""The modules that write the files of the index."""


class IndexFigures(NamedTuple):
    """What a run says of the whole index."""

    sessions: int
    turns: int
    sources: int
    bad_sources: int
    skipped_lines: int


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run that brought the index up to date."""

    code: Sequence[FileState]
    """The code that ran, by `state_of_code`."""
    files: Sequence[FileState]
    """The files of the index, by `index_files`, while nobody else could write them."""
    excluded: Sequence[str]
    """The patterns of what was not indexed."""
    model: str | None
    """The model that has made all vectors; None if some may be missing."""
    vectors: str
    """The setting on the vector index."""
    patterns: Sequence[str]
    """The user's own patterns of secrets; the rules are a part of the code."""
    figures: IndexFigures
    sources: Mapping[str, KnownSource]
    """All sources by name, without cursors."""
    recognized: RecognizedFiles
    archives_at: float
    """From when on transcripts are archived that an agent will delete, in seconds since 1970."""

    def left_nothing(
        self,
        data: DataDir,
        locations: Sequence[Location],
        exclusions: Exclusions,
        model: str | None,
        vectors: str,
    ) -> bool:
        """Whether a run in these locations would find nothing to do; with a model it also makes vectors and an index.

        `vectors` is the setting on that index.
        """
        if (self.excluded, self.patterns) != (exclusions.patterns, used_patterns()) or (
            model is not None and (model, vectors) != (self.model, self.vectors)
        ):
            return False
        # To which projects the sessions of other machines belong depends on the repositories on this disk.
        if data.machines.is_dir() or self.files != index_files(data):
            return False
        # A bit that has flipped on the disk changes neither size nor time of a file.
        if data.damage.exists():
            return False
        # A run that was killed may have written nothing else.
        if (progress := read_progress(data.path)) is None or not progress.finished:
            return False
        changes = compared(scan(locations, exclusions, Recognized(self.recognized)), self.sources)
        return not (changes.pending or changes.has_unread)


@cache
def state_of_code() -> tuple[FileState, ...]:
    """The state of the library and of its engines: other code may have more to do.

    Of the library the number of its files, the sum of their sizes and the newest time; a version says less where memtui
    runs from a checkout.
    """
    states = [path.stat() for path in _below(Path(__file__).parents[1]) if path.suffix == ".py"]
    newest = max((state.st_mtime_ns for state in states), default=0)
    own = (f"{len(states)} files", sum(state.st_size for state in states), newest)
    origins = (spec.origin for name in _ENGINES if (spec := find_spec(name)) is not None)
    return own, *_states(Path(origin) for origin in origins if origin)


def index_files(data: DataDir) -> tuple[FileState, ...]:
    """The states of the files of an index that an indexer opens or repairs."""
    paths = [data.work, data.work_log]
    for folder in (data.snapshots, data.lexicon, data.vectors(0).parent, data.vector_index, data.archive):
        # Locks have a dot before their names.
        paths += [path for path in _below(folder) if not path.name.startswith(".")]
    return tuple(sorted(_states(paths)))


def _states(paths: Iterable[Path]) -> Iterator[FileState]:
    for path in paths:
        with suppress(OSError):
            state = path.stat()
            yield str(path), state.st_size, state.st_mtime_ns


def _below(folder: Path) -> list[Path]:
    return [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]


def read_last_run(data: DataDir) -> LastRun | None:
    """The last run; None if there is none, if it cannot be read, or if other code ran."""
    try:
        value: Any = json.loads(data.last_run.read_bytes())
        code = _file_states(value["code"])
        if code != state_of_code():
            return None
        sources = (
            KnownSource(number, name, agent, size, changed, session, gone, error, START, state)
            for number, (name, agent, size, changed, session, gone, error, state) in enumerate(value["sources"])
        )
        return LastRun(
            code,
            _file_states(value["files"]),
            tuple(value["excluded"]),
            value["model"],
            value["vectors"],
            tuple(value["patterns"]),
            IndexFigures(*value["figures"]),
            {source.name: source for source in sources},
            {
                folder: (changed, {name: (agent, size, time) for name, (agent, size, time) in files.items()})
                for folder, (changed, files) in value["recognized"].items()
            },
            float(value["archives_at"]),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _file_states(value: Any) -> tuple[FileState, ...]:
    return tuple((name, size, changed) for name, size, changed in value)


def write_last_run(data: DataDir, run: LastRun) -> None:
    """Keep a run for the next one; if it cannot be written, the next one opens the index."""
    value = {
        "code": run.code,
        "files": run.files,
        "excluded": run.excluded,
        "model": run.model,
        "vectors": run.vectors,
        "patterns": run.patterns,
        "figures": run.figures,
        "sources": [[getattr(source, name) for name in _COLUMNS] for source in run.sources.values()],
        "recognized": run.recognized,
        "archives_at": run.archives_at,
    }
    # Not orjson, which refuses the names of files that are no valid UTF-8.
    with suppress(OSError):
        write_atomically(data.last_run, json.dumps(value).encode("ascii"))
