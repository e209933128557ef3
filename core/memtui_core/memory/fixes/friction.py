"""What costs sessions time again and again: errors that come back, commands that fail first, files, rejected tools."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from memtui_core.compaction.facts.commands import command_key
from memtui_core.memory.fixes.changes import ChangesBetween, changes_of
from memtui_core.queries.activity.episodes import IN_ORDER, RUNS, Run, as_runs, can_fail_from, episodes
from memtui_core.queries.turns import blocks_of_turns
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import label
from memtui_core.tools.pairing import paired

FrictionKind = Literal["error", "command", "file", "denied"]
"""error: an error that came back; command: one whose first run failed in most sessions; file: a file that was edited
again and again between failures; denied: a tool or command that the user always rejected."""
KINDS: Final[tuple[FrictionKind, ...]] = ("error", "command", "file", "denied")
_FEWEST_SESSIONS: Final = 2
_FEWEST_TIMES: Final = 3
_MOST_FAIL: Final = 0.75
"""The share of sessions in which the first run of a command fails, from which on it is said to fail first."""
_MOST_TURNS: Final = 1000
"""Turns that are read to see whether a rejected command ran at another time."""
_FEWEST_ROUNDS: Final = 3
"""How often a file is edited in a session after a failure that came after an earlier edit of it."""


@dataclass(frozen=True, slots=True)
class Friction:
    """Something that costs sessions of a project time again and again."""

    kind: FrictionKind
    project: str
    """The name of the project."""
    root: str
    """The folder of the project; empty if it has none."""
    name: str
    """The command, the file or the tool; of an error the command or tool that had it."""
    text: str
    """The error; what the user said last on rejecting a tool; empty if there is nothing."""
    times: int
    """How often it came up; of a command the sessions in which it failed first, of a file the edits after failures."""
    sessions: tuple[str, ...]
    """The ids of the sessions with it, the newest first."""
    turn: int
    """A turn of the first of these sessions, where it came up."""
    of_sessions: int = 0
    """Of a command the sessions that ran it; otherwise 0."""
    advice: str = ""
    """A line for the file with the instructions of the project, if one follows; otherwise empty."""


class _Work:
    """What the sessions of a project ran, by their keys."""

    def __init__(
        self, snapshot: Snapshot, project: tuple[str, str], runs: dict[int, list[Run]], ids: dict[int, str]
    ) -> None:
        self.snapshot = snapshot
        self.root, self.project = project
        self.runs = runs
        self.passing = {run.name for own in runs.values() for run in own if run.kind == "pass"}
        """The commands that passed at some time: all else is a tool, or never worked."""
        self._ids = ids

    def friction(self, kind: FrictionKind, name: str, text: str, runs: Sequence[Run], times: int = 0) -> Friction:
        """Friction of some runs, in the order of time."""
        last = runs[-1]
        sessions = tuple(dict.fromkeys(self._ids[run.session] for run in reversed(runs)))
        return Friction(kind, self.project, self.root, name, text, times or len(runs), sessions, last.number)


def read_friction(snapshot: Snapshot, root: str | None = None, since: datetime | None = None) -> list[Friction]:
    """The friction of a project, or of all, since a time: by project and kind, what most sessions had first."""
    ids: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for key, own, of_root, name in snapshot.rows(
        "SELECT key, session_id, root, project FROM sessions WHERE NOT hidden AND (? IS NULL OR root = ?)"
        " AND root IN (SELECT s.root FROM sessions s JOIN facts f ON f.session = s.key"
        " WHERE f.kind IN ('failure', 'denied'))",
        [root, root],
    ):
        ids[of_root, label(name)][key] = own
    found: list[Friction] = []
    for of, own_ids in ids.items():
        work = _Work(snapshot, of, _runs(snapshot, own_ids, since), own_ids)
        found += [*_errors(work), *_first_failures(work), *_files(work), *_denied(work)]
    return sorted(found, key=lambda one: (one.root, KINDS.index(one.kind), -len(one.sessions), -one.times, one.name))


def _runs(snapshot: Snapshot, sessions: Collection[int], since: datetime | None) -> dict[int, list[Run]]:
    """The runs of some sessions, by their keys."""
    from_then = None if since is None else since.astimezone(UTC).replace(tzinfo=None)
    rows = snapshot.rows(
        f"{RUNS} AND {key_condition('f.session', sessions)} AND (? IS NULL OR t.started_at >= ?) {IN_ORDER}",
        [from_then, from_then],
    )
    runs: dict[int, list[Run]] = defaultdict(list)
    for run in as_runs(rows):
        runs[run.session].append(run)
    return runs


def _errors(work: _Work) -> Iterator[Friction]:
    by_error: dict[int, list[Run]] = defaultdict(list)
    for run in _in_time(work):
        if run.kind == "failure" and run.key:
            by_error[run.key].append(run)
    for runs in by_error.values():
        if len(runs) >= _FEWEST_TIMES or len({run.session for run in runs}) >= _FEWEST_SESSIONS:
            yield work.friction("error", runs[-1].name, runs[-1].text, runs)


def _first_failures(work: _Work) -> Iterator[Friction]:
    first: dict[str, list[tuple[Run, list[Run]]]] = defaultdict(list)
    for runs in work.runs.values():
        seen: set[str] = set()
        for run in runs:
            if run.kind in {"failure", "pass"} and run.name not in seen:
                seen.add(run.name)
                first[run.name].append((run, runs))
    for name, firsts in first.items():
        if name not in work.passing:
            continue
        failed = sorted((run for run, _ in firsts if run.kind == "failure"), key=_time)
        if len(failed) < _FEWEST_SESSIONS or len(failed) < _MOST_FAIL * len(firsts):
            continue
        one = work.friction("command", name, failed[-1].text, failed)
        in_time = sorted((first for first in firsts if first[0].kind == "failure"), key=lambda first: _time(first[0]))
        yield replace(one, of_sessions=len(firsts), advice=_instead(work, in_time))


def _instead(work: _Work, failed: Sequence[tuple[Run, list[Run]]]) -> str:
    """What to run instead: the form in which the command passed later, though nothing was changed, in all sessions."""
    forms: set[str] = set()
    for run, runs in failed:
        episode = next((one for one in episodes(runs, {run.key}) if one.first == run), None)
        changes = changes_of(work.snapshot, episode) if episode is not None else ChangesBetween()
        if not changes.is_all or changes.made or not changes.run_as:
            return ""
        forms.add(changes.run_as)
    return f"Run `{forms.pop()}`, not `{failed[-1][0].name}`." if len(forms) == 1 else ""


def _files(work: _Work) -> Iterator[Friction]:
    """The files that were edited again after a failure that can come from them."""
    again: dict[str, list[Run]] = defaultdict(list)
    for runs in work.runs.values():
        failed: list[Run] = []
        at_edit: dict[str, int] = {}
        rounds: dict[str, list[Run]] = defaultdict(list)
        for run in runs:
            if run.kind == "failure" and run.name in work.passing:
                failed.append(run)
            elif run.kind == "edit" and run.name:
                since = at_edit.get(run.name, len(failed))
                if any(can_fail_from(run.name, one) for one in failed[since:]):
                    rounds[run.name].append(run)
                at_edit[run.name] = len(failed)
        for path, own in rounds.items():
            if len(own) >= _FEWEST_ROUNDS:
                again[path] += own
    for path, runs in again.items():
        yield work.friction("file", path, "", sorted(runs, key=_time))


def _denied(work: _Work) -> Iterator[Friction]:
    by_name: dict[str, list[Run]] = defaultdict(list)
    for run in _in_time(work):
        by_name[run.name].append(run)
    for name, runs in by_name.items():
        if len(runs) < _FEWEST_SESSIONS or any(run.kind != "denied" for run in runs):
            continue
        if _uses(work, name) <= len(runs):
            said = next((run.text for run in reversed(runs) if run.text), "")
            one = work.friction("denied", name, said, runs)
            yield replace(one, advice=f"Do not use {name}: it was rejected every time.")


def _uses(work: _Work, name: str) -> float:
    """How often the sessions of a project called a tool or a command; infinite if that takes too long to find out."""
    of_project = "FROM blocks b JOIN turns t ON t.id = b.turn JOIN sessions s ON s.key = t.session"
    of_project += " WHERE b.kind = 'tool_call' AND s.root = ? AND NOT s.hidden"
    [(of_tool,)] = work.snapshot.rows(f"SELECT count(*) {of_project} AND b.tool = ?", [work.root, name])
    if of_tool:
        return float(of_tool)
    # A command of which it is not known how it ended has no fact.
    program = name.rpartition(" && ")[2].partition(" ")[0]
    turns = work.snapshot.rows(
        f"SELECT DISTINCT b.turn {of_project} AND contains(b.text, ?) LIMIT {_MOST_TURNS + 1}", [work.root, program]
    )
    if len(turns) > _MOST_TURNS:
        return math.inf
    blocks = blocks_of_turns(work.snapshot, [turn for (turn,) in turns])
    return sum(command_key(call).startswith(name) for own in blocks.values() for call in paired(own))


def _in_time(work: _Work) -> list[Run]:
    return sorted((run for runs in work.runs.values() for run in runs), key=_time)


def _time(run: Run) -> tuple[float, int, int]:
    return (run.at.timestamp() if run.at is not None else 0.0, *run.place)
