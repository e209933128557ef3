"""`memtui team leave`: the end of a membership on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say
from memtui.cli.team.opened import joined_address


@click.command()
@data_dir_option
@reports_errors
def leave(data_dir: Path | None) -> None:
    """Leave the team on this machine: forget its address.

    What was pushed stays on the server; memtui team forget removes it before.
    """
    from memtui_core.system import locations
    from memtui_team.address import forget_address

    joined_address(data_dir)
    forget_address(locations.data_dir(data_dir))
    say("This machine has left the team. The administrator ends its login with: memtui team revoke")
