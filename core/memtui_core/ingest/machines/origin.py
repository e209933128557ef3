"""Which transcripts were copied from other machines."""

from __future__ import annotations

import os

from memtui_core.store.data_folder import DataDir


def machine_of_source(data: DataDir, name: str) -> str:
    """The machine from which a source was copied, by its name in the store; empty for a source of this machine."""
    machine = name.removeprefix(f"{data.machines.absolute()}{os.sep}").partition(os.sep)[0]
    return machine if name.startswith(f"{data.mirror(machine).absolute()}{os.sep}") else ""
