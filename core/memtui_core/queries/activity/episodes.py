"""From a failure to the first pass of the same command, in one session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_core.tools.shell.checks import checks_of, is_document, kind_of_check

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime
    from typing import Any

RUNS: Final = (
    "SELECT t.number, f.seq, f.kind, f.name, f.number, f.text, f.turn, f.session, t.started_at FROM facts f"
    " JOIN turns t ON t.id = f.turn WHERE f.kind IN ('failure', 'pass', 'edit', 'denied')"
)
"""The columns of a `Run`, to which conditions can be added."""
IN_ORDER: Final = "ORDER BY f.session, t.number, f.seq"
_FOLDER: Final = "cd "
_CUT: Final = "…"
"""Stands in the name of a command for further files: two of them may be run on others."""
_HISTORY: Final = ("git add", "git commit", "git push", "git fetch", "git tag", "gh ", "glab ")
"""Commands that keep and share changes, and change no file."""
_OF_OTHERS: Final = ("git pull", "git merge", "git rebase")
"""Commands that bring changes which the session has not made."""
_REWRITES: Final = ("--fix", "--write", "--apply", "--autocorrect", "--auto-correct", "--update", "--snapshot-update")
"""Beginnings of the options with which a check changes what it checks."""
_INSTALL: Final = {("npm", "ci"), ("bun", "ci")}
_OF_REPOSITORY: Final = ("git push", "git pull", "git fetch", "git clone", "git switch", "git checkout", "gh ", "glab ")
"""Commands that no change of files mends, unless their error names the file."""
_OUTSIDE: Final = re.compile(
    r"\b(?:download|network|connect(?:ion)?|resolve host|name resolution|timed? ?out|socket|ECONN\w+|ENOTFOUND"
    r"|ETIMEDOUT|permission denied|not permitted|EACCES|EPERM|unauthorized|forbidden|rate limit"
    r"|status(?: code)? [45]\d\d|No space left)\b|\.lock\b",
    re.IGNORECASE,
)
"""Errors of the network and the machine."""


class Run(NamedTuple):
    """A call that failed or was rejected, a command that passed, or an edit of a file."""

    number: int
    """The number of the turn."""
    seq: int
    """`Block.seq` of the call."""
    kind: str
    """`failure`, `pass`, `edit` or `denied`."""
    name: str
    """The command, see `command_key`, or the tool; of an edit the file."""
    key: int
    """The signature of the error; 0 if there is none."""
    text: str
    """The error, or what the user said on rejecting the call; empty if there is none."""
    turn: int
    """The id of the turn."""
    session: int
    at: datetime | None
    """When the turn began, in UTC without a time zone."""

    @property
    def place(self) -> tuple[int, int]:
        """Where it is in the session."""
        return self.number, self.seq


class Episode(NamedTuple):
    """The same error of the same command, once or again and again, until the command passed."""

    first: Run
    last: Run
    times: int
    gone: Run | None
    """The first run of the command after `last`, which passed or had another error; None if there is none."""
    passed: Run | None
    """The first one that passed."""


def same_command(passed: str, failed: str) -> bool:
    """Whether a command that passed shows that one that failed would pass: it has all of its programs.

    A check without files covers one with files: `pytest` passes only if `pytest tests/test_cart.py` does.
    """
    if passed == failed and _CUT not in failed:
        return True
    (folder, done), (other, needed) = _parts(passed), _parts(failed)
    return folder == other and bool(needed) and all(any(_covers(one, part) for one in done) for part in needed)


def episodes(runs: Iterable[Run], keys: Collection[int] | None = None) -> list[Episode]:
    """The episodes of one session with some errors, or with any, from its runs in their order."""
    chains: dict[tuple[str, int], Episode] = {}
    ended: list[Episode] = []
    for run in runs:
        if run.kind not in {"failure", "pass"}:
            continue
        for own, chain in list(chains.items()):
            if own == (run.name, run.key) or not same_command(run.name, chain.first.name):
                continue
            if run.kind == "pass":
                ended.append(chain._replace(gone=chain.gone or run, passed=run))
                del chains[own]
            elif run.key and chain.gone is None:
                chains[own] = chain._replace(gone=run)
        if run.kind == "failure" and run.key and (keys is None or run.key in keys):
            chain = chains.get((run.name, run.key), Episode(run, run, 0, None, None))
            chains[run.name, run.key] = chain._replace(last=run, times=chain.times + 1, gone=None)
    return sorted((*ended, *chains.values()), key=lambda episode: episode.first.place)


def acts(name: str) -> bool:
    """Whether a command may change what another one finds: not if all its programs check, or keep changes.

    A check that rewrites files does: `eslint --fix`.
    """
    return bool(acting_parts(name))


def acting_parts(name: str) -> set[str]:
    """The programs of a command that may change something, see `acts`."""
    return {part for part in name.split(" && ") if _acts(part)}


def brings_changes(name: str) -> bool:
    """Whether a command brings changes from elsewhere, of which the session does not tell what they are."""
    return any(part.startswith(_OF_OTHERS) for part in name.split(" && "))


def rewrites(check: Sequence[str]) -> bool:
    """Whether a check, by its words, changes files: a linter, a test with snapshots, or `npm ci`, which installs."""
    if tuple(check[:2]) in _INSTALL:
        return True
    return check[0] != "git" and any(word.startswith(_REWRITES) or word in {"-u", "-w"} for word in check)


def can_fail_from(path: str, failed: Run) -> bool:
    """Whether a failure can come from a file: not from plans and documents, unless its command or error names them."""
    return not is_document(path) or file_name(path) in f"{failed.name}\n{failed.text}"


def file_name(path: str) -> str:
    """The last part of a path, of Windows too."""
    return path.replace("\\", "/").rpartition("/")[2]


def is_of_project(failed: Run) -> bool:
    """Whether a change of the project can mend an error: it is not of the network, the machine or the server."""
    return not (
        any(part.startswith(_OF_REPOSITORY) for part in failed.name.split(" && ")) or _OUTSIDE.search(failed.text)
    )


def as_runs(rows: Sequence[tuple[Any, ...]]) -> list[Run]:
    """The runs of rows of RUNS."""
    return [Run(*row) for row in rows]


def _acts(part: str) -> bool:
    return not part.startswith((_FOLDER, *_HISTORY, *_OF_OTHERS)) and all(map(rewrites, checks_of([part.split()])))


def _parts(name: str) -> tuple[str, list[str]]:
    """The folder of a command, and its programs."""
    parts = name.split(" && ")
    return (parts[0], parts[1:]) if parts[0].startswith(_FOLDER) else ("", parts)


def _covers(passed: str, failed: str) -> bool:
    if passed == failed:
        return _CUT not in failed
    words = passed.split()
    if words[0] == "git" or not failed.startswith(f"{passed} ") or not any(checks_of([words])):
        return False
    # It is a check of everything if nothing follows the program and its subcommand.
    named = [word for word in words if not word.startswith("-")]
    return kind_of_check(words).split()[-1] in (named[-1], words[-1])
