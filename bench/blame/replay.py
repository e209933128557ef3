"""Files as the edits of real sessions made them, with the turn that is known to have written each line.

The edits are applied one after another at the line numbers of their patches, which what is measured does not do: it
searches for their texts from the newest edit to the oldest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.memory.blame.attribution import EditPlace, Event, KnownChange, lines_of_file
from memtui_core.memory.blame.known_edits import FilePlace, KnownEdit, read_known_edits

Owner = tuple[int, int]
"""The key of a session, and the number of a turn."""


@dataclass(slots=True)
class TrueLine:
    """A line of a file, and the turn that wrote it; None for a person, a program or what was there before."""

    text: str | None
    """None if no edit showed it."""
    owner: Owner | None = None
    is_moved: bool = False
    """Whether somebody moved or indented it afterwards: it need not be claimed."""


@dataclass(frozen=True, slots=True)
class ReplayedFile:
    """A file at the end of all edits that are known of it."""

    path: str
    agents: dict[int, str]
    """The agents of the sessions, by their keys."""
    edits: list[KnownEdit]
    lines: list[TrueLine]

    @property
    def events(self) -> list[Event]:
        """The edits and reads, as they are looked for."""
        return [edit.event for edit in self.edits]


class _Unclear(Exception):
    """It is not clear where an edit was made."""


def replayed_files(data_dir: Path) -> Iterator[ReplayedFile]:
    """The files of an index of which every known edit has its place."""
    index = Index.open(data_dir)
    agents = dict(index.snapshot.rows("SELECT key, agent FROM sessions", []))
    files = index.snapshot.rows(
        "SELECT DISTINCT s.root, m.path FROM file_mentions m JOIN sessions s ON s.key = m.session"
        " WHERE m.kind = 'edited' AND NOT m.is_dir AND NOT s.hidden ORDER BY ALL",
        [],
    )
    for root, path in files:
        copy = path if path.startswith("/") else f"{root}/{path}"
        edits = [_at_one_place(edit) for edit in read_known_edits(index.snapshot, FilePlace((root,), path, (copy,)))]
        try:
            lines = _lines(edits)
        except _Unclear:
            continue
        if any(line.owner for line in lines):
            yield ReplayedFile(path, agents, edits, lines)


def _at_one_place(edit: KnownEdit) -> KnownEdit:
    """An edit of a copy as one of the file."""
    event = edit.event
    return replace(edit, event=replace(event, is_elsewhere=False)) if isinstance(event, KnownChange) else edit


def _lines(edits: Sequence[KnownEdit]) -> list[TrueLine]:
    lines: list[TrueLine] = []
    for edit in edits:
        if not isinstance(edit.event, KnownChange):
            continue
        owner = (edit.session, edit.turn)
        if edit.event.removes:
            lines = []
        elif edit.event.whole is not None:
            lines = _rewritten(lines, edit.event.whole, owner)
        else:
            for place in edit.event.places:
                _apply(lines, place, owner)
    return lines


def _rewritten(lines: list[TrueLine], content: str, owner: Owner) -> list[TrueLine]:
    if any(line.text is None for line in lines):
        raise _Unclear
    new = [TrueLine(text, owner) for text in lines_of_file(content)]
    before = [line.text for line in lines]
    for block in SequenceMatcher(None, before, [line.text for line in new], False).get_matching_blocks():
        new[block.b : block.b + block.size] = lines[block.a : block.a + block.size]
    return new


def _apply(lines: list[TrueLine], place: EditPlace, owner: Owner) -> None:
    old, new = (text.split("\n") if text else [] for text in (place.old, place.new))
    first = place.line - 1 if place.line is not None else _found(lines, place)
    while len(lines) < first + len(old):
        lines.append(TrueLine(None))
    known = lines[first : first + len(old)]
    for line, text in zip(known, old, strict=True):
        if line.text is None:
            line.text = text
        elif _expanded(line.text) != _expanded(text):
            # Somebody has changed the file in between, so that the numbers of lines say nothing about what is known.
            raise _Unclear
    after = [TrueLine(text, owner) for text in new]
    for i, j in _kept(place, old, new):
        after[j] = known[i]
    lines[first : first + len(old)] = after


def _kept(place: EditPlace, old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    if place.kept is not None:
        yield from place.kept
        return
    for block in SequenceMatcher(None, old, new, False).get_matching_blocks():
        yield from ((block.a + at, block.b + at) for at in range(block.size))


def _found(lines: list[TrueLine], place: EditPlace) -> int:
    """The index of the only line at which the old text of a place begins, which must be of whole lines."""
    texts = [line.text for line in lines]
    old = place.old.split("\n")
    found = [at for at in range(len(texts) - len(old) + 1) if texts[at : at + len(old)] == old]
    if not place.old or len(found) != 1:
        raise _Unclear
    return found[0]


def _expanded(text: str) -> str:
    return text.replace("\t", "  ").rstrip()
