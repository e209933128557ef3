"""Where the team's server is, and as whom this memtui uses it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final, Self

from memtui_core.system.atomic_files import replace_file
from memtui_team.errors import TeamError

_JOINED: Final = "team.json"
_ADMINISTERED: Final = "admin.json"


@dataclass(frozen=True)
class TeamAddress:
    """A team that was joined. The URLs may contain the password of the device: they are never printed."""

    url: str
    read_url: str = ""
    """Where searches go, such as a replica; empty for `url`."""
    member: str = ""
    device: str = ""

    @classmethod
    def load(cls, data_dir: Path) -> Self | None:
        """The team of a data folder; None if none was joined. Raises TeamError for a file that cannot be read."""
        values = _read(_folder(data_dir) / _JOINED)
        if values is None:
            return None
        return cls(**{field.name: values.get(field.name, "") for field in fields(cls)})

    def save(self, data_dir: Path) -> None:
        """Keep the address in a data folder, in a file that only its owner can read."""
        _write(_folder(data_dir) / _JOINED, asdict(self))

    @property
    def searched_url(self) -> str:
        """Where searches go."""
        return self.read_url or self.url


def forget_address(data_dir: Path) -> None:
    """Leave the team of a data folder, if there is one."""
    (_folder(data_dir) / _JOINED).unlink(missing_ok=True)


def load_admin_url(data_dir: Path) -> str:
    """The URL with which the team was set up from this data folder; empty if it was not."""
    return (_read(_folder(data_dir) / _ADMINISTERED) or {}).get("url", "")


def save_admin_url(data_dir: Path, url: str) -> None:
    """Keep the URL of the administrator, in a file that only its owner can read."""
    _write(_folder(data_dir) / _ADMINISTERED, {"url": url})


def _folder(data_dir: Path) -> Path:
    return data_dir / "team"


def _read(path: Path) -> dict[str, str] | None:
    try:
        values = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise TeamError(f"{path} cannot be read. Remove it, and join the team again.") from error
    if not isinstance(values, dict) or not isinstance(values.get("url"), str) or not values["url"]:
        raise TeamError(f"{path} has no address. Remove it, and join the team again.")
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _write(path: Path, values: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    # The mode is set when the file is made, so that nobody can open it before.
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(json.dumps(values).encode())
    replace_file(part, path)
