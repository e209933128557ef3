"""`memtui files`, `prs` and `doctor`: what the index holds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import data_dir_option, json_option, open_index, reports_errors
from memtui.cli.output import moment, print_json, print_table, say, show
from memtui.log_file import log_file

if TYPE_CHECKING:
    from memtui_core.model import FileTouch, PrLink
    from memtui_core.queries.files import FileRow
    from memtui_core.queries.sources import SourceRow
    from memtui_core.store.storage import Storage


@click.command()
@click.argument("pattern", default="")
@click.option("--sessions", "by_turn", is_flag=True, help="List the turns that touched the files, edits first.")
@data_dir_option
@json_option
@reports_errors
def files(pattern: str, by_turn: bool, data_dir: Path | None, as_json: bool) -> None:
    """List the files that sessions edited, read or mentioned."""
    index = open_index(data_dir)
    if by_turn:
        touches = index.file_touches(pattern)
        if as_json:
            print_json([touch_object(touch) for touch in touches.rows])
        else:
            print_table([_touch_row(touch) for touch in touches.rows])
        found, note = bool(touches.rows), touches.note
    else:
        files_found = index.find_files(pattern)
        rows, note = files_found.rows, files_found.note
        if as_json:
            print_json([file_object(row) for row in rows])
        elif rows:
            head = ("path", "edited", "read", "mentioned", "sessions", "first", "last", "project")
            print_table([head, *(_file_row(row) for row in rows)], right=(1, 2, 3, 4))
        found = bool(rows)
    if note:
        say(note)
    if not found:
        say("No file matches." if pattern else "No session touched a file.")


@click.command()
@click.argument("number", required=False, type=click.IntRange(min=1))
@click.option("--session", metavar="SESSION", help="Only those of a session; the beginning of its id is enough.")
@data_dir_option
@json_option
@reports_errors
def prs(number: int | None, session: str | None, data_dir: Path | None, as_json: bool) -> None:
    """List pull requests and the sessions that belong to them."""
    index = open_index(data_dir)
    links = index.pr_links(number, index.find_session(session).key if session else None)
    if as_json:
        print_json([pr_object(link) for link in links])
        return
    print_table([(f"#{x.number}", x.repository, x.session_id, x.title, moment(x.at), x.url) for x in links])
    if not links:
        which = "The session is" if session else "No session is"
        what = "a pull request" if number is None else f"#{number}"
        say(f"{which}{' not' if session else ''} tied to {what}.")


@click.command()
@data_dir_option
@json_option
@reports_errors
def doctor(data_dir: Path | None, as_json: bool) -> None:
    """Say what became of every file, which lines could not be read, what the index takes on the disk, and the log."""
    from memtui_core.memory.health import health
    from memtui_core.system import locations

    index, folder = open_index(data_dir), locations.data_dir(data_dir)
    rows = [*index.sources(), *health(folder)]
    if as_json:
        print_json([*(source_object(row) for row in rows), index_object(folder, index.storage())])
        return
    from memtui.cli.text import doctor_lines, log_lines, storage_lines

    for line in (*doctor_lines(rows), *storage_lines(folder, index.storage()), *log_lines(folder)):
        show(line)


def file_object(row: FileRow) -> dict[str, Any]:
    """A file as JSON."""
    names = ("path", "edited", "read", "mentioned", "sessions", "first", "last", "project", "root")
    return {name: getattr(row, name) for name in names}


def touch_object(touch: FileTouch) -> dict[str, Any]:
    """A turn that touched a file as JSON."""
    names = ("path", "kind", "tool", "session_id", "title", "project", "turn", "line", "at")
    return {name: getattr(touch, name) for name in names}


def pr_object(link: PrLink) -> dict[str, Any]:
    """A pull request of a session as JSON."""
    names = ("number", "url", "repository", "session_id", "title", "project", "at", "line")
    return {name: getattr(link, name) for name in names}


def source_object(row: SourceRow) -> dict[str, Any]:
    """A source as JSON; `skipped` lists the lines that could not be read."""
    return {
        "path": row.path,
        "agent": row.agent,
        "session_ids": list(row.session_ids),
        "state": row.state,
        "lines": row.lines,
        "skipped": [{"line": line, "reason": reason} for line, reason in row.skipped],
        "error": row.error,
    }


def index_object(folder: Path, storage: Storage) -> dict[str, Any]:
    """The index itself as JSON: the fields of a source, what it takes on the disk, and the path of the log."""
    return {
        "path": str(folder),
        "agent": "memtui",
        "session_ids": [],
        "state": "ok",
        "lines": 0,
        "skipped": [],
        "error": None,
        "storage": {field.name: getattr(storage, field.name) for field in fields(storage)},
        "log": str(log_file(folder)),
    }


def _file_row(row: FileRow) -> tuple[str, ...]:
    counts = (str(row.edited), str(row.read), str(row.mentioned), str(row.sessions))
    return (row.path, *counts, moment(row.first), moment(row.last), row.project)


def _touch_row(touch: FileTouch) -> tuple[str, ...]:
    return (moment(touch.at), touch.kind, touch.path, f"{touch.session_id}:{touch.turn}", touch.title)
