"""What this machine remembers of its pushes: only what saves work, and which projects the user agreed to share."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import orjson

from memtui_core.system.atomic_files import write_atomically


@dataclass
class PushMark:
    """The state up to which everything is on the server. Without it a push asks again, and compares everything."""

    server: str
    """Which server, and which device of its team."""
    local: list[Any] = field(default_factory=list)
    """The snapshot and the settings that were pushed."""
    remote: list[Any] = field(default_factory=list)
    """What the server had then: another value means that it has lost or got something since."""
    projects: list[list[str]] = field(default_factory=list)
    """Name, root and key of the projects that the user agreed to share."""
    is_confirmed: bool = False
    """Whether the user agreed to push from this machine."""

    @classmethod
    def load(cls, data_dir: Path, server: str) -> Self:
        """The mark of a data folder for a server; an empty one if there is none, or only of another server."""
        with suppress(OSError, ValueError, TypeError):
            mark = cls(**orjson.loads(_path(data_dir).read_bytes()))
            if mark.server == server:
                return mark
        return cls(server)

    def save(self, data_dir: Path) -> None:
        """Keep it. Raises OSError."""
        write_atomically(_path(data_dir), orjson.dumps(asdict(self)))


def _path(data_dir: Path) -> Path:
    return data_dir / "team" / "pushed.json"
