"""The keyword index of the observations, in a folder of its own beside their log.

Whoever finds it behind the log brings it up to date: so what was saved is found at once, by every process, and a
process that only asks reads no more than the index. It can be deleted at any time. Held in memory instead, the index of
100,000 observations would have to be built anew, for some ten seconds, by each process.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock, Timeout
from tantivy import Index, Query

from memtui_core.errors import IndexerBusy
from memtui_core.lexicon import Lexicon, LexiconWriter, TurnDoc
from memtui_core.lexicon.fields import SCHEMA, no_panic, register
from memtui_core.memory.values import Observation

_WAIT = 10.0
"""Seconds for another process to bring the index up to date."""
_CHECK_BITS = 16
"""Lowest bits of the index's batch number: a check of the log's bytes before the offset that the others are."""
_TAIL = 64
LABELS = {"title": "title", "assistant": "narrative", "user": "concept", "path": "file"}
"""What the fields of the keyword index are called here."""


class Words:
    """The index as of the last `update`."""

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder = folder
        self._log = log
        self.lexicon = Lexicon(folder)

    def update(self, offset: int, each: Iterable[tuple[Observation, int]]) -> bool:
        """Take in what the log holds up to an offset; False when that cannot be done now: then it stays as it was.

        `each` are all observations with the offset behind their last line.
        """
        is_done = self._holds(_batch_of(self._folder), offset)
        if not is_done:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                with FileLock(self._folder.with_suffix(".lock"), timeout=_WAIT):
                    self._write(offset, each)
                is_done = True
            except (Timeout, OSError, IndexerBusy, ValueError):
                is_done = False
        self.lexicon.refresh()
        return is_done

    def _write(self, offset: int, each: Iterable[tuple[Observation, int]]) -> None:
        """Put what is new since the batch at hand; of a log that is another one than that was made of, everything."""
        writer = LexiconWriter(self._folder)
        try:
            if self._holds(writer.batch, offset):
                return
            done = writer.batch >> _CHECK_BITS
            if not self._holds(writer.batch, done):
                writer.clear()
                done = 0
            for observation, end in each:
                if end <= done:
                    continue
                if observation.forgotten_at is None:
                    writer.put(_document(observation), fresh=not done)
                else:
                    writer.remove([number_of(observation)])
            writer.commit(offset << _CHECK_BITS | self._check(offset))
        finally:
            writer.close()

    def _holds(self, batch: int, offset: int) -> bool:
        """Whether a batch was made of this log, and reaches as far as the offset."""
        done, check = batch >> _CHECK_BITS, batch & ((1 << _CHECK_BITS) - 1)
        return done >= offset and check == self._check(done)

    def _check(self, offset: int) -> int:
        """A sum of what stands before an offset of the log; -1 where the log does not reach so far."""
        if not offset:
            return 0
        begin = max(0, offset - _TAIL)
        try:
            with self._log.open("rb") as file:
                file.seek(begin)
                tail = file.read(offset - begin)
        except OSError:
            return -1
        return zlib.crc32(tail) & ((1 << _CHECK_BITS) - 1) if len(tail) == offset - begin else -1


def number_of(observation: Observation) -> int:
    """The number of an observation in the index: of its id only, so that no order of lines can change it."""
    return int.from_bytes(blake2b(observation.id.encode(), digest_size=8).digest()) >> 2


def _document(observation: Observation) -> TurnDoc:
    content = observation.content
    return TurnDoc(
        turn=number_of(observation),
        session=0,
        at=max(0, int(observation.created_at.timestamp())),
        user="\n".join(content.concepts),
        assistant="\n".join([content.narrative, *content.facts]),
        thinking="",
        call="",
        output="",
        title="\n".join(filter(None, (content.title, content.subtitle))),
        paths="\n".join((*content.files_modified, *content.files_read)),
    )


def _batch_of(folder: Path) -> int:
    """The batch that the index holds; 0 when there is none that can be read."""
    try:
        with no_panic():
            index = Index.open(str(folder))
            if index.schema != SCHEMA:
                return 0
            register(index)
            searcher = index.searcher()
            found = searcher.search(Query.term_query(SCHEMA, "marker", "batch"), 1).hits
            return int(searcher.doc(found[0][1])["batch"][0]) if found else 0
    except ValueError:
        return 0
