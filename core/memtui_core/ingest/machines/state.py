"""What is known about a machine from its pulls: `machines/NAME/state.json`, which only a pull writes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically


class CopiedDatabase(NamedTuple):
    """The database of an agent as it was when it was copied last."""

    stamp: str
    """The sizes and times of its files on the other machine."""
    at: float
    """When, in seconds since 1970, by the clock of this machine."""
    seconds: float
    """How long it took."""


@dataclass(slots=True)
class MachineState:
    """The last pulls from a machine. Times are in seconds since 1970 by the clock of this machine; None for never."""

    reached: float | None = None
    """When the machine answered last."""
    tried: float | None = None
    """When the last pull began."""
    error: str = ""
    """Why the last pull failed, or what it could not copy; empty if it copied everything."""
    repositories: dict[str, dict[str, str]] = field(default_factory=dict)
    """By working directory the `root` and the `url` of its repository; both are empty for a folder of no repository."""
    databases: dict[str, CopiedDatabase] = field(default_factory=dict)
    """By path in the home folder."""


def state_file(data: DataDir, machine: str) -> Path:
    """The file with the state of a machine."""
    return data.machines / machine / "state.json"


def read_state(data: DataDir, machine: str) -> MachineState:
    """The state of a machine; an empty one if there is no file or it cannot be read: the next pull writes it again."""
    try:
        value = json.loads(state_file(data, machine).read_bytes())
        known = {one.name: value[one.name] for one in fields(MachineState) if one.name in value}
        known["databases"] = {path: CopiedDatabase(*one) for path, one in known.get("databases", {}).items()}
        return MachineState(**known)
    except (OSError, ValueError, TypeError, AttributeError):
        return MachineState()


def write_state(data: DataDir, machine: str, state: MachineState) -> None:
    """Write the state of a machine. Raises OSError."""
    # Not orjson, which refuses the names of files that are no valid UTF-8.
    value: dict[str, Any] = asdict(state)
    write_atomically(state_file(data, machine), json.dumps(value, indent=1).encode("ascii"))
