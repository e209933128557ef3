"""Lines that no edit shows as they are, but that a commit of a session brought, or one that did what a session did.

git names the commit of each line. A session made the commit if git told it so, in the output of `git commit`. Other
commits count for a line if they replaced what an edit of a session replaced, by the same text but for blanks, commas,
semicolons, parentheses and the kind of quotes: that is what a formatter leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memtui_core.memory.blame.attribution import EditPlace, KnownChange, tells
from memtui_core.memory.blame.git import CommitChange, Git
from memtui_core.memory.blame.known_edits import KnownEdit
from memtui_core.memory.blame.session_commits import commits_of_projects, maker_of
from memtui_core.memory.blame.values import SessionCommit
from memtui_core.store.snapshot.reader import Snapshot

_MOST_COMMITS: Final = 40
"""Commits of which the changes are read."""
_LEAST: Final = 24
"""Letters and digits of a text that is recognized although its blanks have changed."""


@dataclass(frozen=True, slots=True)
class CommittedBy:
    """What proves that a session committed a line: its own commit, or an edit that does the same as a commit."""

    commit: str
    """The id of the commit that git names for the line."""
    source: SessionCommit | KnownEdit


def committed_lines(
    snapshot: Snapshot, roots: Sequence[str], path: Path, open_lines: Iterable[int], edits: Sequence[KnownEdit]
) -> dict[int, CommittedBy]:
    """Which of some lines of a file, by their numbers, a session committed."""
    git = Git(path.absolute().parent)
    blamed = git.blame(path.absolute())
    named = {number: blamed[number] for number in open_lines if number in blamed and blamed[number].commit}
    if not named:
        return {}
    commits = commits_of_projects(snapshot, roots)
    made = {line.commit: maker_of(commits, line.commit) for line in named.values()}
    found = {
        number: CommittedBy(line.commit, maker)
        for number, line in named.items()
        if (maker := made[line.commit]) is not None
    }
    others = list(dict.fromkeys((line.commit, line.path) for line in named.values() if made[line.commit] is None))
    replaced = {other: _same_changes(git.changes(*other), edits) for other in others[:_MOST_COMMITS]}
    texts = path.read_bytes().decode("utf-8", "replace").split("\n")
    for number, line in named.items():
        edit = replaced.get((line.commit, line.path), {}).get(texts[number - 1].removesuffix("\r"))
        if number not in found and edit is not None:
            found[number] = CommittedBy(line.commit, edit)
    return found


def _same_changes(changes: Sequence[CommitChange], edits: Sequence[KnownEdit]) -> dict[str, KnownEdit]:
    """The lines that a commit added where an edit replaced the same text by the same but for blanks."""
    places: dict[tuple[str, str], KnownEdit] = {}
    for edit in edits:
        for place in edit.event.places if isinstance(edit.event, KnownChange) else ():
            places[_changed(place)] = edit
    found: dict[str, KnownEdit] = {}
    for change in changes:
        removed, added = _core(change.removed), _core(change.added)
        own = places.get((removed, added))
        if own is not None and len(added) >= _LEAST and len(removed) >= _LEAST:
            found |= {line: own for line in change.added if tells(line)}
    return found


def _changed(place: EditPlace) -> tuple[str, str]:
    """What a place removes and adds, without what both have at their ends, in the form in which it is compared."""
    old, new = place.old.split("\n"), place.new.split("\n")
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    end = next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)
    return _core(old[start : len(old) - end]), _core(new[start : len(new) - end])


def _core(lines: Iterable[str]) -> str:
    """The text of lines without what formatters change: blanks, commas, semicolons, parentheses, kinds of quotes."""
    text = "".join(lines).replace("'", '"')
    return "".join(character for character in text if not character.isspace() and character not in ",;()")
