"""Which transcripts are archived, and when: those that their agents will delete soon, and those that rest.

An idle watcher archives everything that has not changed for ten minutes. A run of `memtui index` archives what an agent
deletes within a week, and, unless it made the index, a part of the rest: an index is not made more slowly for that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.base import PART_MARK, Reader
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING, Exclusions, RetentionRules
from memtui_core.readers.formats.jsonl import LINES
from memtui_core.readers.locations import Location, retention
from memtui_core.readers.registry import reader_of
from memtui_core.store.archive.transcripts import TranscriptArchive, TranscriptTooLarge
from memtui_core.store.data_folder import DataDir
from memtui_core.text.machine_folders import folder_of

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_log = logging.getLogger(__name__)
SETTLED: Final = 600.0
"""Seconds without a change after which a transcript is archived."""
SWEPT_SOON: Final = 7 * 86_400.0
"""Seconds before an agent deletes a transcript in which a run of `memtui index` archives it."""
RESTING: Final = 86_400.0
"""Seconds without a change after which a run of `memtui index` archives a transcript."""
SHARE_OF_RUN: Final = 8_000_000
"""Bytes of transcripts that such a run reads for the archive: a third of a second."""
SHARE_OF_FIRST: Final = 0.02
"""The share of all bytes that the run which makes an index reads for the archive: 2 % of its time."""
_KEPT_STATES: Final = ("ok", "partial", "waiting", "copy")
_IN_FOLDER: Final = frozenset({".json", LINES})
"""The suffixes of the files in the folder of a transcript that belong to it although no reader accepts them."""
_BESIDE: Final = frozenset({".json", ".yaml"})
"""The suffixes of files that agents write beside a transcript, such as that with its title."""


@dataclass(frozen=True, slots=True)
class _Transcript:
    """A file of a source."""

    path: Path
    agent: str
    source: str
    size: int
    mtime: float
    """In seconds since 1970."""


class TranscriptKeeper:
    """Archives the transcripts of an index, but no databases, of which rows are kept.

    Nothing is archived that is excluded, or of which the rules say that less than everything is kept.
    """

    def __init__(
        self,
        work: WorkDatabase,
        data: DataDir,
        locations: Sequence[Location],
        exclusions: Exclusions = NOTHING,
        rules: RetentionRules = KEEP_ALL,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._work, self._data, self._clock = work, data, clock
        self._exclusions, self._rules = exclusions, rules
        self._archive = TranscriptArchive(data)
        self._refused: set[Path] = set()
        """What is too large, which is logged once."""
        self._tried: set[Path] = set()
        """What was read, or could not be read."""
        self._periods = [(location.path, kept.days) for location in locations if (kept := retention(location))]
        """Where agents delete transcripts, and after how many days."""

    def archive_settled(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Archive what has not changed for ten minutes; the number of bytes read. Raises OSError."""
        return self._add([one for one in self._transcripts() if self._rests(one, SETTLED)], stopped)

    def archive_urgent(self, stopped: Callable[[], bool] = lambda: False, *, is_first: bool = False) -> int:
        """Archive what an agent deletes within a week, then a part of what rests; the bytes read. Raises OSError.

        With `is_first` the index was made just now, and the rest of both is left for later.
        """
        transcripts, latest = list(self._transcripts()), self._clock() + SWEPT_SOON
        urgent = [one for one in transcripts if self._deleted_at(one) <= latest]
        if is_first:
            most = self._work.scalar("SELECT coalesce(sum(size) FILTER (size > 0), 0) FROM sources")
            return self._add(list(_fitting(urgent, int(most * SHARE_OF_FIRST))), stopped)
        resting = [one for one in transcripts if self._deleted_at(one) > latest and self._rests(one, RESTING)]
        return self._add(urgent, stopped) + self._add(resting, stopped, SHARE_OF_RUN)

    def due_at(self) -> float:
        """From when on a run has something to archive that an agent will delete, in seconds since 1970."""
        archived = self._archive.files()
        left = (
            one
            for one in self._transcripts()
            if one.path not in self._tried and (one.path not in archived or archived[one.path].size != one.size)
        )
        return min((self._deleted_at(one) - SWEPT_SOON for one in left), default=inf)

    def _add(self, transcripts: Sequence[_Transcript], stopped: Callable[[], bool], most: int | None = None) -> int:
        """Archive what changed in some transcripts, those first that have rested longest."""
        read, known = 0, self._archive.files()
        for one in sorted(transcripts, key=_rest):
            if stopped() or (most is not None and read >= most):
                break
            self._tried.add(one.path)
            try:
                read += self._archive.add(one.path, one.agent, one.source, known.get(one.path), stopped)
            except TranscriptTooLarge as error:
                if one.path not in self._refused:
                    self._refused.add(one.path)
                    _log.warning("Not archived: %s", error)
        self._archive.flush()
        self._archive.tidy()
        return read

    def _transcripts(self) -> Iterator[_Transcript]:
        """The files of all transcripts that are on this disk, except databases and what other machines have."""
        folders_read = _Folders()
        states = ", ".join(f"'{state}'" for state in _KEPT_STATES)
        rows = self._work.connection.execute(
            "SELECT f.path, f.agent, s.project, s.cwd, s.root FROM sources f JOIN sessions s ON s.key = f.session"
            " WHERE f.gone_at IS NULL AND f.size > 0"
            f" AND NOT contains(f.path, '{PART_MARK}') AND f.state IN ({states})"
        ).fetchall()
        for name, agent, project, *folders in rows:
            own = [folder_of(folder) for folder in folders]
            if self._rules.level_of(project, *own) != "full" or self._exclusions.excludes_session(agent, project, *own):
                continue
            container, reader = Path(name), reader_of(agent)
            if reader is None or container.is_relative_to(self._data.path):
                continue
            for path in folders_read.files_of(container, reader):
                with suppress(OSError):
                    status = path.stat()
                    yield _Transcript(path, agent, name, status.st_size, status.st_mtime)

    def _rests(self, transcript: _Transcript, seconds: float) -> bool:
        """Whether a transcript has not changed for so long; one of the future neither: the clock was set back."""
        return abs(self._clock() - transcript.mtime) >= seconds

    def _deleted_at(self, transcript: _Transcript) -> float:
        """When the agent deletes a transcript, in seconds since 1970."""
        days = (days for location, days in self._periods if transcript.path.is_relative_to(location))
        return transcript.mtime + 86_400.0 * min(days, default=1_000_000)


