"""The machines that the user has declared: `machines/machines.json` in the data folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from memtui_core.errors import MachineRefused, MachineUnknown
from memtui_core.ingest.machines.address import Address, SshAddress, address_of
from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically
from memtui_core.text.machine_folders import HERE

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}")
_WAIT: Final = 10.0
"""Seconds to wait for another process that changes the list."""
_PRIVATE: Final = 0o700
"""The mode of the folder: what a copy has is the user's own."""


class Machine(NamedTuple):
    """A machine as it was declared."""

    name: str
    address: str
    """As it was typed; a folder as its full path."""

    @property
    def place(self) -> Address:
        """Where it is. Raises MachineRefused if somebody has written another address into the file."""
        return address_of(self.address)


def machines_of(data: DataDir) -> list[Machine]:
    """The declared machines by name; none if there is no list or it cannot be read."""
    try:
        value = json.loads(data.machine_list.read_bytes())
        found = [Machine(name, one["address"]) for name, one in value["machines"].items()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []
    valid = (one for one in found if is_name(one.name) and isinstance(one.address, str))
    return sorted(valid, key=lambda one: one.name)


def mirrors_of(data: DataDir) -> list[Path]:
    """The mirrors of the declared machines; they need not exist."""
    return [data.mirror(machine.name) for machine in machines_of(data)]


def machine_named(data: DataDir, name: str) -> Machine:
    """A declared machine. Raises MachineUnknown."""
    machines = machines_of(data)
    found = next((machine for machine in machines if machine.name == name), None)
    if found is None:
        known = ", ".join(machine.name for machine in machines)
        raise MachineUnknown(f"There is no machine {name!r}. {f'Declared: {known}.' if known else 'None is declared.'}")
    return found


def is_name(text: str) -> bool:
    """Whether a machine can have this name: it is also that of a folder."""
    return _NAME.fullmatch(text) is not None


def declare(data: DataDir, name: str, address: str) -> Machine:
    """Add a machine to the list. Raises MachineRefused if its name or address is not valid, or the name is taken."""
    if not is_name(name):
        raise MachineRefused(
            f"{name!r} is no name: at most 40 letters, digits and the characters . - _, with none of . and - first."
        )
    if name.casefold() == HERE:
        raise MachineRefused(f"{name!r} is what this machine is called.")
    place = address_of(address)
    machine = Machine(name, address if isinstance(place, SshAddress) else str(place))

    def add(machines: dict[str, Machine]) -> None:
        taken = next((one for one in machines if one.casefold() == name.casefold()), None)
        if taken is not None:
            raise MachineRefused(
                f"There is already a machine {taken!r}. Remove it first: memtui machine remove {taken}"
            )
        machines[name] = machine

    _change(data, add)
    return machine


def undeclare(data: DataDir, name: str) -> None:
    """Remove a machine from the list. Raises MachineUnknown."""
    machine_named(data, name)
    _change(data, lambda machines: machines.pop(name, None))


def _change(data: DataDir, change: Callable[[dict[str, Machine]], object]) -> None:
    # Each run of the indexer reads the list, and few processes change it.
    from filelock import FileLock, Timeout

    data.machines.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    try:
        with FileLock(data.machine_list.with_suffix(".lock"), timeout=_WAIT):
            machines = {machine.name: machine for machine in machines_of(data)}
            change(machines)
            value = {"machines": {name: {"address": machines[name].address} for name in sorted(machines)}}
            write_atomically(data.machine_list, json.dumps(value, indent=1).encode(), durable=True)
    except Timeout as error:
        raise MachineRefused("Another memtui is changing the list of machines.") from error
