"""The system's own ssh, with the user's configuration, keys, jump hosts and known hosts as they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from typing import Final

from memtui_core.errors import MachineUnreachable
from memtui_core.ingest.machines.address import SshAddress
from memtui_core.ingest.machines.reaching.running import never, output_of
from memtui_core.ingest.machines.reaching.scripts import MARK
from memtui_core.system.systems import words_of

VARIABLE: Final = "MEMTUI_SSH"
"""The variable with another command for ssh, with its arguments, as GIT_SSH_COMMAND is one for git."""
CONNECTING: Final = 3
"""Seconds for the connection and the greeting of the other side."""
ANSWERING: Final = 10.0
"""Seconds until the other side answers, with the time to check keys."""
SILENCE: Final = 120.0
"""Seconds that the other side may need for one step, such as a copy of a database. A lost connection ends sooner."""
_OPTIONS: Final = (
    "BatchMode=yes",
    f"ConnectTimeout={CONNECTING}",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    "PermitLocalCommand=no",
    "LogLevel=ERROR",
)
"""Never a question; and what the user has set up for sessions at a terminal stays out of it."""
_LONGEST_GREETING: Final = 1 << 20


class Ssh:
    """Runs scripts on one machine. `stopped` tells whether to end at once, by PullInterrupted."""

    def __init__(self, address: SshAddress, stopped: Callable[[], bool] = never) -> None:
        self.address = address
        self.stopped = stopped

    @property
    def command(self) -> list[str]:
        """Ssh with its options, without the destination."""
        own = words_of(os.environ.get(VARIABLE, "")) or ["ssh"]
        options = [word for option in _OPTIONS for word in ("-o", option)]
        port = ["-p", str(self.address.port)] if self.address.port is not None else []
        return [*own, "-T", "-C", *options, *port]

    def answer(self, script: bytes) -> Generator[bytes, None, None]:
        """What a script of `scripts` prints. Raises MachineUnreachable, PullInterrupted."""
        greeting = b""
        command = [*self.command, self.address.destination, "sh"]
        pieces = output_of(command, script, first=ANSWERING, silence=SILENCE, stopped=self.stopped)
        try:
            for piece in pieces:
                greeting += piece
                before, mark, rest = greeting.partition(MARK)
                if mark:
                    if rest:
                        yield rest
                    yield from pieces
                    return
                if len(before) > _LONGEST_GREETING:
                    break
        finally:
            pieces.close()
        raise MachineUnreachable("the login shell runs no scripts")
