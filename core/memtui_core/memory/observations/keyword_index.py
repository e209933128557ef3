"""The keyword index of the observations, in its own folder beside their log.

A process that finds the index older than the log updates it: so every process finds what was just saved, and a process
that only searches reads no more than the index. The folder can be deleted at any time. An index in memory would have
to be built by each process: about ten seconds for 100,000 observations.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock, Timeout
from tantivy import Index, Query

from memtui_core.errors import IndexerBusy
from memtui_core.store.lexicon import Lexicon, LexiconWriter, TurnDoc
from memtui_core.store.lexicon.fields import SCHEMA, WEIGHTS, no_panic, register
from memtui_core.store.observation import Observation

_LOCK_TIMEOUT = 10.0
"""Seconds to wait for another process that is updating the index."""
_CHECKSUM_BITS = 16
"""Lowest bits of the batch number: a checksum of the log before the offset, which is in the other bits."""
_TAIL = 64
"""Bytes of the log that the checksum covers."""
FIELD_LABELS = {"title": "title", "assistant": "narrative", "user": "concept", "path": "file"}
"""Names for users of the fields in which observations are indexed."""


class KeywordIndex:
    """The index as of the last `update`."""

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder = folder
        self._log = log
        self.lexicon = Lexicon(folder)

    def update(self, offset: int, observations: Iterable[tuple[Observation, int]]) -> bool:
        """Index the log up to an offset; False if that is not possible now, and the index is unchanged.

        `observations` are all of them, each with the offset after its last record.
        """
        updated = self._covers(_stored_batch(self._folder), offset)
        if not updated:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                with FileLock(self._folder.with_suffix(".lock"), timeout=_LOCK_TIMEOUT):
                    self._write(offset, observations)
                updated = True
            except (Timeout, OSError, IndexerBusy, ValueError):
                updated = False
        self.lexicon.refresh()
        return updated

    def _write(self, offset: int, observations: Iterable[tuple[Observation, int]]) -> None:
        """Index what is new since the stored batch; everything if that batch was made from another log."""
        writer = LexiconWriter(self._folder)
        try:
            if self._covers(writer.batch, offset):
                return
            indexed = writer.batch >> _CHECKSUM_BITS
            if not self._covers(writer.batch, indexed):
                writer.clear()
                indexed = 0
            for observation, end in observations:
                if end <= indexed:
                    continue
                if observation.forgotten_at is None:
                    writer.put(_document(observation), fresh=not indexed)
                else:
                    writer.remove([document_number(observation)])
            writer.commit(offset << _CHECKSUM_BITS | self._checksum(offset))
        finally:
            writer.close()

    def _covers(self, batch: int, offset: int) -> bool:
        """Whether a batch was made from this log, up to the offset or further."""
        indexed, checksum = batch >> _CHECKSUM_BITS, batch & ((1 << _CHECKSUM_BITS) - 1)
        return indexed >= offset and checksum == self._checksum(indexed)

    def _checksum(self, offset: int) -> int:
        """A checksum of the bytes before an offset of the log; -1 if the log is shorter."""
        if not offset:
            return 0
        start = max(0, offset - _TAIL)
        try:
            with self._log.open("rb") as file:
                file.seek(start)
                tail = file.read(offset - start)
        except OSError:
            return -1
        return zlib.crc32(tail) & ((1 << _CHECKSUM_BITS) - 1) if len(tail) == offset - start else -1


def document_number(observation: Observation) -> int:
    """The number of an observation in the index, from its id alone: it does not depend on the order of the log."""
    return int.from_bytes(blake2b(observation.id.encode(), digest_size=8).digest()) >> 2


def _document(observation: Observation) -> TurnDoc:
    content = observation.content
    document = TurnDoc(document_number(observation), 0, max(0, int(observation.created_at.timestamp())), {})
    return document.with_texts(
        user="\n".join(content.concepts),
        assistant="\n".join([content.narrative, *content.facts]),
        title="\n".join(filter(None, (content.title, content.subtitle))),
        paths="\n".join((*content.files_modified, *content.files_read)),
    )


def field_texts(observation: Observation) -> dict[str, str]:
    """The texts of an observation by the fields in which they are indexed."""
    return dict.fromkeys(WEIGHTS, "") | dict(_document(observation).texts)


def _stored_batch(folder: Path) -> int:
    """The batch number of the index on disk; 0 if there is no readable one."""
    try:
        with no_panic():
            index = Index.open(str(folder))
            if index.schema != SCHEMA:
                return 0
            register(index)
            searcher = index.searcher()
            markers = searcher.search(Query.term_query(SCHEMA, "marker", "batch"), 1).hits
            return int(searcher.doc(markers[0][1])["batch"][0]) if markers else 0
    except ValueError:
        return 0
