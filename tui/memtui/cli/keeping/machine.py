"""`memtui machine`: the user's other machines, and copies of what the agents on them wrote."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import ask, print_json, print_table, say, short_time, show

if TYPE_CHECKING:
    from memtui_core.ingest.machines.declared import Machine
    from memtui_core.ingest.machines.pull import Pulled
    from memtui_core.store.data_folder import DataDir

_NO_MACHINE = "No machine is declared: memtui machine add NAME ADDRESS"


@click.group()
def machine() -> None:
    """Bring the sessions of your other machines into the index.

    A pull copies the transcripts of the agents on another machine, over ssh or from
    a folder, and nothing else of its home folder: no settings, no credentials.
    """


@machine.command()
@click.argument("name")
@click.argument("address")
@click.option("--pull", is_flag=True, help="Pull at once.")
@data_dir_option
@reports_errors
def add(name: str, address: str, pull: bool, data_dir: Path | None) -> None:
    """Declare a machine and look what there is on it.

    ADDRESS is ssh://[user@]host[:port] or a folder that has what the home folder of
    the machine has: synchronized, mounted, or a backup. ssh runs with your own
    configuration and keys; MEMTUI_SSH names another command for it.
    """
    from memtui.wording.formatting import plural, size
    from memtui_core.errors import MachineUnreachable
    from memtui_core.ingest.machines.address import SshAddress
    from memtui_core.ingest.machines.declared import declare
    from memtui_core.ingest.machines.pull import look
    from memtui_core.readers.registry import short_name

    data = _data(data_dir)
    added = declare(data, name, address)
    try:
        found = look(data, added)
    except MachineUnreachable as error:
        say(f"{name} was added, but nothing can be pulled now: {error}")
        if isinstance(place := added.place, SshAddress):
            # It may ask for what a pull never does: whether the host is known, or a password.
            port = f"-p {place.port} " if place.port else ""
            say(f"Try: ssh {port}{place.destination}")
        return
    agents = ", ".join(f"{short_name(agent)} {plural(count, 'file')}" for agent, count in sorted(found.agents.items()))
    show(f"{name} was added: {agents or 'no agent'}{f', {size(found.bytes)}' if agents else ''}.")
    for link in found.outside:
        say(f"{link} is a link out of the home folder, and is not copied.")
    if pull:
        sys.exit(pull_from(data, [added]))
    say(f"Run: memtui machine pull {name}")


@machine.command("list")
@data_dir_option
@json_option
@reports_errors
def list_machines(data_dir: Path | None, as_json: bool) -> None:
    """List the machines: address, size of what was copied, when last seen, last error."""
    rows = machine_rows(_data(data_dir))
    if as_json:
        print_json(rows)
    elif not rows:
        say(_NO_MACHINE)
    else:
        from memtui.wording.formatting import size

        head = ("name", "address", "copied", "last seen", "last error")
        print_table(
            [
                head,
                *(
                    (row["name"], row["address"], size(row["bytes"]), short_time(row["last_seen"]), row["error"])
                    for row in rows
                ),
            ],
            right=(2,),
            head=True,
        )


@machine.command()
@click.argument("name", required=False)
@data_dir_option
@reports_errors
def pull(name: str | None, data_dir: Path | None) -> None:
    """Copy what is new on all machines, or on one; memtui index --watch and the app do it every five minutes.

    What is deleted there stays here. The exit code is 1 if a machine did not answer.
    """
    from memtui_core.ingest.machines.declared import machine_named, machines_of

    data = _data(data_dir)
    machines = machines_of(data) if name is None else [machine_named(data, name)]
    if not machines:
        say(_NO_MACHINE)
    code = pull_from(data, machines)
    if machines:
        say("Run: memtui index, unless the app or memtui index --watch is running.")
    sys.exit(code)


@machine.command()
@click.argument("name")
@click.option("--keep", is_flag=True, help="Keep what was copied.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
@data_dir_option
@reports_errors
def remove(name: str, keep: bool, yes: bool, data_dir: Path | None) -> None:
    """Forget a machine, and delete what was copied from it.

    Its sessions stay in the index, as those of transcripts that were deleted: they
    can be found and read, but not be indexed again. Nothing changes on the machine.
    """
    from memtui_core.ingest.machines.declared import machine_named, undeclare
    from memtui_core.ingest.machines.pull import remove_copies

    data = _data(data_dir)
    machine_named(data, name)
    if not yes:
        what = "Remove" if keep else "Delete what was copied from"
        ask(f"{what} {name}?", "Nothing was removed.")
    undeclare(data, name)
    if not keep:
        remove_copies(data, name)
    what = "what was copied is kept" if keep else "its sessions stay in the index, as those of deleted transcripts"
    say(f"{name} was removed; {what}.")


def pull_from(
    data: DataDir, machines: Sequence[Machine], stopped: Callable[[], bool] = lambda: False, *, quiet: bool = False
) -> int:
    """Pull from machines one after the other, each told in a line; 1 if one did not answer or not give everything."""
    from memtui_core.errors import MemtuiError
    from memtui_core.ingest.machines.pull import pull as pull_one
    from memtui_core.ingest.machines.reaching.running import PullInterrupted

    code = 0
    for one in machines:
        try:
            pulled = pull_one(data, one, stopped)
        except PullInterrupted:
            return 1
        except MemtuiError as error:
            say(f"{one.name}: {error}")
            code = 1
            continue
        if not quiet:
            show(f"{one.name}: {_summary(pulled)}")
        for failure in pulled.failures:
            say(f"{one.name}: {failure}")
            code = 1
    return code


def machine_rows(data: DataDir) -> list[dict[str, Any]]:
    """The machines as JSON has them, by name; times in UTC, None for never."""
    from memtui_core.ingest.machines.declared import machines_of
    from memtui_core.ingest.machines.state import read_state

    rows = []
    for one in machines_of(data):
        state = read_state(data, one.name)
        rows.append(
            {
                "name": one.name,
                "address": one.address,
                "bytes": _size_of(data.mirror(one.name)),
                "last_seen": _time(state.reached),
                "last_tried": _time(state.tried),
                "error": state.error,
            }
        )
    return rows


def _summary(pulled: Pulled) -> str:
    from memtui.wording.formatting import plural, size

    brought = [plural(count, noun) for count, noun in ((pulled.files, "file"), (pulled.databases, "database")) if count]
    news = f"{' and '.join(brought)}, {size(pulled.bytes)}" if brought else "nothing"
    added = f", {plural(pulled.annotations, 'annotation')} added" if pulled.annotations else ""
    return f"{news} new, {plural(pulled.found, 'file')} there{added}."


def _size_of(folder: Path) -> int:
    total = 0
    for top, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(os.path.join(top, name))  # noqa: PTH118
            except OSError:
                continue
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _data(data_dir: Path | None) -> DataDir:
    from memtui_core.store.data_folder import DataDir
    from memtui_core.system import locations

    return DataDir(locations.data_dir(data_dir))
