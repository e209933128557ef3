"""`memtui commit`: the turns behind a commit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.origin.turns_behind import show_turns
from memtui.cli.output import print_json, say, show, show_styled

if TYPE_CHECKING:
    from memtui_core.memory.blame.git import NoteOutcome
    from memtui_core.memory.blame.values import CommitOrigin, CommitTurn


@click.command()
@click.argument("sha", metavar="SHA")
@click.option("--notes", is_flag=True, help="Print the turns as lines for a note of git.")
@click.option("--write", is_flag=True, help="Attach them to the commit by git notes --ref=memtui; another note stays.")
@data_dir_option
@json_option
@reports_errors
def commit(sha: str, notes: bool, write: bool, data_dir: Path | None, as_json: bool) -> None:
    """Print the sessions and turns behind a commit of this folder's repository, with what proves it.

    A session is behind a commit if git told it that it made the commit, or one with the same changes, as after a rebase
    or a cherry-pick; or if its edits brought lines of the commit, also after a squash. SHA is any name that git knows.
    """
    from memtui_core.system import locations

    if write and as_json:
        raise click.UsageError("--write and --json exclude each other.")
    index, folder = open_index(data_dir), Path(locations.current_folder())
    origin = index.files.commit(sha, folder)
    if as_json:
        print_json([_object(origin, turn) for turn in origin.turns])
        return
    if notes or write:
        lines = _note(origin)
        for line in lines:
            show(line)
        if write and lines:
            _told(index.files.write_note(origin.facts.id, folder, "\n".join(lines)), origin.facts.id[:10])
        elif write:
            say("Nothing proves that a session is behind this commit, so there is no note.")
        return
    show_styled((origin.facts.id[:10], "tool"), (f"  {origin.facts.subject}", "strong"))
    from memtui.render.origin import facts_text, proofs_text

    show_styled((facts_text(origin), "muted"))
    if not origin.turns:
        say("Nothing proves that a session is behind this commit.")
        return
    show_turns((turn, proofs_text(turn)) for turn in origin.turns)


def _note(origin: CommitOrigin) -> list[str]:
    """The lines of a note on the commit."""
    from memtui.render.origin import proofs_text

    of = f" of {origin.added} added"
    named = [(f"{turn.session.agent} {turn.session.session_id}:{turn.turn}", turn) for turn in origin.turns]
    return [f"Session: {name} {proofs_text(turn)}{of if turn.lines else ''}" for name, turn in named]


def _told(outcome: NoteOutcome, commit: str) -> None:
    """Say what became of a note. Raises ClickException if it was not written."""
    see = f"git notes --ref=memtui show {commit}"
    if outcome == "another":
        raise click.ClickException(f"{commit} has another note of memtui, which stays: {see}")
    if outcome == "failed":
        raise click.ClickException("git wrote no note: it needs your name and mail address, and a ref to write to.")
    say(f"{'Written' if outcome == 'written' else 'The note is there already'}: {see}")


def _object(origin: CommitOrigin, turn: CommitTurn) -> dict[str, Any]:
    """A turn behind a commit as JSON."""
    return {
        "commit": origin.facts.id,
        "subject": origin.facts.subject,
        "added": origin.added,
        "session_id": turn.session.session_id,
        "agent": turn.session.agent,
        "title": turn.session.title,
        "turn": turn.turn,
        "at": turn.at,
        "proofs": list(turn.proofs),
        "lines": turn.lines,
        "files": list(turn.files),
    }
