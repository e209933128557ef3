"""`memtui restore`: a deleted transcript where it was, or a file as a session knew it."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask, say, short_time, short_turn, show, show_parts, write_content
from memtui_core.errors import MemtuiError, SessionUnknown

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.ingest.kept.written_back import Restorable, SessionFiles
    from memtui_core.model import Session
    from memtui_core.queries.file_history import FileContent
    from memtui_core.readers.base import Reader

_READ: Final = 40
"""Turns that touched a file, of which is read what they knew of it, if it is not known where that is asked for,"""
_LISTED: Final = 5
"""and those that a message names at most."""
_LONGEST: Final = 40
"""Characters of the lines that are known at one of them."""


@click.command()
@click.argument("what", metavar="SESSION|FILE")
@click.option("--at", "at", metavar="SESSION:TURN", help="Restore a file as a session knew it at the end of a turn.")
@click.option("--output", metavar="PATH", help="For a session a folder, for a file another file; - is stdout.")
@click.option("--keep-time", is_flag=True, help="Give a transcript its old time, even if its agent would delete it.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and stop.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@data_dir_option
@reports_errors
def restore(
    what: str, at: str | None, output: str | None, keep_time: bool, dry_run: bool, yes: bool, data_dir: Path | None
) -> None:
    """Write a deleted transcript back to where it was, so that its agent can resume the session.

    Those of its subagents are written, too. No file is overwritten. The bytes are those of the transcript, except for
    secrets. With --at, WHAT is a file that the session read or wrote; it is asked before one is overwritten.
    """
    index = open_index(data_dir)
    if at is not None:
        if keep_time:
            raise click.UsageError("--keep-time has no use with --at.")
        _restore_file(index, what, at, output, dry_run=dry_run, yes=yes)
    elif output == "-":
        raise click.UsageError("--output - needs --at: a session has several files.")
    else:
        folder = Path(output) if output is not None else None
        _restore_session(index, index.sessions.find(what), folder, keep_time=keep_time, dry_run=dry_run, yes=yes)


def _restore_session(
    index: Index, session: Session, folder: Path | None, *, keep_time: bool, dry_run: bool, yes: bool
) -> None:
    from memtui_core.ingest.kept.written_back import files_of_session
    from memtui_core.readers.registry import reader_of
    from memtui_core.store.archive.transcripts import TranscriptArchive

    if session.machine:
        raise MemtuiError(f"The transcript is on the machine {session.machine}. Restore it there.")
    archive, reader = TranscriptArchive(index.data), reader_of(session.agent)
    found = files_of_session(index.snapshot, archive, session.key, folder)
    if not found.restorable:
        _refuse_existing(found)
        _make_anew(index, session, reader, folder, dry_run=dry_run, yes=yes)
        return
    missing = [one for one in found.restorable if not one.exists]
    if not missing:
        raise MemtuiError(f"{found.restorable[0].target} exists, and is not replaced.")
    if folder is None:
        _refuse_shorter(missing)
    if not dry_run:
        _write(missing, found, keep_time=keep_time)
    for one in missing:
        show(str(one.target))
    if not dry_run:
        _say_how_to_resume(session, reader)


def _refuse_existing(found: SessionFiles) -> None:
    from memtui_core.readers.base import container_of

    existing = [name for name in found.sources if os.path.lexists(container_of(name))]
    if existing:
        raise MemtuiError(f"{existing[0]} exists: the transcript was not deleted.")


def _refuse_shorter(files: list[Restorable]) -> None:
    """Raise an error if the index has more than would be written: what follows would leave the index."""
    from memtui.wording.formatting import size

    shorter = next((one for one in files if one.missing), None)
    if shorter is not None:
        raise MemtuiError(
            f"The last {size(shorter.missing)} of {shorter.target} were not archived before it was deleted. The index"
            " has them, and would lose them if the rest were there again. --output DIR writes the rest elsewhere."
        )


def _write(files: list[Restorable], found: SessionFiles, *, keep_time: bool) -> None:
    from memtui.wording.formatting import plural
    from memtui_core.ingest.kept.written_back import write_files

    renewed = write_files(files, keeps_time=keep_time)
    secrets = sum(one.file.secrets for one in files)
    say(f"{plural(len(files), 'file')} written, {_exactness(secrets)}.")
    if renewed:
        say("Their time is that of now: by the old one their agent would delete them at its next start (--keep-time).")
    if left := len(found.restorable) - len(files):
        say(f"{plural(left, 'file')} existed, and {'was' if left == 1 else 'were'} not touched.")
    if found.lost:
        say(
            f"{plural(len(found.lost), 'transcript')} of subagents {'was' if len(found.lost) == 1 else 'were'} not"
            " archived."
        )


def _exactness(secrets: int) -> str:
    from memtui.wording.formatting import plural

    if not secrets:
        return "byte by byte as the agent had written"
    return f"as the agent had written but for {plural(secrets, 'secret')}, which memtui does not keep"


def _make_anew(
    index: Index, session: Session, reader: Reader | None, folder: Path | None, *, dry_run: bool, yes: bool
) -> None:
    """Write the conversation as a new session, if the agent can resume such a one. Raises MemtuiError."""
    from memtui.cli.agents.handoff_targets import write_session

    title = session.title
    if reader is None:
        raise MemtuiError(f"The bytes of this transcript were not archived. memtui show {session.session_id} shows it.")
    conversation = index.handoffs.conversation(session.key)
    if conversation is None or reader.session_file(conversation, os.environ) is None:
        raise MemtuiError(
            f"The bytes of this transcript were not archived, and memtui cannot make a session for {reader.name}."
            f" memtui show {session.session_id} shows it, memtui handoff gives it to another agent."
        )
    say(
        "The bytes of this transcript were not archived. What follows is made anew from the conversation, without tool"
        " calls, as a session with an id of its own."
    )
    made = replace(conversation, title=f"{title} (made anew by memtui)")
    write_session(reader, made, yes=yes, dry_run=dry_run, folder=folder)


def _say_how_to_resume(session: Session, reader: Reader | None) -> None:
    from memtui_core.text.controls import stored
    from memtui_core.text.machine_folders import folder_here

    command = reader.resume_command(stored(session.session_id)) if reader is not None else None
    if command is None:
        return
    place = folder_here(stored(session.cwd), stored(session.root), session.worktree)
    say(" && ".join(filter(None, (shlex.join(["cd", place]) if place else "", shlex.join(command)))))


def _restore_file(index: Index, path: str, at: str, output: str | None, *, dry_run: bool, yes: bool) -> None:
    from memtui_core.text.turn_range import parse_turn_range

    try:
        named = parse_turn_range(at)
        session = index.sessions.find(named.session)
    except ValueError as error:
        raise click.BadParameter(f"{error}{_known_versions(index, path)}", param_hint="--at") from error
    except SessionUnknown as error:
        raise MemtuiError(f"{error} --at takes SESSION:TURN.{_known_versions(index, path)}") from error
    turn = named.last or session.turns
    if turn > session.turns:
        raise click.BadParameter(f"{named.session} has {session.turns} turns.", param_hint="--at")
    stored_path = _path_in_session(index, session, path)
    known = index.files.content_at(session.key, stored_path, turn)
    if known.text is None:
        _show_known(index, session, known, turn, is_wanted=output == "-")
    elif output == "-":
        write_content(known.text)
    else:
        target = Path(output) if output is not None else _place_of(session, stored_path)
        _put(target, known.text.encode(), dry_run=dry_run, yes=yes)


def _path_in_session(index: Index, session: Session, path: str) -> str:
    """The file of a session that a path stands for, as the index has it. Raises MemtuiError."""
    from memtui.wording.formatting import cut
    from memtui_core.system import locations

    project = index.sessions.project_at(locations.current_folder())
    relative = project.relative(path) if project is not None and project.root == session.root else None
    found = (index.files.in_session(session.key, relative) if relative else []) or index.files.in_session(
        session.key, path
    )
    if not found:
        raise MemtuiError(f"The session touched no file {path}.{_known_versions(index, path, session)}")
    if len(found) > 1:
        raise MemtuiError(f"Several files of the session have this name: {cut(', '.join(found), 200)}. Name one.")
    return found[0]


def _show_known(index: Index, session: Session, known: FileContent, turn: int, *, is_wanted: bool) -> None:
    """Say which parts of a file are known, print them if that is asked for, and raise an error."""
    if is_wanted:
        show_parts((line.number, line.text, line.certain) for line in known.lines)
    lines = _certain_lines(known)
    known_lines = (
        f"{lines.capitalize()} of this file are known at turn {turn}"
        if lines
        else f"No line of this file is certain at turn {turn}"
    )
    rest = "" if is_wanted or not known.lines else " --output - prints what is known."
    versions = _known_versions(index, known.path, session, only_whole=bool(lines))
    raise MemtuiError(f"{known_lines}: {'; '.join(known.notes)}. Nothing was written.{rest}{versions}")


def _certain_lines(known: FileContent) -> str:
    """`lines 1-40, 52 of 80`; empty if none is certain."""
    from memtui_core.queries.file_history.lines import number_ranges

    certain = number_ranges(line.number for line in known.lines if line.certain)
    ranges = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in certain)
    return f"lines {ranges}" + (f" of {known.total}" if known.total else "") if ranges else ""


def _known_versions(index: Index, path: str, session: Session | None = None, *, only_whole: bool = False) -> str:
    """Lines below an error: the turns at which the whole file is known, or else parts of it, and the next command.

    They are of the project of the session, if there are such turns. With `only_whole`, empty if none has all of it.
    """
    from memtui.wording.formatting import cut, number

    touched = index.files.versions(path, _READ)
    own = [version for version in touched if session is not None and version[0].project == session.project]
    versions = [(touch, known.text is not None, _certain_lines(known)) for touch, known in own or touched]
    found = [one for one in versions if one[1]] or [one for one in versions if one[2]]
    if only_whole and not (found and found[0][1]):
        return ""
    pattern = shlex.quote(path)
    if not touched:
        return f"\nNo session read or edited such a file. memtui files {pattern} lists those that they mention."
    if not found:
        return f"\nNo session shows its lines. memtui files {pattern} --sessions lists the turns that touched it."
    names = [short_turn(touch.session_id, touch.turn) for touch, *_ in found]
    width = max(map(len, names[:_LISTED]))
    lines = ["", "The whole file is known at:" if found[0][1] else "Parts of it are known at:"]
    for name, (touch, is_whole, certain) in zip(names[:_LISTED], found, strict=False):
        part = "" if is_whole else cut(certain, _LONGEST)
        facts = (name.ljust(width), short_time(touch.at), touch.project, touch.path, part)
        lines.append("  " + "  ".join(filter(None, facts)))
    if len(found) > _LISTED:
        lines.append(f"  … {number(len(found) - _LISTED)} more")
    lines.append(f"{shlex.join(['memtui', 'restore', found[0][0].path, '--at', names[0], '--output', '-'])} prints it.")
    return "\n".join(lines)


def _place_of(session: Session, path: str) -> Path:
    """Where a file of a session is on this disk. Raises MemtuiError."""
    from memtui_core.text.controls import stored

    if session.machine:
        raise MemtuiError(f"The file was on the machine {session.machine}. --output PATH writes it here.")
    place = Path(path).expanduser()
    if place.is_absolute():
        return place
    root = stored(session.worktree) if session.worktree else stored(session.root)
    if not root:
        raise MemtuiError("The folder of this session is not known. --output PATH says where the file goes.")
    return Path(root) / path


def _put(target: Path, content: bytes, *, dry_run: bool, yes: bool) -> None:
    """Write the content of a file; ask before an existing one is replaced."""
    from memtui.wording.formatting import size
    from memtui_core.system.atomic_files import write_atomically
    from memtui_core.system.private_files import users_files

    exists = os.path.lexists(target)
    if exists and target.is_file() and target.read_bytes() == content:
        say(f"{target} has this content already.")
        return
    if dry_run:
        show(str(target))
        return
    if exists and not yes:
        ask(f"Replace {target}, which has another content?", "Nothing was written.")
    mode = target.stat().st_mode if exists else None
    with users_files():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content, durable=True)
    if mode is not None:
        target.chmod(mode)
    show(str(target))
    say(f"{size(len(content))} written.")
    sys.stdout.flush()
