"""The sessions and turns behind a commit: whose edits brought its lines, and which session made it.

A session made a commit if git told it so, or told it so of another commit with the same changes, as they are before a
rebase or a cherry-pick (`git patch-id`). The added lines are claimed as those of a file are, for the file as it was at
the commit, so that a squash changes nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memtui_core.errors import NothingSelected
from memtui_core.memory.blame.attribution import attribute
from memtui_core.memory.blame.file_blame import places_of_files, roots_of_repository
from memtui_core.memory.blame.git import CommitChange, Git
from memtui_core.memory.blame.known_edits import read_edits_of_files
from memtui_core.memory.blame.session_commits import commits_of_projects, maker_of
from memtui_core.memory.blame.values import CommitFacts, CommitOrigin, CommitProof, CommitTurn, SessionCommit
from memtui_core.memory.blame.writing_sessions import writing_sessions
from memtui_core.queries.current_project import project_at
from memtui_core.store.snapshot.reader import Snapshot

_MOST_COMMITS: Final = 50
"""Commits of sessions, the newest, that are compared with one that none made by this id."""
_MOST_FILES: Final = 200
"""Files of a commit that are read."""
_Turn = tuple[int, int]
"""The key of a session, and the number of a turn."""


def origin_of_commit(snapshot: Snapshot, folder: Path, name: str) -> CommitOrigin:
    """The turns behind a commit of the repository that contains a folder, by an id or a name that git knows.

    Raises NothingSelected.
    """
    git = Git(folder)
    top, facts = git.top(), git.facts(name)
    if top is None:
        raise NothingSelected(f"{folder} is in no repository of git.")
    if facts is None:
        raise NothingSelected(f"git knows no commit {name} in {top}.")
    changes = git.changes(facts.id)
    brought, files, times = _brought(snapshot, git, top, facts, changes)
    proofs: dict[_Turn, list[CommitProof]] = defaultdict(list)
    made = _maker(snapshot, git, top, facts)
    amended: _Turn | None = None
    if made is not None:
        commit, proof = made
        if commit.amended and proof == "made":
            amended = (commit.session, commit.turn)
        proofs[commit.session, commit.turn].append(proof)
        times.setdefault((commit.session, commit.turn), commit.at)
    for turn in brought:
        proofs[turn].append("wrote")
    sessions = {one.key: one for one in writing_sessions(snapshot, {session for session, _ in proofs})}
    return CommitOrigin(
        facts,
        sum(len(change.added) for change in changes),
        brought.total(),
        tuple(
            CommitTurn(
                sessions[key],
                number,
                times[key, number],
                tuple(own),
                brought[key, number],
                files[key, number],
                (key, number) == amended,
            )
            for (key, number), own in sorted(proofs.items(), key=lambda item: _rank(brought, times, item[0]))
        ),
    )


def _rank(brought: Counter[_Turn], times: Mapping[_Turn, datetime | None], turn: _Turn) -> tuple[int, datetime, _Turn]:
    return -brought[turn], times[turn] or datetime.max.replace(tzinfo=UTC), turn


def _maker(snapshot: Snapshot, git: Git, top: Path, facts: CommitFacts) -> tuple[SessionCommit, CommitProof] | None:
    """The session that made a commit, or one with the same changes."""
    project = project_at(snapshot, top.as_posix())
    root = project.root if project is not None else top.as_posix()
    commits = commits_of_projects(snapshot, roots_of_repository(snapshot, root))
    if (maker := maker_of(commits, facts.id)) is not None:
        return maker, "made"
    patch = git.patch_id(facts.id) if commits else ""
    for commit in reversed(commits[-_MOST_COMMITS:]):
        if patch and git.patch_id(commit.id) == patch:
            return commit, "same changes"
    return None


def _brought(
    snapshot: Snapshot, git: Git, top: Path, facts: CommitFacts, changes: Iterable[CommitChange]
) -> tuple[Counter[_Turn], Mapping[_Turn, tuple[str, ...]], dict[_Turn, datetime | None]]:
    """How many of the added lines each turn brought, in which files, and when."""
    added: dict[str, list[int]] = defaultdict(list)
    for change in changes:
        if change.added:
            added[change.path] += range(change.first - 1, change.first - 1 + len(change.added))
    brought: Counter[_Turn] = Counter()
    files: dict[_Turn, tuple[str, ...]] = defaultdict(tuple)
    times: dict[_Turn, datetime | None] = {}
    paths = list(added)[:_MOST_FILES]
    known = read_edits_of_files(snapshot, places_of_files(snapshot, [top / path for path in paths]))
    before = [[edit for edit in edits if edit.at is None or edit.at <= facts.at] for edits in known]
    edited = {path: edits for path, edits in zip(paths, before, strict=True) if edits}
    for path, content in git.contents(facts.id, list(edited)).items():
        edits, numbers = edited[path], added[path]
        found = attribute([edit.event for edit in edits], content)
        for index in (found[number] for number in numbers if number < len(found)):
            if index is not None:
                turn = (edits[index].session, edits[index].turn)
                brought[turn] += 1
                times[turn] = edits[index].at
                files[turn] = tuple(dict.fromkeys((*files[turn], path)))
    return brought, files, times
