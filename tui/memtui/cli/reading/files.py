"""`memtui files`: the files that sessions edited, read or mentioned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, print_table, say, short_time
from memtui_core.text.machine_folders import HERE

if TYPE_CHECKING:
    from memtui_core.model import FileTouch
    from memtui_core.queries.files import FileRow


@click.command()
@click.argument("pattern", default="")
@click.option("--sessions", "by_turn", is_flag=True, help="List the turns that touched the files, edits first.")
@click.option("--limit", type=click.IntRange(1, 100_000), help="Maximum files, or turns (default: all).")
@data_dir_option
@json_option
@reports_errors
def files(pattern: str, by_turn: bool, limit: int | None, data_dir: Path | None, as_json: bool) -> None:
    """List the files that sessions edited, read or mentioned."""
    index = open_index(data_dir)
    if by_turn:
        touches = index.files.touches(pattern)
        listed = touches.rows[:limit]
        if as_json:
            print_json([touch_object(touch) for touch in listed])
        else:
            has_machines = any(touch.machine for touch in listed)
            rows = [_touch_row(touch, has_machines=has_machines) for touch in listed]
            print_table(rows, styles=("muted", "tool", "", "muted", *(["muted"] if has_machines else []), "strong"))
        count, note, what = len(touches.rows), touches.note, "turn"
    else:
        matching = index.files.find(pattern)
        if as_json:
            print_json([file_object(row) for row in matching.rows[:limit]])
        elif matching.rows:
            head = ("path", "edited", "read", "mentioned", "sessions", "first", "last", "project")
            styles = ("", "", "", "", "", "muted", "muted", "muted")
            rows = [head, *map(_file_row, matching.rows[:limit])]
            print_table(
                rows, right=(1, 2, 3, 4), styles=styles, head=True, shrinks={0: "start", 7: "end"}, drops=(5, 3, 7)
            )
        count, note, what = len(matching.rows), matching.note, "file"
    if note:
        say(note)
    if limit is not None and count > limit and not as_json:
        from memtui.wording.formatting import plural

        say(f"{plural(count - limit, f'more {what}')}; --limit lists more.")
    if not count:
        say("No file matches." if pattern else "No session touched a file.")


def file_object(row: FileRow) -> dict[str, Any]:
    """A file as JSON."""
    return fields_of(row, "path", "edited", "read", "mentioned", "sessions", "first", "last", "project", "root")


def touch_object(touch: FileTouch) -> dict[str, Any]:
    """A turn that touched a file as JSON."""
    return fields_of(touch, "path", "kind", "tool", "session_id", "title", "machine", "project", "turn", "line", "at")


def _file_row(row: FileRow) -> tuple[str, ...]:
    counts = (str(row.edited), str(row.read), str(row.mentioned), str(row.sessions))
    return (row.path, *counts, short_time(row.first), short_time(row.last), row.project)


def _touch_row(touch: FileTouch, *, has_machines: bool) -> tuple[str, ...]:
    machine = [touch.machine or HERE] if has_machines else []
    return (short_time(touch.at), touch.kind, touch.path, f"{touch.session_id}:{touch.turn}", *machine, touch.title)
