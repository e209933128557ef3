"""`memtui annotations`: everything that the user has added to sessions and turns."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.marks.note import note_text
from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, print_table, say, short_time, show, show_styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtui_core.index.annotations import Annotated, AnnotationRecord


@click.command()
@click.argument("session", required=False)
@click.option("--history", is_flag=True, help="Every change, the oldest first: also titles and notes of before.")
@click.option(
    "--merge",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add what another log has, such as annotations.jsonl of another machine.",
)
@data_dir_option
@json_option
@reports_errors
def annotations(session: str | None, history: bool, merge: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """List your pins, titles, tags, notes and archived sessions, of one SESSION or of all."""
    from memtui.wording.formatting import plural

    index = open_index(data_dir)
    if merge is not None:
        say(f"{plural(index.annotations.merge(merge), 'record')} added.")
        return
    key = index.sessions.find(session).key if session is not None else None
    if history:
        _print_history(index.annotations.history(key), as_json=as_json)
        return
    rows = [row for row in index.annotations.all() if key is None or row.session.key == key]
    if as_json:
        print_json([annotated_object(row) for row in rows])
        return
    for row in rows:
        _print(row)
    if not rows:
        say("Nothing was added.")


def _print(row: "Annotated") -> None:
    from memtui.wording.annotated import ARCHIVED, PIN, tags_text

    own = row.annotations
    turn = f":{row.turn}" if row.turn else ""
    facts = "  ".join(filter(None, (ARCHIVED if own.archived else "", tags_text(own.tags))))
    pin = PIN if own.pinned else ""
    agent = f"  ({row.session.agent_title})" if own.title else ""
    show_styled(
        (f"{row.session.session_id}{turn}  ", "muted"), (pin, "you"), (row.session.title, "strong"),
        (agent, "muted"), (f"  {facts}" if facts else "", "you"),
    )  # fmt: skip
    for note in own.notes:
        show("\n".join(f"    {line}" for line in note_text(note).splitlines()))


def _print_history(records: "Sequence[AnnotationRecord]", *, as_json: bool) -> None:
    if as_json:
        print_json([record_object(record) for record in records])
        return
    print_table(
        [
            (
                short_time(record.at),
                record.kind,
                f"{record.target.session_id}{f':{record.target.turn}' if record.target.turn else ''}",
                f"{record.by} on {record.machine}",
                record.text,
            )
            for record in records
        ],
        styles=("muted", "tool", "", "muted", "strong"),
    )
    if not records:
        say("Nothing was added.")


def annotated_object(row: "Annotated") -> dict[str, Any]:
    """What was added to a session or turn as JSON; `turn` is 0 for the session itself."""
    session, own = row.session, row.annotations
    return {
        **fields_of(session, "session_id", "agent", "project"),
        "turn": row.turn,
        **fields_of(session, "title", "agent_title"),
        **fields_of(own, "pinned", "archived", "tags"),
        "notes": [fields_of(note, "id", "text", "created_at", "changed_at", "by") for note in own.notes],
    }


def record_object(record: "AnnotationRecord") -> dict[str, Any]:
    """A record of the log as JSON."""
    target = record.target
    return {
        **fields_of(record, "kind", "at"),
        **fields_of(target, "agent", "session_id", "turn"),
        **fields_of(record, "text", "replaces", "machine", "by", "id"),
    }
