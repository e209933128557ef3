"""What `memtui doctor` says of the index itself: whether its parts agree, and what a repair did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli.output import say, show

if TYPE_CHECKING:
    from memtui_core.ingest.kept.health import IndexHealth
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.snapshot.checking import Damage


def damage_object(damage: Damage) -> dict[str, Any]:
    """A damaged part as JSON."""
    return {"part": damage.part, "path": str(damage.path), "reason": damage.reason}


def health_object(health: IndexHealth) -> dict[str, Any]:
    """The health of the index as JSON."""
    return {
        "damage": [damage_object(damage) for damage in health.damage],
        "archive": health.archive._asdict(),
        "broken_bytes": health.broken_bytes,
    }


def health_lines(health: IndexHealth, folder: Path) -> Iterator[str]:
    """Whether the parts agree, what is in the archive, and what was moved aside."""
    from memtui.wording.formatting import plural, size

    if not health.damage:
        yield "         database, lexicon, vectors and archive agree"
    for damage in health.damage:
        yield f"         damaged: {damage.part}, {damage.path.name}: {damage.reason}. memtui doctor --repair mends it."
    if health.archive.sources:
        kept = plural(health.archive.sessions, "session")
        yield f"         the archive has {kept} that the agents deleted, {size(health.archive.size)}"
    if health.broken_bytes:
        yield (
            f"         {size(health.broken_bytes)} of damaged files in {folder / 'broken'};"
            " memtui doctor --repair removes them"
        )


def check(data: DataDir) -> list[Damage]:
    """Read all of the index; prints each damaged part, or that there is none."""
    from memtui_core.store.snapshot.checking import check_index

    found = []
    for damage in check_index(data):
        found.append(damage)
        say(f"damaged: {damage.part}, {damage.path}: {damage.reason}.")
    if not found:
        say("All blocks, lines and records of the index are as they were written.")
    return found


def repair(data: DataDir) -> bool:
    """Mend the index, read what exists of the transcripts, and print what was done; whether all is well then."""
    from memtui.cli.launch import kept_sources
    from memtui.settings.config import settings_in_use
    from memtui.system.logs import configure
    from memtui.wording.formatting import plural, size
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.ingest.kept.health import known_damage
    from memtui_core.ingest.kept.mending import broken_folders, mend, remove_broken
    from memtui_core.ingest.machines.declared import mirrors_of
    from memtui_core.readers.locations import chosen_locations
    from memtui_core.store.snapshot.checking import check_index

    configure(data.path)
    before = broken_folders(data)
    mended = mend(data, known=known_damage(data))
    for damage, done in mended:
        say(f"The {damage.part} was damaged ({damage.path.name}: {damage.reason}): {done}.")
    config = settings_in_use()
    places = chosen_locations(
        kept_sources(data), added=config.sources, mirrors=mirrors_of(data), exclusions=config.exclusions
    )
    with Indexer(
        data.path, exclusions=config.exclusions, what="memtui doctor --repair", retention=config.retention
    ) as indexer:
        if indexer.work.restore_reason:
            say(f"The database was opened again from its last snapshot: {indexer.work.restore_reason}")
        for _ in indexer.update(places):
            pass
        # Publishes that vectors are missing, so that nobody looks for them.
        indexer.tidy()
        counts = indexer.counts
    if counts.sessions_restored:
        say(f"{plural(counts.sessions_restored, 'session')} that the agents deleted came back from the archive.")
    if counts.files_read or counts.documents_written:
        say(f"{plural(counts.files_read, 'file')} read, {plural(counts.documents_written, 'turn')} indexed for words.")
    left = [*check_index(data), *known_damage(data)]
    for damage in left:
        say(f"damaged: {damage.part}, {damage.path}: {damage.reason}.")
    if left:
        return False
    if removed := remove_broken(before):
        say(f"{size(removed)} of files that were damaged before were removed.")
    if aside := [folder for folder in broken_folders(data) if folder not in before]:
        say(f"The damaged files are in {aside[0].parent} until the next memtui doctor --repair.")
    show("The index is whole." if mended else "Nothing was damaged.")
    return True


def print_damage(found: Sequence[Damage]) -> None:
    """Print damaged parts as JSON, one a line."""
    from memtui.cli.output import print_json

    print_json([damage_object(damage) for damage in found])
