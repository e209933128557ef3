"""`memtui team revoke`: the end of a device's login."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say
from memtui.cli.team.opened import admin_url_option, as_admin


@click.command()
@click.argument("member")
@click.argument("device", default="")
@admin_url_option
@data_dir_option
@reports_errors
def revoke(member: str, device: str, url: str, data_dir: Path | None) -> None:
    """Take the login of a device, or of all devices of a member, as the administrator.

    Their connections end at once. What they have pushed stays.
    """
    from memtui_team.admin import devices

    with as_admin(url, data_dir) as (connection, _):
        revoked = devices.revoke(connection, member, device)
    say(f"Revoked of {member}: {', '.join(revoked)}.")
