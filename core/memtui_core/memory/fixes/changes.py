"""What was done in a session between the last time that an error came up and the first run without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memtui_core.compaction.facts.commands import command_key, only_shows, shows
from memtui_core.ingest.turns.run_facts import HIDING, edited_paths
from memtui_core.memory.blame.reasons import edit_hunks
from memtui_core.queries.activity.episodes import Episode, Run, acts, file_name, is_of_project, rewrites, same_command
from memtui_core.queries.file_history.hunks import DiffHunk
from memtui_core.queries.turns import read_blocks
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.shell.checks import checks_of
from memtui_core.tools.shell.files import writes_in_place
from memtui_core.tools.shell.looks import command_line
from memtui_core.tools.shell.programs import LOOKS

_MOST_TURNS: Final = 60
"""Turns between both that are read; after more, nobody can say what mended it."""
_RECOGNIZED: Final = 60
"""Characters by which the line of an error is found again."""
_LINES_NEAR: Final = 4
_QUOTED: Final = re.compile(r"[`'\"‘“]([A-Za-z_]\w{2,})['`\"’”]")
_NAME: Final = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True, slots=True)
class MendingChange:
    """An edit, or a command that did something: an installation, for example."""

    turn: int
    """The number of the turn."""
    seq: int
    """`Block.seq` of its call."""
    path: str = ""
    """The file that was edited, as the agent wrote it; empty for a command."""
    command: str = ""
    """The first line of the command; empty for an edit."""
    hunks: tuple[DiffHunk, ...] = ()
    """What an edit changed; empty if the transcript does not tell."""


@dataclass(frozen=True, slots=True)
class ChangesBetween:
    """What was done in between."""

    made: tuple[MendingChange, ...] = ()
    """In their order."""
    is_all: bool = False
    """Whether nothing else can have been changed until the command passed: no prompt, no subagent, and no command that
    does more than look and check."""
    run_as: str = ""
    """The command that passed, if it was written in another way than the one that failed."""
    near: str = ""
    """The line of the error with those below it, which often name the place."""


def changes_of(snapshot: Snapshot, episode: Episode) -> ChangesBetween:
    """What was done between the error and the run without it."""
    start, end, passed = episode.last, episode.gone, episode.passed
    if end is None or passed is None or passed.number - start.number > _MOST_TURNS:
        return ChangesBetween()
    blocks = read_blocks(snapshot, start.session, start.number, passed.number)
    calls = {(call.turn, call.seq): call for call in paired_turns(blocks.items())}
    between = [call for place, call in calls.items() if start.place < place < end.place]
    made = [change for call in between for change in _changes(call, start)]
    until_passed = [call for place, call in calls.items() if start.place < place < passed.place]
    return ChangesBetween(
        tuple(made),
        start.number == passed.number and not any(_may_change(call, start) for call in until_passed),
        _run_as(calls.get(start.place), calls.get(passed.place)),
        _near(calls[start.place], start.text) if start.place in calls else start.text,
    )


def telling_change(changes: ChangesBetween, failed: Run) -> MendingChange | None:
    """The change that most likely mended an error; None if none can have.

    The last edit of a file that the error names, if possible one that changed a line with a word that the error quotes;
    else the last of all edits, with such a word if possible; else the last command.
    """
    edits = [change for change in changes.made if change.path]
    quoted = set(_QUOTED.findall(failed.text))
    named = _named(edits, failed.text) or _named(edits, changes.near)
    if not named and not is_of_project(failed):
        return None
    commands = [change for change in changes.made if change.command]
    for found in (named, edits, commands):
        if found:
            return next((change for change in reversed(found) if _changed_words(change) & quoted), found[-1])
    return None


def _named(edits: Sequence[MendingChange], text: str) -> list[MendingChange]:
    return [edit for edit in edits if file_name(edit.path) in text]


def _changed_words(change: MendingChange) -> set[str]:
    return {word for hunk in change.hunks for sign, line in hunk.lines if sign != " " for word in _NAME.findall(line)}


def _near(call: ToolCall, error: str) -> str:
    lines = plain(call.output).split("\n")
    at = next((at for at, line in enumerate(lines) if error[:_RECOGNIZED] in one_line(line)), None)
    return error if at is None else "\n".join(lines[at : at + _LINES_NEAR])


def _run_as(failed: ToolCall | None, passed: ToolCall | None) -> str:
    if failed is None or passed is None or _acting(failed) == _acting(passed):
        return ""
    return command_line(passed.command)


def _acting(call: ToolCall) -> list[list[str]]:
    """The programs of a command without those that only look or show."""
    return [words for words in call.programs if words[0].rpartition("/")[2] not in LOOKS]


def _may_change(call: ToolCall, failed: Run) -> bool:
    """Whether a call may have changed something, told or not; running the command that failed again does not."""
    if call.family in HIDING or any(edited_paths(call)):
        return True
    if not call.command or only_shows(call) or command_key(call) == failed.name:
        return False
    return not all(
        (shows(words) or (any(checks_of([words])) and not rewrites(words))) and not writes_in_place(words[0], words[1:])
        for words in call.programs
    )


def _changes(call: ToolCall, failed: Run) -> list[MendingChange]:
    """What a call changed: files, or else what a command did that is more than a look or a check."""
    paths = list(edited_paths(call))
    if paths or not call.command or call.is_error or call.interrupted or call.exit_code or only_shows(call):
        return [MendingChange(call.turn, call.seq, path, hunks=edit_hunks(call, path)) for path in paths]
    name = command_key(call)
    if name and (same_command(name, failed.name) or not acts(name)):
        return []
    return [MendingChange(call.turn, call.seq, command=command_line(call.command))]
