"""`memtui recall`: what an agent should know before it goes on."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import data_dir_option, json_option, open_index, reports_errors
from memtui.cli.output import print_json, say, write

if TYPE_CHECKING:
    from memtui_core.memory.recall import Memory


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--file", "file", metavar="PATH", help="What is known of a file, instead of a query.")
@click.option("--session", metavar="ID", help="The session that asks: what it still has before it is left out.")
@click.option(
    "--boundary", metavar="LINE", type=click.IntRange(0), help="Its line up to which a compaction dropped everything."
)
@click.option("--everywhere", is_flag=True, help="Recall from every project, not from that of this folder only.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 100), help="Most turns to recall.")
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
    """Print the earlier turns that a prompt or a file calls to mind, as an agent reads them."""
    if bool(query) == bool(file):
        raise click.UsageError("Give a query, or a file by --file.")
    from memtui_core.errors import ModelUnavailable
    from memtui_core.memory.recall import Asker, as_context
    from memtui_core.search.vector_coverage import FILES
    from memtui_core.system import locations
    from memtui_core.text.paths import path_hints

    index = open_index(data_dir)
    here = None if everywhere else index.project_at(locations.current_folder())
    asker = Asker(session, boundary, here)
    heading = "Relevant past context"
    notes = []
    if file:
        outside = here is not None and here.relative(file) is None
        meant = None if outside else index.resolve_file(file, here, mistyped=True)
        wanted = meant.paths[0] if meant and meant.paths else file
        memories = index.recall_file(wanted, limit, asker)
        heading = f"Past context for {(here.relative(wanted) if here else None) or wanted}"
        notes.append(meant.note if meant else "")
    else:
        with suppress(ModelUnavailable):
            index.load_model(threads=2)
        prompt = " ".join(query)
        each = [index.resolve_file(path, here) for path in path_hints(prompt)]
        files = [path for one in each for path in one.paths]
        memories = index.recall(prompt, limit, asker, files)
        gap = index.vector_gap()
        notes += [*(one.note for one in each), f"{gap.message(FILES)}." if gap else ""]
    if as_json:
        print_json([memory_object(memory) for memory in memories])
    else:
        write(as_context(memories, heading))
    for note in filter(None, notes):
        say(note)
    if not memories:
        say("Nothing to recall.")


def memory_object(memory: Memory) -> dict[str, Any]:
    """A memory as JSON."""
    return {
        "session_id": memory.session_id,
        "turn": memory.turn,
        "line": memory.line,
        "started_at": memory.started_at,
        "title": memory.title,
        "distance": memory.distance,
        "files": list(memory.files),
        "text": memory.text,
    }
