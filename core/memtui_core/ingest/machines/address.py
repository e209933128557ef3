"""Where a machine is: reached by ssh, or a folder with what its home folder has."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from memtui_core.errors import MachineRefused
from memtui_core.system.locations import home_in

_SCHEME: Final = "ssh://"
_HOST: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%[A-Za-z0-9_.-]+)?")
"""A name, also one of the ssh configuration, or an IPv6 address. None begins with a hyphen, as an option does."""
_USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:@[A-Za-z0-9_][A-Za-z0-9_.-]*)?")
_FORMS: Final = "An address is ssh://[user@]host[:port], or a folder."


class SshAddress(NamedTuple):
    """A machine that is reached by ssh."""

    host: str
    user: str = ""
    port: int | None = None

    @property
    def destination(self) -> str:
        """The host with the user, as ssh takes it."""
        return f"{self.user}@{self.host}" if self.user else self.host


Address = SshAddress | Path


def address_of(text: str) -> Address:
    """The address that a text names. Raises MachineRefused, also for what ssh would take for an option."""
    if text.lower().startswith(_SCHEME):
        return _ssh_address(text)
    if "://" in text or not text.strip() or "\0" in text:
        raise MachineRefused(f"{text!r} is no address. {_FORMS}")
    folder = Path(text).expanduser()
    if not folder.exists() and len(folder.parts) == 1:
        raise MachineRefused(f"There is no folder {text!r} here. {_FORMS}")
    folder = folder.absolute()
    if _is_same(folder, home_in(os.environ)):
        raise MachineRefused(f"{folder} is the home folder of this machine.")
    return folder


def _ssh_address(text: str) -> SshAddress:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise MachineRefused(f"{text!r} is no address: {error}. {_FORMS}") from error
    if parts.password is not None:
        raise MachineRefused("An address has no password: ssh uses your keys.")
    # Not `parts.hostname`, which is in lower case: names of the ssh configuration are compared as they are.
    user, _, rest = parts.netloc.rpartition("@")
    host = rest[1:].partition("]")[0] if rest.startswith("[") else rest.partition(":")[0]
    is_plain = parts.path in ("", "/") and not parts.query and not parts.fragment
    if not is_plain or not _HOST.fullmatch(host) or (user and not _USER.fullmatch(user)) or port == 0:
        raise MachineRefused(f"{text!r} is no address. {_FORMS}")
    return SshAddress(host, user, port)


def _is_same(folder: Path, other: Path) -> bool:
    return os.path.realpath(folder) == os.path.realpath(other)
