"""`memtui pr`: the turns behind a pull request."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.origin.turns_behind import show_turns
from memtui.cli.output import print_json, say, show_styled

if TYPE_CHECKING:
    from memtui_core.memory.blame.values import RequestOrigin, RequestTurn

_REQUEST: Final = re.compile(
    r"(?:https?://[^/\s]+/)?(?:(?P<repository>[^/\s#]+/[^/\s#]+)(?:#|/pull/))?#?(?P<number>\d{1,9})"
)


@click.command()
@click.argument("request", metavar="[OWNER/NAME#]NUMBER")
@data_dir_option
@json_option
@reports_errors
def pr(request: str, data_dir: Path | None, as_json: bool) -> None:
    """Print the sessions and turns behind a pull request of this folder's repository, with what proves it.

    A turn is behind it if it made it, as gh printed; if it named it, by its address, by repository and number, or in a
    command of gh; if it made one of its commits; or if its edits brought lines of them. The commits are known if a
    repository on this disk names them: one with a remote that leads to the repository of the pull request.
    """
    from memtui_core.system import locations

    match = _REQUEST.fullmatch(request.strip())
    if match is None:
        raise click.BadParameter("name a number, as in 41, owner/name#41 or its address.", param_hint="NUMBER")
    folder = Path(locations.current_folder())
    index = open_index(data_dir)
    origin = index.pull_requests.origin(int(match["number"]), folder, match["repository"] or "")
    if as_json:
        print_json([_object(origin, turn) for turn in origin.turns])
        return
    show_styled((f"#{origin.number}", "tool"), (f"  {origin.title}" if origin.title else "", "strong"))
    show_styled((_facts(origin), "muted"))
    if not origin.turns:
        say("Nothing proves that a session is behind this pull request.")
        return
    show_turns((turn, _proofs(turn)) for turn in origin.turns)


def _facts(origin: RequestOrigin) -> str:
    """`merged · ana/shop · 3 commits, by merge commit a1b2c3d4e5 · 12 lines added, 9 of them by edits of sessions`."""
    from memtui.wording.formatting import number, plural

    commits = "its commits are in no repository on this disk"
    if origin.other_remote is not None:
        other = f"the remote of this repository is {origin.other_remote}"
        none = "this repository has no remote named like the pull request's"
        commits = f"its commits are unknown: {other if origin.other_remote else none}"
    if origin.commits:
        unread = f", of which the last {number(origin.unread)} are not read" if origin.unread else ""
        commits = f"{plural(len(origin.commits), 'commit')}, by {origin.found_by}{unread}"
    added = f"{plural(origin.added, 'line')} added, {number(origin.claimed)} of them by edits of sessions"
    facts = (origin.state, origin.repository, commits, added if origin.commits else "", origin.url)
    return " · ".join(filter(None, facts))


def _proofs(turn: RequestTurn) -> str:
    """`made it, 2 commits, wrote 12 lines`; `named it` only if nothing else is known."""
    from memtui.wording.formatting import plural

    words = (
        "made it" if turn.opened else "",
        plural(len(turn.made), "commit") if turn.made else "",
        f"wrote {plural(turn.lines, 'line')}" if turn.lines else "",
    )
    return ", ".join(filter(None, words)) or "named it"


def _object(origin: RequestOrigin, turn: RequestTurn) -> dict[str, Any]:
    """A turn behind a pull request as JSON."""
    proofs = {"opened": turn.opened, "named": turn.named, "committed": bool(turn.made), "wrote": bool(turn.lines)}
    return {
        "number": origin.number,
        "repository": origin.repository,
        "url": origin.url,
        "pr_title": origin.title,
        "state": origin.state or None,
        "added": origin.added,
        "session_id": turn.session.session_id,
        "agent": turn.session.agent,
        "title": turn.session.title,
        "turn": turn.turn,
        "at": turn.at,
        "proofs": [name for name, is_so in proofs.items() if is_so],
        "commits": list(turn.made),
        "lines": turn.lines,
        "files": list(turn.files),
    }
