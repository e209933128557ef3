"""The repositories of the working directories on another machine, by which a project is the same on both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from memtui_core.ingest.machines.state import read_state
from memtui_core.store.data_folder import DataDir

_USER: Final = re.compile(r"^(https?://)[^/@]*@", re.IGNORECASE)
_PASSWORD: Final = re.compile(r"^(\w+://[^/@:]*):[^/@]*@")


class Repository(NamedTuple):
    """A repository on another machine."""

    root: str
    """The top folder."""
    url: str
    """The URL of the remote `origin` without a password; empty if there is none."""


def repositories_of(data: DataDir, machine: str) -> Mapping[str, Repository]:
    """The repositories by working directory on a machine; folders that are in no repository are left out."""
    known = read_state(data, machine).repositories
    return {folder: Repository(one["root"], one["url"]) for folder, one in known.items() if one["root"]}


def without_password(url: str) -> str:
    """A URL without a password or a token: for http the user is left out, too, as a token often stands there."""
    return _PASSWORD.sub(r"\1@", _USER.sub(r"\1", url))
