"""The change of one file of an agent: shown as a diff, written atomically, and undone exactly."""

from __future__ import annotations

import difflib
import io
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui_core.errors import MemtuiError
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.private_files import users_files


class SettingsUnusable(MemtuiError):
    """A settings file cannot be read, changed or written; it is unchanged."""


class Uneditable(ValueError):
    """A text that cannot be changed; what is wrong with it, to be read after the path of the file."""


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """The old and the new content of one file; None if there is none."""

    path: Path
    before: bytes | None
    after: bytes | None
    is_private: bool = False
    """Whether a new file is for the user alone."""

    @property
    def is_empty(self) -> bool:
        """Whether the file stays unchanged."""
        return self.after == self.before

    def diff(self) -> str:
        """The change as a unified diff."""
        before, after = (io.StringIO(_text(data or b""), "\n").readlines() for data in (self.before, self.after))
        old_name, new_name = ("/dev/null" if data is None else str(self.path) for data in (self.before, self.after))
        lines = difflib.unified_diff(before, after, old_name, new_name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def missing_folders(self) -> list[Path]:
        """The folders that writing the file will make."""
        return [folder for folder in self._target().parents if not folder.exists()]

    def write(self) -> None:
        """Replace the content atomically; a link is followed and the mode stays. A file without content is removed.

        Raises SettingsUnusable if the file was changed since it was read, or cannot be written.
        """
        target = self._target()
        if read(target) != self.before:
            raise SettingsUnusable(f"{self.path} has been changed in the meantime and is left alone. Try again.")
        if self.after is None:
            self._remove(target)
            return
        try:
            mode = 0o600 if self.is_private else None
            if self.before is not None:
                mode = target.stat().st_mode & 0o7777
            with users_files():
                target.parent.mkdir(parents=True, exist_ok=True)
                # The agent may be reading it.
                write_atomically(target, self.after, durable=True, mode=mode)
        except OSError as error:
            raise SettingsUnusable(f"{self.path} cannot be written: {error}") from error

    def _remove(self, target: Path) -> None:
        """Remove the file, and its folder if that is memtui's own and empty. A link is the user's and stays."""
        try:
            target.unlink()
        except OSError as error:
            raise SettingsUnusable(f"{self.path} cannot be removed: {error}") from error
        if self.path.parent.name == "memtui":
            with suppress(OSError):
                self.path.parent.rmdir()

    def _target(self) -> Path:
        """The file itself, where the path is a link."""
        return Path(os.path.realpath(self.path))


def read(path: Path) -> bytes | None:
    """The content of a file; None if there is none. Raises SettingsUnusable."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsUnusable(f"{path} cannot be read: {error}") from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
