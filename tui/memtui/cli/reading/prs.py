"""`memtui prs`: pull requests and their sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, print_table, say, short_session, short_time, stdout_width

if TYPE_CHECKING:
    from memtui_core.model import PrLink


@click.command()
@click.argument("number", required=False, type=click.IntRange(min=1))
@click.option("--session", metavar="SESSION", help="Only those of a session; the beginning of its id is enough.")
@data_dir_option
@json_option
@reports_errors
def prs(number: int | None, session: str | None, data_dir: Path | None, as_json: bool) -> None:
    """List pull requests and the sessions that belong to them."""
    index = open_index(data_dir)
    links = index.pull_requests.links(number, index.sessions.find(session).key if session is not None else None)
    if as_json:
        print_json([pr_object(link) for link in links])
        return
    if stdout_width() is not None and links:
        head = ("PR", "state", "title", "repository", "session", "session title", "last", "address")
        print_table(
            [head, *map(_terminal_row, links)],
            right=(0,),
            styles=("tool", "", "strong", "", "muted", "", "muted", "muted"),
            head=True,
            shrinks={2: "end", 3: "start", 5: "end"},
            drops=(7, 5, 6, 3),
            title=2,
        )
    else:
        print_table([_row(link) for link in links])
    if not links:
        subject = "The session is not" if session is not None else "No session is"
        say(f"{subject} tied to {'a pull request' if number is None else f'#{number}'}.")


def pr_object(link: PrLink) -> dict[str, Any]:
    """A pull request of a session as JSON; `title` is that of the session."""
    names = ("number", "url", "repository", "session_id", "title", "project", "at", "line")
    return fields_of(link, *names, "pr_title", "pr_title_turn", "state", "state_turn")


def _terminal_row(link: PrLink) -> tuple[str, ...]:
    from memtui.wording.session_state import MARKS

    title = link.pr_title or f"{MARKS['ended']}{link.title}"
    pull_request = (f"#{link.number}", link.state or "", title, link.repository)
    return (*pull_request, short_session(link.session_id), link.title, short_time(link.at), link.url)


def _row(link: PrLink) -> tuple[str, ...]:
    session = (link.session_id, link.title, short_time(link.at))
    return (f"#{link.number}", link.repository, *session, link.url, link.state or "-", link.pr_title)
