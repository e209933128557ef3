"""Changes to an agent's settings files that enable or disable memtui."""

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

from memtui.agents.hooks import json_edit
from memtui.agents.hooks.entries import SERVER, is_own_hook, is_own_server
from memtui.agents.hooks.hook_call import EVENTS
from memtui_core.errors import MemtuiError
from memtui_core.system.atomic_files import replace_file
from memtui_core.system.private_files import users_files


class SettingsUnusable(MemtuiError):
    """A settings file cannot be read, changed or written; it is unchanged."""


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """The old and the new content of one file."""

    path: Path
    before: bytes | None
    """None if the file does not exist yet."""
    after: bytes

    @property
    def is_empty(self) -> bool:
        """Whether the file stays unchanged."""
        return self.after == self.before or (self.before is None and not self.after)

    def diff(self) -> str:
        """The change as a unified diff."""
        before, after = (io.StringIO(_text(data or b""), "\n").readlines() for data in (self.before, self.after))
        old_name = "/dev/null" if self.before is None else str(self.path)
        lines = difflib.unified_diff(before, after, old_name, str(self.path))
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def write(self) -> None:
        """Replace the content atomically; a link is followed and the mode stays.

        Raises SettingsUnusable if the file was changed since it was read, or cannot be written.
        """
        target = Path(os.path.realpath(self.path))
        if _read(target) != self.before:
            raise SettingsUnusable(f"{self.path} has been changed in the meantime and is left alone. Try again.")
        temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with users_files():
                target.parent.mkdir(parents=True, exist_ok=True)
            mode = None if self.before is None else target.stat().st_mode & 0o7777
            with users_files():
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.after)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                temporary.chmod(mode)
            # The agent may be reading it.
            replace_file(temporary, target)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise SettingsUnusable(f"{self.path} cannot be written: {error}") from error


def change_hooks(path: Path, entries: Mapping[str, dict[str, Any]]) -> SettingsChange:
    """Make `entries`, by event, the only hooks of memtui in the settings. Raises SettingsUnusable.

    A hook with the same command stays as it is, with the changes that the user made to it.
    """
    before, text = _load(path)
    new = text
    hooks = _object(path, new, "hooks")
    for event, groups in hooks.items():
        commands = [hook["command"] for hook in entries.get(event, {}).get("hooks", [])]
        new = _without_hooks(path, new, event, groups, commands)
    for event, group in entries.items():
        new = _with_hook(new, event, group)
    return SettingsChange(path, before, _bytes(new, before))


def change_server(path: Path, entry: dict[str, Any] | None) -> SettingsChange:
    """Make `entry` the MCP server of memtui in the settings, or remove it for None. Raises SettingsUnusable.

    A server of the same name that memtui did not write stays.
    """
    before, text = _load(path)
    new = text
    servers = _object(path, new, "mcpServers")
    present = servers.get(SERVER)
    outdated = present is not None and is_own_server(present) and not _matches(present, entry)
    if outdated:
        new = _without(new, ["mcpServers", SERVER])
    if entry is not None and (outdated or SERVER not in servers):
        new = _with_key(new, [], "mcpServers", {})
        new = json_edit.add(new, ["mcpServers"], entry, SERVER)
    return SettingsChange(path, before, _bytes(new, before))


def _matches(server: dict[str, Any], entry: dict[str, Any] | None) -> bool:
    """Whether a server has all fields of an entry; other fields are the user's."""
    return entry is not None and all(server.get(key) == value for key, value in entry.items())


def _without_hooks(path: Path, text: str, event: str, groups: Any, keep: Sequence[str]) -> str:
    """The text without memtui's hooks of an event, except those with a command in `keep`."""
    if not isinstance(groups, list):
        if event not in EVENTS:
            return text
        raise SettingsUnusable(f"{path}: hooks.{event} is not a list; the file is left alone.")
    for position, group in reversed(list(enumerate(groups))):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for number, hook in reversed(list(enumerate(hooks if isinstance(hooks, list) else []))):
            if is_own_hook(hook, event) and hook["command"] not in keep:
                text = _without(text, ["hooks", event, position, "hooks", number])
    return text


def _without(text: str, path: list[str | int]) -> str:
    """The text without a value, and without the containers that are then empty: its group, its event, all hooks."""
    text = json_edit.remove(text, path)
    container_path = path[:-1]
    container = json_edit.find(text, container_path)
    if not container_path or container is None or json_edit.members(text, container.value):
        return text
    # A group without hooks has no effect: remove it with its matcher.
    is_group = container_path[-1] == "hooks" and len(container_path) > 1
    return _without(text, container_path[:-1] if is_group else container_path)


def _with_hook(text: str, event: str, group: dict[str, Any]) -> str:
    (hook,) = group["hooks"]
    text = _with_key(text, [], "hooks", {})
    groups = json.loads(text)["hooks"].get(event, [])
    lists = [other["hooks"] for other in groups if isinstance(other, dict) and isinstance(other.get("hooks"), list)]
    present = [other for hooks in lists for other in hooks if isinstance(other, dict)]
    if any(other.get("command") == hook["command"] for other in present):
        return text
    return json_edit.add(_with_key(text, ["hooks"], event, []), ["hooks", event], group)


def _with_key(text: str, path: list[str | int], key: str, empty: Any) -> str:
    return text if json_edit.find(text, [*path, key]) else json_edit.add(text, path, empty, key)


def _load(path: Path) -> tuple[bytes | None, str]:
    before = _read(path)
    try:
        text = (before or b"").decode("utf-8")
        text = text if text.strip() else "{}"
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsUnusable(f"{path} is not valid JSON and is left alone: {error}") from error
    if not isinstance(value, dict):
        raise SettingsUnusable(f"{path} is not a JSON object and is left alone.")
    return before, text


def _object(path: Path, text: str, name: str) -> dict[str, Any]:
    value = json.loads(text).get(name, {})
    if not isinstance(value, dict):
        raise SettingsUnusable(f"{path}: {name} is not an object; the file is left alone.")
    return value


def _bytes(text: str, before: bytes | None) -> bytes:
    """The content of the file. A new file gets a final line end, and none is created for an empty object."""
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


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
