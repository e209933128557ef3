"""An agent's settings with memtui switched on or off: texts in, texts out, and files written whole."""

from __future__ import annotations

import difflib
import io
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.hooks import jsontext
from memtui.hooks.entries import SERVER, is_own_hook, is_own_server
from memtui.hooks.hook_call import EVENTS
from memtui_core.errors import MemtuiError


class SettingsUnusable(MemtuiError):
    """A settings file is not what it should be; it was left alone."""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file."""

    path: Path
    before: bytes | None
    """None when there is no file yet."""
    after: bytes

    @property
    def is_none(self) -> bool:
        """Whether the file stays as it is."""
        return self.after == self.before or (self.before is None and not self.after)

    def diff(self) -> str:
        """The change as a unified diff."""
        before, after = (io.StringIO(_shown(data or b""), "\n").readlines() for data in (self.before, self.after))
        old = "/dev/null" if self.before is None else str(self.path)
        parts = difflib.unified_diff(before, after, old, str(self.path))
        return "".join(part if part.endswith("\n") else f"{part}\n\\ No newline at end of file\n" for part in parts)

    def write(self) -> None:
        """Put the new content in place, whole or not at all; a link's target is written, and the mode stays.

        Raises SettingsUnusable when the file was changed since it was read, or cannot be written.
        """
        target = Path(os.path.realpath(self.path))
        if _read(target) != self.before:
            raise SettingsUnusable(f"{self.path} was changed meanwhile and is left alone. Try again.")
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = None if self.before is None else target.stat().st_mode & 0o7777
            opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
            with os.fdopen(opened, "wb") as file:
                file.write(self.after)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                part.chmod(mode)
            part.replace(target)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise SettingsUnusable(f"{self.path} cannot be written: {error}") from error


def change_hooks(path: Path, wanted: Mapping[str, dict[str, Any]]) -> Change:
    """The settings with exactly the wanted hooks of memtui, by event. Raises SettingsUnusable.

    A command that is there already stays as it is, with what a person changed about it.
    """
    before, text = _load(path)
    new = text
    hooks = _object(path, new, "hooks")
    for event, groups in hooks.items():
        commands = [hook["command"] for hook in wanted.get(event, {}).get("hooks", [])]
        new = _without_hooks(path, new, event, groups, commands)
    for event, group in wanted.items():
        new = _with_hook(new, event, group)
    return Change(path, before, _bytes(new, before))


def change_server(path: Path, wanted: dict[str, Any] | None) -> Change:
    """The settings with the server of tools, or without it for None. Raises SettingsUnusable.

    A server of the same name that is not memtui's stays.
    """
    before, text = _load(path)
    new = text
    servers = _object(path, new, "mcpServers")
    there = servers.get(SERVER)
    outdated = there is not None and is_own_server(there) and not _runs(there, wanted)
    if outdated:
        new = _pruned(new, ["mcpServers", SERVER])
    if wanted is not None and (outdated or SERVER not in servers):
        new = _ensured(new, [], "mcpServers", {})
        new = jsontext.add(new, ["mcpServers"], wanted, SERVER)
    return Change(path, before, _bytes(new, before))


def _runs(server: dict[str, Any], wanted: dict[str, Any] | None) -> bool:
    """Whether a server is the wanted one, whatever else a person set for it."""
    return wanted is not None and all(server.get(key) == value for key, value in wanted.items())


def _without_hooks(path: Path, text: str, event: str, groups: Any, kept: Sequence[str]) -> str:
    """The text without memtui's hooks of an event, but for the commands to keep."""
    if not isinstance(groups, list):
        if event not in EVENTS:
            return text
        raise SettingsUnusable(f"{path}: hooks.{event} is not a list; the file is left alone.")
    for place, group in reversed(list(enumerate(groups))):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for number, hook in reversed(list(enumerate(hooks if isinstance(hooks, list) else []))):
            if is_own_hook(hook, event) and hook["command"] not in kept:
                text = _pruned(text, ["hooks", event, place, "hooks", number])
    return text


def _pruned(text: str, path: list[str | int]) -> str:
    """The text without a value, and without what held nothing else: a group of hooks, an event, all hooks."""
    text = jsontext.remove(text, path)
    holder = path[:-1]
    found = jsontext.find(text, holder)
    if not holder or found is None or jsontext.children(text, found.value):
        return text
    # A group is nothing without its hooks, whatever its matcher.
    return _pruned(text, holder[:-1] if holder[-1] == "hooks" and len(holder) > 1 else holder)


def _with_hook(text: str, event: str, group: dict[str, Any]) -> str:
    (hook,) = group["hooks"]
    text = _ensured(text, [], "hooks", {})
    held = json.loads(text)["hooks"].get(event, [])
    there = [one["hooks"] for one in held if isinstance(one, dict) and isinstance(one.get("hooks"), list)]
    if any(isinstance(one, dict) and one.get("command") == hook["command"] for hooks in there for one in hooks):
        return text
    return jsontext.add(_ensured(text, ["hooks"], event, []), ["hooks", event], group)


def _ensured(text: str, path: list[str | int], key: str, empty: Any) -> str:
    return text if jsontext.find(text, [*path, key]) else jsontext.add(text, path, empty, key)


def _load(path: Path) -> tuple[bytes | None, str]:
    before = _read(path)
    try:
        text = (before or b"").decode("utf-8")
        text = text if text.strip() else "{}"
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsUnusable(f"{path} is not valid JSON and is left alone: {error}") from error
    if not isinstance(value, dict):
        raise SettingsUnusable(f"{path} does not hold a JSON object and is left alone.")
    return before, text


def _object(path: Path, text: str, name: str) -> dict[str, Any]:
    value = json.loads(text).get(name, {})
    if not isinstance(value, dict):
        raise SettingsUnusable(f"{path}: {name} is not an object; the file is left alone.")
    return value


def _bytes(text: str, before: bytes | None) -> bytes:
    """The text as a file; one that was not there ends with a line end, and is not made for nothing."""
    if before is None or not before.strip():
        return before or b"" if text == "{}" else f"{text}\n".encode()
    return text.encode()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsUnusable(f"{path} cannot be read: {error}") from error


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "replace")
