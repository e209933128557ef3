"""What the user and this machine are called."""

from __future__ import annotations

import os
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memtui_core.system.locations import home_in

_GIT_NAME: Final = re.compile(r"^\[user\][^\[]*?^\s*name\s*=\s*\"?([^\"\n#;]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names by which a session can tell whose it is; each is empty if it is not known."""

    home: str = ""
    """The home folder."""
    user: str = ""
    """The name of the account."""
    host: str = ""
    """The name of the machine."""
    name: str = ""
    """The user's name, as git writes it into commits."""


def own_names() -> OwnNames:
    """The names on this machine: from the environment, the system, and the user's settings of git."""
    home = home_in(os.environ)
    user = os.environ.get("USER") or os.environ.get("USERNAME") or home.name
    return OwnNames(str(home), user, socket.gethostname(), _git_name(home))


def _git_name(home: Path) -> str:
    for path in (home / ".gitconfig", home / ".config/git/config"):
        with suppress(OSError, UnicodeDecodeError):
            if found := _GIT_NAME.search(path.read_text("utf-8")):
                return found[1].strip()
    return ""
