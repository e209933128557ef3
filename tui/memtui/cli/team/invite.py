"""`memtui team invite`: a login for a device of a member."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say, show
from memtui.cli.team.opened import admin_url_option, as_admin


@click.command()
@click.argument("member")
@click.option("--device", default="main", show_default=True, help="The name of the member's machine.")
@click.option("--group", "groups", multiple=True, help="A group for the member (new ones: everyone); may be repeated.")
@click.option("--lead", is_flag=True, help="The device sees figures of all projects, and no texts.")
@admin_url_option
@data_dir_option
@reports_errors
def invite(member: str, device: str, groups: tuple[str, ...], lead: bool, url: str, data_dir: Path | None) -> None:
    """Invite a device of a member, as the administrator.

    Prints the command with which the member joins. It has the password of the device, which is kept nowhere: send it
    on a safe way. A device that was revoked is taken back with a new password.
    """
    from memtui_team.admin import devices

    with as_admin(url, data_dir) as (connection, admin_url):
        invitation = devices.invite(connection, admin_url, member, device, groups, is_lead=lead)
    if invitation.groups:
        say(f"{invitation.member} is in {', '.join(invitation.groups)}.")
    say("Send this to the member. Without the address, memtui team join asks for it: no shell then remembers it.")
    show(f"memtui team join {shlex.quote(invitation.url)}")
