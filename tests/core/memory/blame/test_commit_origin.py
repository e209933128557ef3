"""The turns behind a commit, by real histories of git."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.errors import NothingSelected
from memtui_core.index.index import Index
from support.repositories import Repository
from support.transcripts import OTHER_SESSION

LOADER = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
SAVER = "def save(path, text):\n    with open(path, 'w') as file:\n        file.write(text)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    repository.write("README.md", "# Shop\n")
    repository.commit("Begin")
    return repository


def committed(repository: Repository) -> Index:
    """The index of two sessions: one wrote a file and committed it, the other a second one, with a line by hand."""
    first = repository.session().writes("load.py", LOADER)
    repository.write("load.py", LOADER)
    first.turn().runs("git add -A; git commit -m 'Load files'", result=repository.commit("Load files"))
    second = repository.session(OTHER_SESSION, day=1).writes("save.py", SAVER)
    repository.write("save.py", f"{SAVER}# by hand\n")
    repository.commit("Save files")
    return repository.index(first, second)


def behind(index: Index, repository: Repository, name: str = "HEAD") -> list[tuple[str, tuple[str, ...], int]]:
    """The turns behind a commit, with proofs and lines."""
    turns = index.files.commit(name, repository.root).turns
    return [(f"{turn.session.session_id[0]}:{turn.turn}", turn.proofs, turn.lines) for turn in turns]


def test_who_wrote_the_lines_and_who_made_the_commit(repository: Repository) -> None:
    index = committed(repository)
    assert behind(index, repository, "HEAD~1") == [("1:1", ("wrote",), 3), ("1:2", ("made",), 0)]
    origin = index.files.commit("HEAD", repository.root)
    assert (origin.facts.subject, origin.added, origin.claimed) == ("Save files", 4, 3)
    assert [(turn.session.title, turn.files, turn.proofs) for turn in origin.turns] == [
        ("go on", ("save.py",), ("wrote",))
    ]
    assert behind(index, repository, "HEAD~2") == []


def test_after_a_squash_the_lines_tell(repository: Repository) -> None:
    index = committed(repository)
    repository.git("reset", "-q", "--soft", "HEAD~2")
    repository.commit("Files")
    assert behind(index, repository) == [("1:1", ("wrote",), 3), ("2:1", ("wrote",), 3)]


def test_after_a_rebase_or_a_cherry_pick_the_same_changes_tell(repository: Repository) -> None:
    index = committed(repository)
    repository.git("checkout", "-q", "-b", "other", "main~2")
    repository.write("README.md", "# Another shop\n")
    repository.commit("Rename it")
    repository.git("cherry-pick", "main~1")
    assert behind(index, repository) == [("1:1", ("wrote",), 3), ("1:2", ("same changes",), 0)]
    repository.git("rebase", "-q", "--onto", "other", "main~1", "main")
    assert behind(index, repository, "main") == [("2:1", ("wrote",), 3)]


def test_an_edit_after_the_commit_is_not_behind_it(repository: Repository) -> None:
    repository.write("load.py", LOADER)
    repository.commit("By hand")
    later = repository.session(day=10_000).writes("load.py", LOADER)
    assert behind(repository.index(later), repository) == []


def test_what_is_no_commit_is_named(repository: Repository, tmp_path: Path) -> None:
    index = repository.index(repository.session().writes("load.py", LOADER))
    for name in ("1234567", "--all", "main:README.md"):
        with pytest.raises(NothingSelected, match=f"git knows no commit {name} in "):
            index.files.commit(name, repository.root)
    with pytest.raises(NothingSelected, match="is in no repository of git"):
        index.files.commit("HEAD", tmp_path)
