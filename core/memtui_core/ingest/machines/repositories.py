"""The repositories on another machine, as its last pull found them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import orjson

from memtui_core.store.data_folder import DataDir


class Repository(NamedTuple):
    """A repository on another machine."""

    root: str
    """The top folder of the working tree."""
    url: str
    """The address of its remote; empty if it has none."""


def repositories_of(data: DataDir, machine: str) -> Mapping[str, Repository]:
    """The repositories by the working directories of the machine's sessions; empty if none are known."""
    try:
        state = orjson.loads((data.machines / machine / "state.json").read_bytes())
    except (OSError, ValueError):
        return {}
    known = state.get("repositories") if isinstance(state, dict) else None
    if not isinstance(known, dict):
        return {}
    return {
        folder: Repository(one["root"], one["url"])
        for folder, one in known.items()
        if isinstance(one, dict) and isinstance(one.get("root"), str) and isinstance(one.get("url"), str)
    }
