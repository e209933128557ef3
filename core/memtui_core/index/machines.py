"""The user's other machines: when each was last seen, and how a session on one is resumed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memtui_core.errors import MemtuiError
from memtui_core.ingest.machines.address import SshAddress
from memtui_core.ingest.machines.declared import machines_of
from memtui_core.ingest.machines.state import read_state, state_file
from memtui_core.model import Session
from memtui_core.readers.registry import resume_command
from memtui_core.store.data_folder import DataDir
from memtui_core.text.controls import stored


class SeenMachine(NamedTuple):
    """A declared machine."""

    name: str
    seen_at: datetime | None
    """When it answered last; None for never."""
    is_reachable: bool
    """Whether the last pull had no error."""


@dataclass(frozen=True, slots=True)
class Resuming:
    """How a session is resumed."""

    command: Sequence[str]
    """What this machine runs; if there is an obstacle, what the other machine would run."""
    shown: str
    """The command with the change to its folder, as a shell takes it."""
    folder: str
    """The folder of the session, on its machine."""
    machine: str = ""
    """The other machine on which the session is; empty for this one."""
    obstacle: str = ""
    """Why this machine cannot run it; empty if it can."""


def seen_machines(data_dir: Path) -> list[SeenMachine]:
    """The declared machines by name."""
    data = DataDir(data_dir)
    seen = []
    for machine in machines_of(data):
        state = read_state(data, machine.name)
        at = datetime.fromtimestamp(state.reached, UTC) if state.reached is not None else None
        seen.append(SeenMachine(machine.name, at, not state.error))
    return seen


def machines_stamp(data_dir: Path) -> tuple[int, ...]:
    """A value that differs when the list of machines, or what is known about one, was written again."""
    data = DataDir(data_dir)
    paths = [data.machine_list]
    if _written(data.machine_list):
        paths += [state_file(data, machine.name) for machine in machines_of(data)]
    return tuple(map(_written, paths))


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def resuming(session: Session, data_dir: Path) -> Resuming | None:
    """How to resume a session; None if it cannot be resumed.

    A session of a machine that is reached by ssh is resumed over ssh, one of a colleague not at all.
    """
    command = resume_command(session) if not session.member else None
    if command is None:
        return None
    machine, folder = str(session.machine), stored(session.cwd)
    # The folder comes from a transcript: what is shown and copied must not act on a terminal.
    shown = f"cd {shlex.quote(session.cwd)} && {shlex.join(command)}"
    if not machine:
        return Resuming(command, shown, folder)
    address = _ssh_address(data_dir, machine)
    if address is None:
        return Resuming(command, shown, folder, machine, f"The session is on the machine {machine}.")
    there = f"cd {shlex.quote(folder)} && {shlex.join(command)}"
    if not folder:
        there = shown = shlex.join(command)
    port = ["-p", str(address.port)] if address.port is not None else []
    over_ssh = ["ssh", "-t", *port, address.destination]
    return Resuming([*over_ssh, there], shlex.join([*over_ssh, shown]), folder, machine)


def _ssh_address(data_dir: Path, machine: str) -> SshAddress | None:
    """The address of a declared machine that is reached by ssh; None for any other machine."""
    declared = next((one for one in machines_of(DataDir(data_dir)) if one.name == machine), None)
    try:
        place = declared.place if declared is not None else None
    except MemtuiError:
        return None
    return place if isinstance(place, SshAddress) else None
