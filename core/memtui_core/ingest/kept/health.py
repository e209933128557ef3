"""Whether the parts of an index agree, without reading all of them: database, lexicon, vectors and archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_core.ingest.kept.gone_sessions import ArchiveFigures, archive_figures, newest_records
from memtui_core.store.archive.records import RecordFile
from memtui_core.store.snapshot.checking import ARCHIVE, BASE, LEXICON, VECTORS, Damage

if TYPE_CHECKING:
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.snapshot.reader import Snapshot

_VISIBLE: Final = "SELECT count(*) FROM turns t JOIN sessions s ON s.key = t.session WHERE NOT s.hidden"
_GONE: Final = "SELECT path FROM sources WHERE gone_at IS NOT NULL AND session IS NOT NULL"


class IndexHealth(NamedTuple):
    """What `memtui doctor` says of the parts of an index."""

    damage: tuple[Damage, ...]
    archive: ArchiveFigures
    broken_bytes: int
    """Bytes of damaged files that were moved aside."""


def index_health(data: DataDir, snapshot: Snapshot) -> IndexHealth:
    """Compare the parts by their figures. Raises OSError."""
    damage = (*_noted(data), *_lexicon(data, snapshot), *_vectors(data, snapshot), *_archive(data, snapshot))
    return IndexHealth(damage, archive_figures(data), broken_bytes(data))


def broken_bytes(data: DataDir) -> int:
    """Bytes of the damaged files that were moved aside."""
    return sum(path.stat().st_size for path in data.broken.rglob("*") if path.is_file())


def _noted(data: DataDir) -> Iterator[Damage]:
    if data.damage.exists():
        reason = data.damage.read_text("utf-8", "replace").strip().partition("\n")[0].rstrip(".!")
        yield Damage(BASE, data.snapshots, reason or "a reader could not read it")


def _lexicon(data: DataDir, snapshot: Snapshot) -> Iterator[Damage]:
    from memtui_core.store.lexicon.state import lexicon_state

    [(turns,)] = snapshot.rows(_VISIBLE)
    state = lexicon_state(data.lexicon)
    if state is None:
        yield Damage(LEXICON, data.lexicon, "it cannot be opened")
    elif state.batch < snapshot.number:
        yield Damage(LEXICON, data.lexicon, f"it ends with batch {state.batch} of {snapshot.number}")
    elif state.documents < turns:
        yield Damage(LEXICON, data.lexicon, f"it has {state.documents} of {turns} turns")


def _vectors(data: DataDir, snapshot: Snapshot) -> Iterator[Damage]:
    entry = snapshot.manifest.vectors
    if entry is None or not entry.size:
        return
    from memtui_core.store.vectors.files import stored_vectors

    try:
        stored_vectors(data, entry)
    except (OSError, ValueError) as error:
        yield Damage(VECTORS, data.vectors(entry.file), str(error).partition("\n")[0].rstrip(".!"))


def _archive(data: DataDir, snapshot: Snapshot) -> Iterator[Damage]:
    gone = {path for (path,) in snapshot.rows(_GONE)}
    records = RecordFile(data.session_archive)
    missing = gone - newest_records(records).keys()
    if records.damaged:
        yield Damage(ARCHIVE, records.path, f"{records.damaged} records are damaged")
    if missing:
        reason = f"it has {len(gone) - len(missing)} of {len(gone)} sources that are gone"
        yield Damage(ARCHIVE, records.path, reason)
