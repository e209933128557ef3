"""What `memtui enable` replaced in each file, so that `memtui disable` restores every byte if nothing else changed.

Taking out the entries cannot tell what was there before: an empty list, white space in it, or no file at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from memtui.agents.connecting.change import SettingsChange, SettingsUnusable, read
from memtui_core.system.locations import config_file
from memtui_core.system.private_files import users_files

_VERSION = 1
_WAIT = 10.0
"""Seconds to wait for another process, which holds the lock while it writes a file."""
_EARLIER = "earlier"
"""The field of an entry with the one before it, which counts as long as the file is as that left it."""


class _Entries(NamedTuple):
    """The content of the file."""

    files: Mapping[str, dict[str, Any]]
    """What the last change of a file replaced, by its path."""
    folders: frozenset[str] = frozenset()
    """The folders that were made for files."""


class UndoLog:
    """The file `connected.json` beside memtui's settings.

    It has by the path of each file what its last change replaced, and the folders that were made for them.
    """

    def __init__(self) -> None:
        self._path = config_file().with_name("connected.json")
        self._entries = _parsed(read(self._path))

    def original(self, path: Path, content: bytes | None) -> tuple[bool, bytes | None]:
        """Whether a content is what a change left, and the content before it; None if there was no file."""
        replaced = self._entry(path, content)
        if content is None or replaced is None or replaced["before"] is None:
            return replaced is not None, None
        start, end, text = replaced["start"], replaced["end"], replaced["text"]
        original = content[:start] + text.encode("utf-8", "surrogatepass") + content[len(content) - end :]
        return (True, original) if _digest(original) == replaced["before"] else (False, None)

    def wrote(self, path: Path, content: bytes | None) -> bool:
        """Whether a content is what a change left."""
        return self.original(path, content)[0]

    def write(self, change: SettingsChange, *, connected: bool) -> None:
        """Write the change of a file, with what it replaces recorded before; else forget what was recorded of it.

        A change that follows another one keeps what was there before both. Raises SettingsUnusable.
        """
        made = {str(folder) for folder in self._path.parents if not folder.exists()}
        with self._locked():
            # Another process may have changed it.
            self._entries = known = _parsed(read(self._path))
            path = str(change.path)
            others = {name: entry for name, entry in known.files.items() if name != path}
            if not connected or change.after is None:
                change.write()
                self._save(_Entries(others, _without_empty(known.folders)))
            else:
                folders = known.folders.union(made, map(str, change.missing_folders()))
                self._save(_Entries({**others, path: self._replaced_by(change, change.after)}, folders))
                try:
                    change.write()
                except SettingsUnusable:
                    self._save(_Entries(known.files, _without_empty(folders)))
                    raise
        if not self._entries.files:
            # Now those go that the log and its lock were in.
            _without_empty(known.folders | made)

    def _replaced_by(self, change: SettingsChange, after: bytes) -> dict[str, Any]:
        known, original = self.original(change.path, change.before)
        entry = _replaced(original if known else change.before, after)
        earlier = self._entry(change.path, change.before)
        if earlier is not None:
            # The file may never be written.
            entry[_EARLIER] = {key: value for key, value in earlier.items() if key != _EARLIER}
        return entry

    def _entry(self, path: Path, content: bytes | None) -> dict[str, Any] | None:
        """The entry of the change that left a content."""
        last = self._entries.files.get(str(path))
        if content is None or last is None:
            return None
        after = _digest(content)
        return next((entry for entry in (last, last.get(_EARLIER)) if entry and entry["after"] == after), None)

    def _save(self, entries: _Entries) -> None:
        """Write the file, if it changes; one without entries is removed. Raises SettingsUnusable."""
        if entries == self._entries:
            return
        before = read(self._path)
        version = _table(before).get("version")
        if isinstance(version, int) and version > _VERSION:
            raise SettingsUnusable(f"{self._path} was written by a newer memtui and is left alone. Upgrade this one.")
        value = {"version": _VERSION, "files": entries.files, "folders": sorted(entries.folders)}
        after = f"{json.dumps(value, indent=1)}\n".encode() if entries.files else None
        # What was replaced lies between parts of settings, which may have keys to services.
        SettingsChange(self._path, before, after, is_private=True).write()
        self._entries = entries

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from changing the file. Raises SettingsUnusable."""
        # Only few commands write.
        from filelock import FileLock, Timeout

        folder, lock = self._path.parent, self._path.with_suffix(".lock")
        try:
            with users_files():
                folder.mkdir(parents=True, exist_ok=True)
            with FileLock(lock, timeout=_WAIT):
                try:
                    yield
                finally:
                    # Windows does that itself, and does not allow it here.
                    with suppress(OSError):
                        lock.unlink()
        except Timeout as error:
            raise SettingsUnusable("Another memtui is connecting agents. Try again.") from error
        except OSError as error:
            raise SettingsUnusable(f"{self._path} cannot be written: {error}") from error


def _parsed(content: bytes | None) -> _Entries:
    """The entries; none that cannot be understood, for then what memtui wrote is taken out piece by piece."""
    value = _table(content)
    if value.get("version") != _VERSION:
        return _Entries({})
    files, folders = value.get("files"), value.get("folders")
    return _Entries(
        {path: entry for path, entry in files.items() if _is_entry(entry)} if isinstance(files, dict) else {},
        frozenset(folder for folder in folders if isinstance(folder, str))
        if isinstance(folders, list)
        else frozenset(),
    )


def _table(content: bytes | None) -> dict[str, Any]:
    try:
        value = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_entry(value: Any) -> bool:
    """Whether a value has the fields that `_replaced` gives it."""
    if not isinstance(value, dict) or not isinstance(value.get("after"), str) or "before" not in value:
        return False
    kinds = {} if value["before"] is None else {"before": str, "start": int, "end": int, "text": str}
    return all(type(value.get(name)) is kind for name, kind in kinds.items()) and (
        _EARLIER not in value or _is_entry(value[_EARLIER])
    )


def _without_empty(folders: Iterable[str]) -> frozenset[str]:
    """The folders that are left when the empty ones are removed, the inner ones first."""
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            Path(folder).rmdir()
    return frozenset(folder for folder in folders if Path(folder).exists())


def _replaced(before: bytes | None, after: bytes) -> dict[str, Any]:
    if before is None:
        return {"before": None, "after": _digest(after)}
    # Whole characters, so that what lies between is text.
    old, new = before.decode(), after.decode()
    start = len(commonprefix([old, new]))  # noqa: RUF071 - these are texts
    end = len(commonprefix([old[start:][::-1], new[start:][::-1]]))  # noqa: RUF071
    return {
        "before": _digest(before),
        "after": _digest(after),
        "start": len(old[:start].encode()),
        "end": len(old[len(old) - end :].encode()),
        "text": old[start : len(old) - end],
    }


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
