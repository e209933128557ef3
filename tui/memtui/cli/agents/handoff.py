"""`memtui handoff`: a session or a file's history as one text for another agent to go on from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from memtui.cli.agents.handoff_targets import start_agent, write_session
from memtui.cli.opened import open_index
from memtui.cli.options import agent_option, data_dir_option, reports_errors, settings
from memtui.cli.output import say
from memtui.cli.output import write as print_text
from memtui.cli.reading.turn_range import session_and_turns
from memtui_core.errors import MemtuiError
from memtui_core.system import locations
from memtui_core.text.controls import stored
from memtui_core.text.json_text import json_text
from memtui_core.text.machine_folders import folder_here
from memtui_core.text.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.memory.handoff.model import Handoff, HandoffOptions
    from memtui_core.readers.base import Reader


@click.command()
@click.argument("session", metavar="[SESSION[:TURN[-TURN]]]", required=False)
@click.option(
    "--file", "file", metavar="PATH", help="Hand off the history of a file over all sessions, instead of a session."
)
@click.option("--to", "to", metavar="FILE", help="Write to a new file (default: stdout).")
@click.option("--no-tools", is_flag=True, help="Only the summary, without tool results.")
@click.option(
    "--max-chars",
    type=click.IntRange(0),
    help="Maximum characters of all tool results (default: 60000 or the setting); the newest stay. A token has about"
    " four characters.",
)
@click.option(
    "--max-result-chars",
    type=click.IntRange(0),
    help="Maximum characters of one result (default: 2000 or the setting).",
)
@click.option(
    "--messages",
    type=click.File("rb"),
    metavar="FILE",
    help="A JSON list of messages with a role and a content (- is stdin): print it with the text added to the first"
    " message of the role user.",
)
@click.option(
    "--start", "start", metavar="AGENT", callback=agent_option, help="Start an agent with the text as its first prompt."
)
@click.option(
    "--as-session",
    "as_session",
    metavar="AGENT",
    callback=agent_option,
    help="Write the conversation as a new session of an agent, which can resume it.",
)
@click.option("--dry-run", is_flag=True, help="With --as-session: show the session without writing it.")
@click.option("--yes", is_flag=True, help="With --as-session: write without asking.")
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
    start: Reader | None,
    as_session: Reader | None,
    dry_run: bool,
    yes: bool,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Print a session, some of its turns, or the history of a file as one text for another agent to go on from."""
    if bool(session) == bool(file):
        raise click.UsageError("Give a session, or a file by --file.")
    if messages and as_json:
        raise click.UsageError("--messages prints JSON already; leave out --json.")
    if start and (as_session or to or messages or as_json):
        raise click.UsageError("--start takes the text itself; leave out the other outputs.")
    if as_session and (file or to or messages or as_json):
        raise click.UsageError("--as-session needs a session, and no other output.")
    from memtui_core.memory.handoff.model import HandoffOptions

    arguments = {"max_tool_context_chars": max_chars, "max_result_chars": max_result_chars}
    fields: dict[str, Any] = {**settings().handoff}
    fields |= {name: value for name, value in arguments.items() if value is not None}
    if no_tools:
        fields["tool_context"] = False
    options = HandoffOptions(**fields)
    index = open_index(data_dir)
    if as_session:
        _write_session(index, session or "", options, as_session, yes=yes, dry_run=dry_run)
        return
    made = _session_handoff(index, session, options) if session else _file_handoff(index, file or "", options)
    text = made.text()
    if not text:
        say("Nothing to hand off.")
    omitted = made.omitted()
    if omitted:
        results = "result is" if omitted == 1 else "results are"
        say(f"{omitted} older tool {results} left out; --max-chars sets how much fits.")
    if start:
        _start(index, start, made, text, locations.data_dir(data_dir))
    elif messages:
        _write(_with_messages(messages, text), to)
    else:
        _write(_as_json(made, text) if as_json else text and f"{text}\n", to)


def _start(index: Index, agent: Reader, made: Handoff, text: str, data_dir: Path) -> None:
    if not text:
        return
    folder = str(locations.current_folder())
    if made.session_id:
        session = index.sessions.find(made.session_id)
        folder = folder_here(stored(session.cwd), stored(session.root), session.worktree)
    start_agent(agent, text, folder, data_dir, f"handoff-{made.session_id[:8] or 'file'}.md")


def _write_session(
    index: Index, argument: str, options: HandoffOptions, agent: Reader, *, yes: bool, dry_run: bool
) -> None:
    selected, turns = session_and_turns(index, argument)
    first, last = (turns[0].number, turns[-1].number) if turns else (None, None)
    conversation = index.handoffs.conversation(selected.key, first, last, options)
    if conversation is None:
        say("Nothing to hand off.")
        return
    if not conversation.cwd:
        # An agent finds a session by the folder in which it worked.
        conversation = replace(conversation, cwd=str(locations.current_folder()))
    write_session(agent, conversation, yes=yes, dry_run=dry_run)


def _session_handoff(index: Index, session: str, options: HandoffOptions) -> Handoff:
    selected, turns = session_and_turns(index, session)
    first, last = (turns[0].number, turns[-1].number) if turns else (None, None)
    return index.handoffs.of_session(selected.key, first, last, options)


def _file_handoff(index: Index, path: str, options: HandoffOptions) -> Handoff:
    """The hand-off of a file in the project of this folder, otherwise in any project."""
    project = index.sessions.project_at(locations.current_folder())
    relative = project.relative(path) if project else None
    if project and relative:
        with suppress(MemtuiError):
            return index.handoffs.of_file(relative, project.root, options)
    return index.handoffs.of_file(path, None, options)


def _write(text: str, to: str | None) -> None:
    """Write to stdout, or to a new file and print its size."""
    if to is None or to == "-":
        print_text(text)
        return
    from memtui_core.export.formats import write

    path = write(Path(to), text)
    say(f"{path}: {len(text)} characters, about {estimated_tokens(len(text))} tokens.")


def _with_messages(file: BinaryIO, text: str) -> str:
    """The messages of a file with a text added, as JSON. Raises MemtuiError if there is no message for it."""
    import orjson

    from memtui_core.memory.handoff.start import prepend_to_messages

    try:
        messages = orjson.loads(file.read())
    except orjson.JSONDecodeError as error:
        raise MemtuiError(f"{file.name} is not JSON: {error}.") from error
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise MemtuiError(f"{file.name} is not a list of messages.")
    changed, is_added = prepend_to_messages(messages, text)
    if not is_added:
        raise MemtuiError(f"No message of {file.name} has the role user and a content: the text cannot be added.")
    return orjson.dumps(changed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _as_json(made: Handoff, text: str) -> str:
    fields: dict[str, Any] = {
        "session_id": made.session_id,
        "first": made.first,
        "last": made.last,
        "summary": made.summary,
        "kind_of_summary": made.kind_of_summary,
        "sections": [
            {"title": section.title, "text": section.text, "chars": section.chars, "tokens": section.tokens}
            for section in made.sections()
        ],
        "text": text,
    }
    return json_text(fields)
