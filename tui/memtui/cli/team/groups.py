"""`memtui team groups`: who belongs to which group, and what groups read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import ask, print_json, print_table, say
from memtui.cli.team.opened import admin_url_option, as_admin, as_admin_or_member

_USAGE: Final = {
    **dict.fromkeys(("add", "remove"), "GROUP [MEMBER]..."),
    **dict.fromkeys(("share", "unshare"), "PROJECT GROUP"),
}


@click.command()
@click.argument("action", type=click.Choice(["list", *_USAGE]), default="list")
@click.argument("names", nargs=-1)
@click.option("--yes", is_flag=True, help="Remove a group without asking.")
@json_option
@admin_url_option
@data_dir_option
@reports_errors
def groups(action: str, names: tuple[str, ...], yes: bool, as_json: bool, url: str, data_dir: Path | None) -> None:
    """List the groups of a team, or change them as the administrator.

    Members see their own groups, and those that read the same projects.

    \b
    memtui team groups
    memtui team groups add GROUP [MEMBER]...      a new group, or more members
    memtui team groups remove GROUP [MEMBER]...   members; without any, the group
    memtui team groups share PROJECT GROUP        let a group read a project
    memtui team groups unshare PROJECT GROUP
    """  # noqa: D301
    _check_names(action, names)
    if action == "list":
        _list(url, data_dir, as_json=as_json)
        return
    from memtui_team.admin.groups import (
        add_members,
        remove_group,
        remove_members,
        share_project,
        unshare_project,
    )

    with as_admin(url, data_dir) as (connection, _):
        if action == "add":
            is_new = add_members(connection, names[0], names[1:])
            say(f"The group {names[0]} is new." if is_new else f"The group {names[0]} has them now.")
        elif action == "remove" and names[1:]:
            remove_members(connection, names[0], names[1:])
            say(f"The group {names[0]} is without them now.")
        elif action == "remove":
            if not yes:
                ask(f"Remove the group {names[0]}?", "Nothing was removed.")
            remove_group(connection, names[0])
            say(f"The group {names[0]} was removed.")
        elif action == "share":
            share_project(connection, *names)
            say(f"{names[1]} reads {names[0]} now.")
        else:
            unshare_project(connection, *names)
            say(f"{names[1]} reads {names[0]} no longer, until a member shares it again.")


def _list(url: str, data_dir: Path | None, *, as_json: bool) -> None:
    from memtui_team.admin.groups import list_groups

    with as_admin_or_member(url, data_dir) as connection:
        listed = list_groups(connection)
    if as_json:
        print_json([group._asdict() for group in listed])
        return
    rows = [(group.name, ", ".join(group.members) or "-", ", ".join(group.projects) or "-") for group in listed]
    print_table([("group", "members", "projects"), *rows], head=True)


def _check_names(action: str, names: tuple[str, ...]) -> None:
    """Raise UsageError unless there are as many names as an action takes."""
    fits: dict[str, Any] = {"list": not names, "add": names, "remove": names}
    if not fits.get(action, len(names) == 2):
        raise click.UsageError(f"memtui team groups {action} takes {_USAGE.get(action, 'no names')}.")
