"""`memtui team push`: send what is shared to the team's server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors, settings
from memtui.cli.output import ask, print_json, say, say_progress, show
from memtui.cli.team.opened import joined_address
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui_core.store.snapshot.reader import Snapshot
    from memtui_team.address import TeamAddress
    from memtui_team.push.pusher import Pusher, PushPlan, PushResult, PushSize

NOTHING_SHARED = (
    "Nothing is shared: no session of the index is in a project that the settings name"
    ' (share = ["shop"]), or was shared by p in the app.'
)


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would leave this machine, and stop.")
@click.option("-v", "--verbose", is_flag=True, help="With --dry-run: show each session.")
@click.option("--watch", is_flag=True, help="Keep pushing what is new, until interrupted.")
@click.option("--yes", is_flag=True, help="Push without asking.")
@json_option
@data_dir_option
@reports_errors
def push(dry_run: bool, verbose: bool, watch: bool, yes: bool, as_json: bool, data_dir: Path | None) -> None:
    """Send the shared sessions to the team's server.

    Shared are the projects that the setting `share` names, and the sessions that you
    share in the app by p. Secrets are replaced. What is not shared any more is removed
    from the server. The first push, and the first one of a project, shows what would
    leave this machine, and asks.
    """
    from memtui_core.system import locations

    folder, address = locations.data_dir(data_dir), joined_address(data_dir)
    if watch and not dry_run:
        _watch(folder, address, yes=yes)
    with _pusher(folder, address) as pusher:
        if not dry_run and pusher.has_nothing_new():
            if as_json:
                from memtui_team.push.pusher import PushResult

                _print_result(PushResult())
            say("There is nothing new to push.")
            return
        with closing(pusher.open_snapshot()) as snapshot:
            plan = pusher.plan(snapshot, agreed=True)
            if dry_run:
                _show_plan(plan, _measured(pusher, snapshot, plan), as_json=as_json, verbose=verbose)
                return
            result = _push(pusher, snapshot, plan, yes=yes)
    if as_json:
        _print_result(result)
    if result.refused:
        sys.exit(1)


def _pusher(folder: Path, address: TeamAddress) -> Pusher:
    from memtui_team.push.pusher import Pusher
    from memtui_team.sharing import Sharing

    config = settings()
    return Pusher(folder, address, Sharing.of(folder, config.share, config.groups, config.exclusions))


def _push(pusher: Pusher, snapshot: Snapshot, plan: PushPlan, *, yes: bool) -> PushResult:
    """Ask if need be, push, and say what was done."""
    if plan.changed and (plan.is_first or plan.new_projects) and not yes:
        for line in _lines(plan, _measured(pusher, snapshot, plan), verbose=False):
            say(line)
        ask("Push this to the team's server?", "Nothing was pushed.")
    pusher.agree(plan)
    result = pusher.push(snapshot, plan, _report)
    _clear_progress()
    if not plan.shared:
        say(NOTHING_SHARED)
    say(_sentence(result))
    for reason in result.refused:
        say(f"memtui: {reason}")
    return result


def _watch(folder: Path, address: TeamAddress, *, yes: bool) -> NoReturn:
    """Push whenever something is new. A signal may end it at any moment: a transaction is there as a whole or not."""
    from memtui_core.store.data_folder import DataDir
    from memtui_core.system import locations
    from memtui_team.errors import NotInTeam, TeamTooNew, TeamTooOld
    from memtui_team.forgotten import Forgotten
    from memtui_team.push.watching import Watch
    from memtui_team.sharing import SessionChoices

    files = [
        DataDir(folder).current, SessionChoices(folder).path, Forgotten(folder).path, locations.config_file()
    ]  # fmt: skip
    watch, asks, said = Watch(files), True, ""
    while True:
        try:
            with _pusher(folder, address) as pusher:
                if not pusher.has_nothing_new():
                    with closing(pusher.open_snapshot()) as snapshot:
                        if asks or yes:
                            _push(pusher, snapshot, pusher.plan(snapshot, agreed=True), yes=yes)
                        else:
                            said = _push_agreed(pusher, snapshot, said)
            asks = False
            watch.succeeded()
        except (NotInTeam, TeamTooOld, TeamTooNew):
            raise
        except MemtuiError as error:
            watch.failed()
            if (text := str(error)) != said:
                said = text
                say(f"memtui: {text}")
        watch.wait()


def _push_agreed(pusher: Pusher, snapshot: Snapshot, said: str) -> str:
    """Push without the projects to which the user has not agreed, and say once which these are."""
    plan = pusher.plan(snapshot, agreed=False)
    result = pusher.push(snapshot, plan, _report)
    _clear_progress()
    if plan.changed or plan.removed or plan.forgotten:
        say(_sentence(result))
    for reason in result.refused:
        say(f"memtui: {reason}")
    names = ", ".join(project.name for project in plan.new_projects)
    text = f"Not pushed yet: {names}. Run memtui team push to share it." if names else ""
    if text and text != said:
        say(text)
    return text


def _report(done: int, total: int, result: PushResult) -> None:
    if sys.stderr.isatty():
        say_progress(f"Pushing: {done:,} of {total:,} sessions, {result.turns:,} turns")


def _measured(pusher: Pusher, snapshot: Snapshot, plan: PushPlan) -> PushSize:
    def report(done: int, total: int) -> None:
        if sys.stderr.isatty():
            say_progress(f"Looking at what would leave this machine: {done:,} of {total:,} sessions")

    size = pusher.measure(snapshot, plan, report)
    _clear_progress()
    return size


def _clear_progress() -> None:
    if sys.stderr.isatty():
        say_progress()


def _show_plan(plan: PushPlan, size: PushSize, *, as_json: bool, verbose: bool) -> None:
    if as_json:
        from memtui_team.sharing import summary_of

        projects = [
            {"project": project.name, "key": project.key, "groups": list(project.groups), "sessions": sessions,
             "turns": turns}
            for project, sessions, turns in summary_of(plan.shared).projects
        ]  # fmt: skip
        counts = {"sessions": len(plan.changed), "removed": len(plan.removed), "forgotten": len(plan.forgotten)}
        print_json([{"projects": projects, **counts, **asdict(size)}])
        return
    for line in _lines(plan, size, verbose=verbose):
        show(line)


def _lines(plan: PushPlan, size: PushSize, *, verbose: bool) -> Iterator[str]:
    """What a push would do."""
    from memtui.wording.formatting import plural
    from memtui.wording.formatting import size as in_bytes
    from memtui_core.text.controls import label
    from memtui_team.sharing import summary_of

    if not plan.shared:
        yield NOTHING_SHARED
    for project, sessions, turns in summary_of(plan.shared).projects:
        key = f" ({project.key})" if project.key != project.name else ""
        place = f"{project.name}{key} in {project.root or 'no folder'}, for {', '.join(project.groups)}"
        yield label(f"{place}: {plural(sessions, 'session')}, {plural(turns, 'turn')}")
        if verbose:
            for session in plan.shared:
                if session.project == project:
                    new = " *" if session in plan.changed else ""
                    yield label(f"  {session.session_id}  {session.agent}, {plural(session.turns, 'turn')}{new}")
    if plan.changed:
        text = f"{plural(len(plan.changed), 'session')} with {plural(size.turns, 'new turn')}"
        secrets = f"; {plural(size.redactions, 'secret')} replaced" if size.redactions else ""
        yield f"To push: {text}, {in_bytes(size.bytes)} of text{secrets}."
    elif plan.shared:
        yield "The server has all of it."
    if size.left_out:
        yield f"{plural(size.left_out, 'turn')} too large to be shared."
    if plan.removed or plan.forgotten:
        yield f"To remove: {plural(len(plan.removed) + len(plan.forgotten), 'session')}."


def _sentence(result: PushResult) -> str:
    from memtui.wording.formatting import plural

    parts = [f"{plural(result.sessions, 'session')} pushed, {plural(result.turns, 'turn')}"]
    if result.removed:
        parts.append(f"{plural(result.removed, 'session')} removed")
    if result.forgotten:
        parts.append(f"{plural(result.forgotten, 'session')} forgotten")
    if result.redactions:
        parts.append(f"{plural(result.redactions, 'secret')} replaced")
    if result.left_out:
        parts.append(f"{plural(result.left_out, 'turn')} too large to be shared")
    return f"{'; '.join(parts)}."


def _print_result(result: PushResult) -> None:
    print_json([asdict(result)])
