"""`memtui recall`: earlier turns for a prompt or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.mistyped import QueryCommand
from memtui.cli.opened import load_model, open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, say, write

if TYPE_CHECKING:
    from memtui_core.memory.recall.recalled_turn import RecalledTurn


@click.command(cls=QueryCommand, context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--file", "file", metavar="PATH", help="Recall the turns that touched a file, instead of a query.")
@click.option("--session", metavar="ID", help="The calling session: turns in its context are left out.")
@click.option(
    "--boundary",
    metavar="LINE",
    type=click.IntRange(0),
    help="The line of its last compaction: turns up to there are no longer in its context.",
)
@click.option("--everywhere", is_flag=True, help="Recall from every project, not only from that of this folder.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 100), help="Maximum turns.")
@data_dir_option
@json_option
@reports_errors
def recall(
    query: tuple[str, ...],
    file: str | None,
    session: str | None,
    boundary: int | None,
    everywhere: bool,
    limit: int,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Print the earlier turns that belong to a prompt or a file, as an agent reads them."""
    if bool(query) == bool(file):
        raise click.UsageError("Give a query, or a file by --file.")
    from memtui_core.memory.recall.similar_turns import RecallScope, as_context
    from memtui_core.system import locations
    from memtui_core.text.paths import path_hints

    index = open_index(data_dir)
    project = None if everywhere else index.sessions.project_at(locations.current_folder())
    scope = RecallScope(session, boundary, project)
    heading = "Relevant past context"
    notes = []
    if file:
        is_outside = project is not None and project.relative(file) is None
        resolved = None if is_outside else index.files.resolve(file, project, mistyped=True)
        path = resolved.paths[0] if resolved and resolved.paths else file
        turns = index.recall.for_file(path, limit, scope)
        heading = f"Past context for {(project.relative(path) if project else None) or path}"
        notes.append(resolved.note if resolved else "")
    else:
        from memtui_core.index.vectors import FILES

        load_model(index)
        prompt = " ".join(query)
        hints = [index.files.resolve(path, project) for path in path_hints(prompt)]
        turns = index.recall.for_prompt(prompt, limit, scope, [path for hint in hints for path in hint.paths])
        gap = index.vectors.gap()
        notes += [*(hint.note for hint in hints), f"{gap.message(FILES)}." if gap else ""]
    if as_json:
        print_json([recalled_turn_object(turn) for turn in turns])
    else:
        write(as_context(turns, heading))
    for note in filter(None, notes):
        say(note)
    if not turns:
        say("Nothing to recall.")


def recalled_turn_object(turn: RecalledTurn) -> dict[str, Any]:
    """A recalled turn as JSON."""
    return fields_of(turn, "session_id", "turn", "line", "started_at", "title", "distance", "files", "text")
