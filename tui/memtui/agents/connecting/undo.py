"""What `memtui enable` replaced in each file, so that `memtui disable` restores every byte if nothing else changed.

Taking out the entries cannot tell what was there before: an empty list, white space in it, or no file at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from os.path import commonprefix
from pathlib import Path
from typing import Any

from memtui.agents.connecting.change import SettingsChange, read
from memtui_core.system.locations import config_file

_VERSION = 1


class UndoLog:
    """The file `connected.json` beside memtui's settings.

    It has by the path of each file what its last change replaced, and the folders that were made for them.
    """

    def __init__(self) -> None:
        self._path = config_file().with_name("connected.json")
        self._content = read(self._path)
        self._replaced: dict[str, Any]
        self._folders: set[str]
        self._replaced, self._folders = _parsed(self._content)

    def original(self, path: Path, content: bytes | None) -> tuple[bool, bytes | None]:
        """Whether a content is what the last change left, and the content before it; None if there was no file."""
        replaced = self._replaced.get(str(path))
        if content is None or replaced is None or replaced["after"] != _digest(content):
            return False, None
        if replaced["before"] is None:
            return True, None
        start, end, text = replaced["start"], replaced["end"], replaced["text"]
        original = content[:start] + text.encode() + content[len(content) - end :]
        return (True, original) if _digest(original) == replaced["before"] else (False, None)

    def wrote(self, path: Path, content: bytes | None) -> bool:
        """Whether a content is what the last change left."""
        return self.original(path, content)[0]

    def record(self, change: SettingsChange, made: Iterable[Path], *, connected: bool) -> None:
        """Record a change that was written, and the folders that were made for it.

        One that follows another one keeps what was there before both.
        """
        self._folders.update(map(str, made))
        known, original = self.original(change.path, change.before)
        original = original if known else change.before
        if connected and change.after is not None:
            self._replaced[str(change.path)] = _replaced(original, change.after)
        else:
            self._replaced.pop(str(change.path), None)

    def save(self) -> None:
        """Remove folders that were made and are empty, and write the file; one without entries is removed.

        Raises SettingsUnusable.
        """
        # The inner ones first.
        for folder in sorted(self._folders, key=len, reverse=True):
            with suppress(OSError):
                Path(folder).rmdir()
            if not Path(folder).exists():
                self._folders.remove(folder)
        log = {"version": _VERSION, "files": self._replaced, "folders": sorted(self._folders)}
        text = json.dumps(log, indent=1) + "\n"
        content = text.encode() if self._replaced else None
        # What was replaced lies between parts of settings, which may have keys to services.
        change = SettingsChange(self._path, self._content, content, is_private=True)
        if not change.is_empty:
            change.write()
            self._content = change.after


def _parsed(content: bytes | None) -> tuple[dict[str, Any], set[str]]:
    """The entries and the folders; none if the file cannot be understood: then entries are taken out one by one."""
    try:
        value = json.loads(content or b"{}")
        files, folders = (value["files"], value.get("folders", [])) if value["version"] == _VERSION else ({}, [])
        return dict(files), set(map(str, folders))
    except (ValueError, KeyError, TypeError):
        return {}, set()


def _replaced(before: bytes | None, after: bytes) -> Mapping[str, Any]:
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
