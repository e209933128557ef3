"""Real edits in histories of git: all of a project squashed into one commit, with lines by hand, and cherry-picked.

The transcripts of a project are indexed again, with the folder of a new repository in the place of its root and its
worktrees.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.blame.replay import Owner, ReplayedFile, TrueLine, replayed_files
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location


@dataclass(frozen=True, slots=True)
class CommitRow:
    """Lines of a commit that were claimed for turns."""

    project: str
    commit: str
    """squashed or cherry-picked."""
    files: int
    written: int
    """The lines that agents wrote."""
    claimed: int
    right: int
    """The claimed lines, by how many each turn really wrote."""


def commit_rows(data_dir: Path) -> Iterator[CommitRow]:
    """A row for each project of an index whose transcripts are lines of JSON, and for each commit."""
    index = Index.open(data_dir)
    rows = index.snapshot.rows(
        "SELECT DISTINCT s.root, coalesce(s.worktree, s.root), s.agent, f.path FROM sources f"
        " JOIN sessions s ON s.key = f.session"
        " WHERE starts_with(s.root, '/') AND ends_with(f.path, '.jsonl') ORDER BY ALL",
        [],
    )
    for root in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == root]
        folders = {root, *(worktree for _, worktree, _, _ in own)}
        with tempfile.TemporaryDirectory() as folder:
            yield from _of_project(Path(folder), root, folders, [(agent, path) for _, _, agent, path in own])


def _of_project(folder: Path, root: str, folders: set[str], sources: list[tuple[str, str]]) -> Iterator[CommitRow]:
    repository = folder / "repository"
    repository.mkdir()
    _git(repository, "init", "-q", "-b", "main")
    for number, (agent, path) in enumerate(sources):
        copy = folder / "sources" / agent / str(number) / Path(path).name
        copy.parent.mkdir(parents=True)
        text = Path(path).read_bytes()
        for own in sorted(folders, key=len, reverse=True):
            text = text.replace(own.encode(), str(repository).encode())
        copy.write_bytes(text)
    with Indexer(folder / "data") as indexer:
        agents = dict.fromkeys(agent for agent, _ in sources)
        for _ in indexer.update([Location(agent, folder / "sources" / agent) for agent in agents]):
            pass
    files = [file for file in replayed_files(folder / "data") if not file.path.startswith(("/", "@", "~"))]
    if not files:
        return
    written = _commit_all(repository, files)
    index = Index.open(folder / "data")
    for name, commit in {"squashed": "main", "cherry-picked": "other"}.items():
        turns = index.files.commit(commit, repository).turns
        found = Counter({(turn.session.key, turn.turn): turn.lines for turn in turns})
        yield CommitRow(Path(root).name, name, len(files), written.total(), found.total(), (found & written).total())
    index.close()


def _commit_all(repository: Path, files: list[ReplayedFile]) -> Counter[Owner]:
    """Commit what was there before, then everything at once on `main`, and the same on `other`; who wrote it."""
    random = Random(1)
    for file in files:
        _write(repository / file.path, [line for line in file.lines if line.owner is None])
    _write(repository / "unrelated", [TrueLine("before")])
    _commit(repository)
    for file in files:
        by_hand = (TrueLine(f"by hand {random.random()}") for _ in file.lines)
        lines = [one for pair in zip(file.lines, by_hand, strict=True) for one in pair]
        _write(repository / file.path, [line for at, line in enumerate(lines) if not at % 2 or random.random() < 0.05])
    _commit(repository)
    _git(repository, "checkout", "-q", "-b", "other", "HEAD~1")
    _write(repository / "unrelated", [TrueLine("after")])
    _commit(repository)
    _git(repository, "cherry-pick", "main")
    return Counter(line.owner for file in files for line in file.lines if line.owner is not None)


def _write(path: Path, lines: list[TrueLine]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{f'never seen {id(line)}' if line.text is None else line.text}\n" for line in lines))


def _commit(repository: Path) -> None:
    _git(repository, "add", "-A", "-f")
    _git(repository, "commit", "-q", "-m", "All of it")


def _git(repository: Path, *arguments: str) -> None:
    identity = {
        f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    command = ["git", "-C", str(repository), *arguments]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | identity)
