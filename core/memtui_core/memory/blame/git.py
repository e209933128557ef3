"""What git says of a repository: asked by its command, which runs no other program, and has little time.

It only reads, but for notes that the user asks for.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from memtui_core.memory.blame.values import CommitFacts

_SECONDS: Final = 10.0
"""The time after which a command is ended, and says nothing."""
_SECONDS_IN_ALL: Final = 20.0
"""The time of all commands, after which none is run any more."""
NOTES: Final = "memtui"
"""The ref of notes, below `refs/notes/`."""
NoteOutcome = Literal["written", "there", "another", "failed"]
"""there: the note was there already; another: a different one is, which stays; failed: git did not write it."""
_BLOB_FIELDS: Final = 3
_UNCOMMITTED: Final = "0" * 40
_HEAD: Final = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+)")
_HUNK: Final = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_SAFE: Final = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.quotePath=false")
"""Settings of the repository could run programs, and change what is printed."""
_SHORT: Final = 10
"""Characters of an id in a text."""
_DEFAULTS: Final = ("main", "master", "trunk", "develop")
"""What the branch is called to which others are merged."""
_TOPS: Final = ("remotes/origin", "heads")
_PLAIN: Final = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--submodule=short"),
    *("--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"),
)
"""Settings of the user and of the repository change how a patch is written."""
_FILTERS: Final = r"^filter\..*\.(clean|smudge|process|required)$"
"""Settings with programs that change files on their way to and from the disk."""
_LOCAL: Final = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "OBJECT_DIRECTORY", "SHALLOW_FILE", "GRAFT_FILE"),
        *("ALTERNATE_OBJECT_DIRECTORIES", "REPLACE_REF_BASE", "NO_REPLACE_OBJECTS", "CONFIG", "CONFIG_PARAMETERS"),
        *("EXTERNAL_DIFF", "DIFF_OPTS"),
    )
)
"""Variables that name another repository, as in a hook of git, or change what a patch is."""
_NO_OTHERS: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    # Objects that a partial clone lacks are not fetched: that would run `ssh` or a helper.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}


@dataclass(frozen=True, slots=True)
class CommittedLine:
    """The commit that git names for a line."""

    commit: str
    """Its whole id; empty for a line that is not committed."""
    path: str
    """The name of the file in the commit, relative to the top of the repository."""


@dataclass(frozen=True, slots=True)
class CommitChange:
    """Consecutive lines that a commit replaced in a file."""

    path: str
    first: int
    """The number of the first added line."""
    removed: tuple[str, ...]
    added: tuple[str, ...]


class Git:
    """The repository that contains a folder; every answer is empty if there is none, and without git."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = _SECONDS_IN_ALL

    def top(self) -> Path | None:
        """The folder of the repository or worktree."""
        text = self._run("rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
        return Path(text) if text else None

    def blame(self, path: Path) -> dict[int, CommittedLine]:
        """The commits of the lines of a file as it is on the disk, by the numbers of the lines."""
        lines: dict[int, CommittedLine] = {}
        names: dict[str, str] = {}
        commit, number = "", 0
        options = ("blame", "--porcelain", "--no-textconv", "--", str(path))
        for line in self._run(*options, settings=self._no_filters()).split(b"\n"):
            if head := _HEAD.match(line):
                commit, number = head[1].decode(), int(head[2])
            elif line.startswith(b"filename "):
                names[commit] = line[len(b"filename ") :].decode("utf-8", "surrogateescape")
            elif line.startswith(b"\t"):
                lines[number] = CommittedLine(commit if commit != _UNCOMMITTED else "", names.get(commit, ""))
        return lines

    def changes(self, commit: str, path: str = "") -> list[CommitChange]:
        """What a commit changed, beside its first parent; in one file, or in all."""
        options = ("--format=", "-U0", "-m", "--first-parent", "--no-renames", *_PLAIN)
        paths = ("--", f":(top,literal){path}") if path else ()
        text = self._run("show", *options, f"{commit}^{{commit}}", *paths).decode("utf-8", "replace")
        return list(_changes(text))

    def contents(self, commit: str, paths: Sequence[str]) -> dict[str, str]:
        """Files as they were at a commit, by their paths; a path with a newline is left out."""
        asked = [path for path in paths if "\n" not in path]
        names = "".join(f"{commit}:{path}\n" for path in asked).encode("utf-8", "surrogateescape")
        answer, found, at = self._run("cat-file", "--batch", given=names), {}, 0
        for path in asked:
            end = answer.find(b"\n", at)
            head = answer[at:end].split(b" ") if end >= 0 else []
            at = end + 1
            # `<id> blob <size>`, then the content and a newline; else the name and `missing`.
            if len(head) == _BLOB_FIELDS and head[2].isdigit():
                size = int(head[2])
                if head[1] == b"blob":
                    found[path] = answer[at : at + size].decode("utf-8", "replace")
                at += size + 1
        return found

    def facts(self, name: str) -> CommitFacts | None:
        """The commit with a name: an id or its beginning, a branch, a tag, `HEAD~2`. None if there is none."""
        if name.startswith("-"):
            return None
        options = ("-s", "--format=%H%n%cI%n%aI%n%an%n%s", *_PLAIN)
        lines = self._run("show", *options, f"{name}^{{commit}}").decode("utf-8", "replace").split("\n", 4)
        if len(lines) < 5:
            return None
        commit, at, written_at, author, subject = lines
        return CommitFacts(
            commit, subject.rstrip("\n"), datetime.fromisoformat(at), datetime.fromisoformat(written_at), author
        )

    def patch_id(self, commit: str) -> str:
        """What is equal for commits with the same changes, also after a rebase or a cherry-pick; empty for none."""
        options = ("--format=%H", "-m", "--first-parent", *_PLAIN)
        patch = self._run("show", *options, f"{commit}^{{commit}}")
        return self._run("patch-id", "--stable", given=patch).decode().partition(" ")[0] if patch else ""

    def request_commits(self, number: int, branch: str) -> tuple[str, list[str]]:
        """The commits of a pull request, the oldest first, without merges; and what names them.

        That is the commit that merged it; the oldest one whose subject ends with its number, as GitHub names the one
        into which it is squashed; its ref; or its branch, which may have other commits by now. Both are empty if
        nothing does.
        """
        by = f"^Merge pull request #{number} from "
        if merge := self._lines("log", "--all", "--merges", "-1", "--format=%H", "--extended-regexp", f"--grep={by}"):
            return f"merge commit {merge[0][:_SHORT]}", self._between(f"{merge[0]}^1", f"{merge[0]}^2")
        end = f"(#{number})"
        squashed = self._lines("log", "--all", "--no-merges", "--format=%H %s", "--fixed-strings", f"--grep={end}")
        if named := [line.partition(" ")[0] for line in squashed if line.endswith(end)]:
            return f"the subject of {named[-1][:_SHORT]}", named[-1:]
        names = [f"refs/pull/{number}/head", f"refs/remotes/origin/pr/{number}"]
        if branch and branch not in _DEFAULTS:
            names += [f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"]
        tip = next((name for name in names if self._has(name)), "")
        bases = ("refs/remotes/origin/HEAD", *(f"refs/{top}/{name}" for top in _TOPS for name in _DEFAULTS))
        base = next((name for name in bases if self._has(name)), "") if tip else ""
        found = self._between(base, tip) if base else []
        return (f"branch {branch}" if tip.endswith(f"/{branch}") and branch else tip if found else "", found)

    def write_note(self, commit: str, text: str) -> NoteOutcome:
        """Attach a note to a commit, in `refs/notes/memtui`, unless another one is there."""
        notes = ("-c", "core.hooksPath=/dev/null", "notes", f"--ref={NOTES}")
        if there := self._run(*notes, "show", commit).decode("utf-8", "replace"):
            return "there" if there.strip() == text.strip() else "another"
        self._run(*notes, "add", "-F", "-", commit, given=text.encode())
        return "written" if self._run(*notes, "show", commit) else "failed"

    def _between(self, base: str, tip: str) -> list[str]:
        """The commits of a branch, the oldest first, without merges."""
        return self._lines("rev-list", "--reverse", "--no-merges", f"{base}..{tip}", "--")

    def _has(self, ref: str) -> bool:
        return bool(self._run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"))

    def _lines(self, *arguments: str) -> list[str]:
        return self._run(*arguments).decode("utf-8", "replace").splitlines()

    def _no_filters(self) -> dict[str, str]:
        """Settings without the programs through which git reads a file of the disk."""
        names = self._run("config", "--null", "--name-only", "--get-regexp", _FILTERS).decode(
            "utf-8", "surrogateescape"
        )
        return {name: "false" if name.endswith(".required") else "" for name in names.split("\0") if name}

    def _run(self, *arguments: str, given: bytes = b"", settings: Mapping[str, str] | None = None) -> bytes:
        environment = {name: value for name, value in os.environ.items() if name not in _LOCAL} | _NO_OTHERS
        if settings:
            environment |= {"GIT_CONFIG_COUNT": str(len(settings))}
            for number, (name, value) in enumerate(settings.items()):
                environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        if self._left <= 0:
            return b""
        started = time.monotonic()
        try:
            ended = subprocess.run(
                ["git", "--no-pager", *_SAFE, *arguments],
                cwd=self._folder,
                input=given,
                capture_output=True,
                timeout=min(_SECONDS, self._left),
                env=environment,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return b""
        finally:
            self._left -= time.monotonic() - started
        return ended.stdout if ended.returncode == 0 else b""


def _changes(text: str) -> Iterator[CommitChange]:
    """The hunks of a diff without context."""
    path, first = "", 0
    removed: list[str] = []
    added: list[str] = []
    for line in [*text.split("\n"), "diff "]:
        if line.startswith(("diff ", "@@ ")) and (removed or added):
            yield CommitChange(path, first, tuple(removed), tuple(added))
            removed, added = [], []
        if hunk := _HUNK.match(line):
            first = int(hunk[1])
        elif line.startswith("diff "):
            path, first = "", 0
        elif not first and line.startswith("+++ b/"):
            path = line[len("+++ b/") :].removesuffix("\t")
        elif first and line.startswith("-"):
            removed.append(line[1:].removesuffix("\r"))
        elif first and line.startswith("+"):
            added.append(line[1:].removesuffix("\r"))