def _rest(transcript: _Transcript) -> tuple[float, Path]:
    """By which transcripts are sorted: those first that have rested longest."""
    return transcript.mtime, transcript.path


def _fitting(transcripts: Sequence[_Transcript], room: int) -> Iterator[_Transcript]:
    """The transcripts for which there is room, in bytes; the others follow when there is time for them."""
    for one in sorted(transcripts, key=_rest):
        if one.size <= room:
            room -= one.size
            yield one


class _Folders:
    """The files that belong to transcripts, by what lies in their folders."""

    def __init__(self) -> None:
        self._small: dict[tuple[Path, str], dict[Path, list[Path]]] = {}
        """By folder and agent: the files in the folder that belong to transcripts, by the containers of these."""

    def files_of(self, container: Path, reader: Reader) -> Iterator[Path]:
        """The files of a transcript: the container and what the reader reads with it, or what is in a folder."""
        if container.is_dir():
            for path in sorted(container.rglob("*")):
                if path.is_file() and (path.suffix in _IN_FOLDER or reader.accepts(path)):
                    yield path
            return
        yield container
        yield from self._beside(container.parent, reader).get(container, ())

    def _beside(self, folder: Path, reader: Reader) -> Mapping[Path, Sequence[Path]]:
        found = self._small.get((folder, reader.agent))
        if found is None:
            found = self._small[folder, reader.agent] = {}
            with suppress(OSError):
                for path in sorted(folder.iterdir()):
                    if path.suffix in _BESIDE and reader.accepts(path) and (owner := reader.container(path)) != path:
                        found.setdefault(owner, []).append(path)
        return found
