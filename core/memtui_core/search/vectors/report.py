"""What answers searches by meaning, and why, for `memtui doctor` and the status line. Loads neither numpy nor vss."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.vectors.index_entry import IndexEntry, is_being_built, read_entry
from memtui_core.store.vectors.index_rules import FEWEST, MOSTLY_NEWER, lacks_most, may_answer, misfit
from memtui_core.store.vectors.vss import engine_version, missing_vss

VSS, EXACT, NONE = "hnsw", "exact", "none"
"""What answers: the vector index of vss, the comparison of all vectors, or nothing as there are no vectors."""


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What answers unfiltered searches by meaning in an app or a server; all others are exact."""

    answer: str
    """`hnsw`, `exact`, or `none` if there are no vectors."""
    reason: str
    """Why it is not the index, a clause; empty if it is."""
    short_reason: str
    """The same in a few words for a line with other facts; empty if it is, and if there are few vectors or none."""
    vectors: int
    indexed: int = 0
    """The number of vectors from which the index was built; 0 if there is no index."""
    newer: int = 0
    """The number of vectors that were made since, which are compared."""
    building: bool = False
    """Whether an index is being built, the first one or a newer one."""
    built_at: datetime | None = None
    bytes: int = 0
    """The size of the index."""


def lack_of_vectors(data: DataDir) -> str:
    """That the snapshots of a data folder have no vectors, and what makes them, a clause."""
    from memtui_core.store.work.lock import is_at_work, read_holder

    # Without a holder the lock is free, and trying it could keep it from an indexer that starts.
    is_indexed = read_holder(data) is not None and is_at_work(data)
    return f"no vectors yet, {'an indexer runs' if is_indexed else 'run memtui index'}"


def report_vectors(snapshot: Snapshot, mode: str, problem: str = "") -> VectorReport:
    """The report on a snapshot.

    `mode` is the setting `vectors`, `problem` why the index could not be loaded by somebody who tried.
    """
    vectors, entry = snapshot.manifest.vectors, read_entry(snapshot.data)
    if vectors is None or not vectors.size:
        return VectorReport(NONE, lack_of_vectors(snapshot.data), "", 0)
    is_built = is_being_built(snapshot.data)
    reason, short = _reason(mode, vectors, entry, problem, is_built=is_built)
    answer = EXACT if reason else VSS
    if entry is None:
        return VectorReport(answer, reason, short, vectors.size, building=is_built)
    newer, built_at = max(0, vectors.size - entry.size), datetime.fromtimestamp(entry.built_at, UTC)
    return VectorReport(answer, reason, short, vectors.size, entry.size, newer, is_built, built_at, entry.bytes)


def _reason(
    mode: str, vectors: SnapshotVectors, entry: IndexEntry | None, problem: str, *, is_built: bool
) -> tuple[str, str]:
    """Why the index does not answer, as a clause and in a few words; empty if it does."""
    if mode == "exact":
        return "the settings say so", "vector index is off"
    if not may_answer(mode, vectors.size):
        return f"an index of them is made from {FEWEST:,} vectors on", ""
    if missing := missing_vss():
        return missing, "vector index is not installed"
    if entry is None and is_built:
        return "the vector index is being built", "vector index is being built"
    if entry is None:
        short = "vector index is not built yet"
        return f"the {short}; an indexer with nothing else to do builds it", short
    outdated = misfit(entry, vectors, engine_version())
    if not outdated and lacks_most(entry.size, vectors.size):
        outdated = MOSTLY_NEWER
    if outdated:
        return outdated, "vector index is outdated"
    return problem, "vector index has failed" if problem else ""
