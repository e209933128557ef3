"""`memtui handoff`: what a session did, for another agent to go on from."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from memtui.cli.options import data_dir_option, open_index, reports_errors, settings
from memtui.cli.output import say
from memtui.cli.output import write as print_text
from memtui.cli.show import asked
from memtui_core.errors import MemtuiError
from memtui_core.system import locations
from memtui_core.text.json_text import json_text

if TYPE_CHECKING:
    from memtui_core.handoff import Handoff, HandoffOptions
    from memtui_core.index import Index


@click.command()
@click.argument("session", metavar="[SESSION[:TURN[-TURN]]]", required=False)
@click.option("--file", "file", metavar="PATH", help="What became of a file over all sessions, instead of a session.")
@click.option("--to", "to", metavar="FILE", help="Write to a new file (default: stdout).")
@click.option("--no-tools", is_flag=True, help="The summary only, without what tools gave.")
@click.option(
    "--max-chars",
    type=click.IntRange(0),
    help="Most characters of all tool results (default: 60000, or as set); the newest stay; four are about a token.",
)
@click.option(
    "--max-result-chars", type=click.IntRange(0), help="Most characters of one result (default: 2000, or as set)."
)
@click.option(
    "--messages",
    type=click.File("rb"),
    metavar="FILE",
    help="A JSON list of messages with a role and a content (- is stdin): print them with the text in the first one of"
    " role user.",
)
@data_dir_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@reports_errors
def handoff(
    session: str | None,
    file: str | None,
    to: str | None,
    no_tools: bool,
    max_chars: int | None,
    max_result_chars: int | None,
    messages: BinaryIO | None,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Print what a session did, or some of its turns, as one text that another agent can go on from."""
    if bool(session) == bool(file):
        raise click.UsageError("Give a session, or a file by --file.")
    if messages and as_json:
        raise click.UsageError("--messages prints JSON already; leave out --json.")
    from memtui_core.handoff import HandoffOptions

    given = {"max_tool_context_chars": max_chars, "max_result_chars": max_result_chars}
    chosen = {name: value for name, value in given.items() if value is not None}
    set_before: dict[str, Any] = {**settings().handoff}
    options = HandoffOptions(**(set_before | chosen | ({"tool_context": False} if no_tools else {})))
    index = open_index(data_dir)
    made = _of_session(index, session, options) if session else _of_file(index, file or "", options)
    text = made.text()
    if not text:
        say("Nothing to hand off.")
    lost = made.omitted()
    if lost:
        results = "result is" if lost == 1 else "results are"
        say(f"{lost} older tool {results} left out; --max-chars sets how much fits.")
    if messages:
        _deliver(_with_messages(messages, text), to)
    else:
        _deliver(_as_json(made, text) if as_json else text and f"{text}\n", to)


def _of_session(index: Index, session: str, options: HandoffOptions) -> Handoff:
    found, turns = asked(index, session)
    first, last = (turns[0].number, turns[-1].number) if turns else (None, None)
    return index.handoff(found.key, first, last, options)


def _of_file(index: Index, path: str, options: HandoffOptions) -> Handoff:
    """The file of that path in the project of this folder, else in any."""
    here = index.project_at(locations.current_folder())
    relative = here.relative(path) if here else None
    if here and relative:
        with suppress(MemtuiError):
            return index.file_handoff(relative, here.root, options)
    return index.file_handoff(path, None, options)


def _deliver(text: str, to: str | None) -> None:
    """Write to stdout, or to a new file and tell its size."""
    if to is None or to == "-":
        print_text(text)
        return
    from memtui_core.export import write

    try:
        path = write(Path(to), text)
    except OSError as error:
        raise MemtuiError(f"{to} cannot be written: {error.strerror or error}.") from error
    say(f"{path}: {len(text)} characters, about {-(-len(text) // 4)} tokens.")


def _with_messages(file: BinaryIO, text: str) -> str:
    """The messages of a file with a text in them, as JSON. Raises MemtuiError when no message can take it."""
    import orjson

    from memtui_core.handoff import prepend_to_messages

    try:
        messages = orjson.loads(file.read())
    except orjson.JSONDecodeError as error:
        raise MemtuiError(f"{file.name} is not JSON: {error}.") from error
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise MemtuiError(f"{file.name} is not a list of messages.")
    changed, done = prepend_to_messages(messages, text)
    if not done:
        raise MemtuiError(f"No message of {file.name} has the role user and a content: the text has no place in them.")
    return orjson.dumps(changed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _as_json(made: Handoff, text: str) -> str:
    fields: dict[str, Any] = {
        "session_id": made.session_id,
        "first": made.first,
        "last": made.last,
        "summary": made.summary,
        "kind_of_summary": made.kind_of_summary,
        "sections": [
            {"title": part.title, "text": part.text, "chars": part.chars, "tokens": part.tokens}
            for part in made.sections()
        ],
        "text": text,
    }
    return json_text(fields)
