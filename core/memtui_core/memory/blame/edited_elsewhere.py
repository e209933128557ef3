"""Folders in which sessions edited a file of the same name and text, though they may be of another repository.

They claim no line: they say why a file has none that is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from memtui_core.memory.blame.attribution import Event, KnownChange, lines_of_file, tells
from memtui_core.memory.blame.file_blame import places_of_files, text_of_file
from memtui_core.memory.blame.git import Git
from memtui_core.memory.blame.known_edits import FilePlace, read_edits_of_files
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.machine_folders import machine_of
from memtui_core.text.paths import clean

_MOST_PLACES: Final = 5
"""Folders whose edits are read, the last edited first."""
_FEWEST_LINES: Final = 3
"""Different lines that both files have, if the file has as many: one, such as an import, many files of a name have."""


def folders_with_such_edits(snapshot: Snapshot, path: Path) -> list[str]:
    """Roots of projects outside of its repository in which sessions edited such a file; the last edited first.

    The path of such a file ends with that of this one in its repository, and edits of it have lines of this one that
    tell more than a bracket does. Raises SourceUnreadable.
    """
    [place] = places_of_files(snapshot, [path])
    whole = clean(str(path.absolute()))
    top = Git(path.absolute().parent).top()
    below = clean(str(path.resolve())).removeprefix(f"{clean(str(top))}/") if top is not None else ""
    # Without a repository nothing tells where the path of the file in it begins.
    same = "m.path = ? OR ends_with(m.path, '/' || ?)" if below else "ends_with(?, '/' || m.path) AND ? = ''"
    own = [*place.roots, *(copy.removesuffix(f"/{place.path}") for copy in place.copies)]
    rows = snapshot.rows(
        "SELECT s.root, m.path FROM file_mentions m JOIN sessions s ON s.key = m.session"
        " JOIN turns t ON t.id = m.turn WHERE m.kind = 'edited' AND NOT m.is_dir AND NOT s.hidden AND s.root <> ''"
        f" AND NOT list_contains(?, s.root) AND NOT starts_with(m.path, '/') AND ({same})"
        f" GROUP BY ALL ORDER BY max(credible(t.started_at)) DESC NULLS LAST, s.root LIMIT {_MOST_PLACES}",
        [own, below or whole, below],
    )
    if not (found := [(root, name) for root, name in rows if not machine_of(root)]):
        return []
    lines = {line.strip() for line in lines_of_file(text_of_file(path)) if tells(line)}
    edits = read_edits_of_files(snapshot, [FilePlace((root,), name, (f"{root}/{name}",)) for root, name in found])
    return list(
        dict.fromkeys(
            root
            for (root, _), known in zip(found, edits, strict=True)
            if len(lines.intersection(_written(edit.event for edit in known))) >= min(len(lines), _FEWEST_LINES) > 0
        )
    )


def _written(events: Iterable[Event]) -> Iterator[str]:
    """The lines that edits have in their new text, without blanks around them."""
    for event in events:
        if isinstance(event, KnownChange):
            for text in (event.whole or "", *(place.new for place in event.places)):
                yield from map(str.strip, text.split("\n"))
