"""memtui's hooks and its server in the text of an agent's settings in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memtui.agents.connecting import json_edit
from memtui.agents.connecting.change import Uneditable
from memtui.agents.connecting.entries import SERVER, is_own_hook, is_own_server


def parse(text: str, *, comments: bool) -> dict[str, Any]:
    """The object in a text; nothing for an empty text. Raises Uneditable."""
    try:
        value = json.loads(json_edit.without_comments(text) if comments else text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise Uneditable(f" is not valid JSON and is left alone: {error}") from error
    if not isinstance(value, dict):
        raise Uneditable(" is not a JSON object and is left alone.")
    return value


def with_hooks(text: str, entries: Mapping[str, dict[str, Any]], events: Mapping[str, str]) -> str:
    """The settings in which `entries`, by the agent's event, are the only hooks of memtui. Raises Uneditable.

    `events` has the agent's event for each of `memtui hook`. A hook with the same command stays as it is, with the
    changes that the user made to it.
    """
    before = text = text if text.strip() else "{}"
    hooks = _table(text, ["hooks"])
    for event, named in events.items():
        if named in hooks:
            commands = [hook["command"] for hook in entries.get(named, {}).get("hooks", [])]
            text = _without_hooks(text, event, named, commands)
    for named, group in entries.items():
        text = _with_hook(text, named, group)
    if _other_hooks(_value(text), events) != _other_hooks(_value(before), events):
        raise _unclear("hooks")
    return text


def with_server(text: str, names: Sequence[str], entry: dict[str, Any] | None) -> str:
    """The settings with `entry` as the server of memtui in the table at `names`, or without it. Raises Uneditable.

    A server of the same name that memtui did not write stays.
    """
    before = text = text if text.strip() else "{}"
    servers = _table(text, names)
    present = servers.get(SERVER)
    outdated = present is not None and is_own_server(present) and not has_fields(present, entry)
    if outdated:
        text = _without(text, [*names, SERVER])
    if entry is not None and (SERVER not in servers or outdated):
        for depth in range(len(names)):
            text = _with_key(text, names[:depth], names[depth], {})
        text = json_edit.add(text, names, entry, SERVER)
    if other_settings(_value(text), names) != other_settings(_value(before), names):
        raise _unclear(".".join(names))
    return text


def other_settings(value: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Everything but memtui's server in the table at `names`, and the table around it if it has nothing else."""
    if not names:
        return {key: other for key, other in value.items() if key != SERVER}
    inner = other_settings(value.get(names[0], {}), names[1:])
    return {key: other for key, other in value.items() if key != names[0]} | ({names[0]: inner} if inner else {})


def has_fields(server: Mapping[str, Any], entry: Mapping[str, Any] | None) -> bool:
    """Whether a server has all fields of an entry; other fields are the user's."""
    return entry is not None and all(server.get(key) == value for key, value in entry.items())


def _other_hooks(value: Mapping[str, Any], events: Mapping[str, str]) -> dict[str, Any]:
    """Everything but memtui's hooks, and the groups and events around them that have nothing else."""
    hooks = dict(value.get("hooks", {}))
    for event, named in events.items():
        groups = hooks.pop(named, [])
        if others := [other for group in groups if (other := _other_group(group, event)) is not None]:
            hooks[named] = others
    return {key: other for key, other in value.items() if key != "hooks"} | ({"hooks": hooks} if hooks else {})


def _other_group(group: Any, event: str) -> Any:
    """A group without memtui's hook; None if it has no other."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list):
        return group
    others = [hook for hook in hooks if not is_own_hook(hook, event)]
    return {**group, "hooks": others} if others else None


def _unclear(table: str) -> Uneditable:
    """The error if an edit would change what is not memtui's: where a key stands twice, only the last one counts."""
    return Uneditable(f": {table} cannot be edited, maybe because a key stands there twice; the file is left alone.")


def _value(text: str) -> dict[str, Any]:
    """The object in a text of which an edit was made. Raises Uneditable."""
    return parse(text, comments=True)


def _table(text: str, names: Sequence[str]) -> dict[str, Any]:
    """The object at a path; nothing if there is none. Raises Uneditable if there is something else."""
    value: Any = _value(text)
    for depth, name in enumerate(names, 1):
        value = value.get(name, {})
        if not isinstance(value, dict):
            raise Uneditable(f": {'.'.join(names[:depth])} is not an object; the file is left alone.")
    result: dict[str, Any] = value
    return result


def _without_hooks(text: str, event: str, named: str, keep: Sequence[str]) -> str:
    """The text without memtui's hooks of an event, except those with a command in `keep`."""
    groups = _value(text)["hooks"][named]
    if not isinstance(groups, list):
        raise Uneditable(f": hooks.{named} is not a list; the file is left alone.")
    for position, group in reversed(list(enumerate(groups))):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for number, hook in reversed(list(enumerate(hooks if isinstance(hooks, list) else []))):
            if is_own_hook(hook, event) and hook["command"] not in keep:
                text = _without(text, ["hooks", named, position, "hooks", number])
    return text


def _without(text: str, path: list[str | int]) -> str:
    """The text without a value, and without the containers that are then empty: its group, its event, all hooks."""
    text = json_edit.remove(text, path)
    container_path = path[:-1]
    container = json_edit.find(text, container_path)
    if not container_path or container is None:
        return text
    if json_edit.without_comments(text)[container.value + 1 : container.end - 1].strip():
        return text
    # A group without hooks has no effect: remove it with its matcher.
    is_group = container_path[-1] == "hooks" and len(container_path) > 1
    return _without(text, container_path[:-1] if is_group else container_path)


def _with_hook(text: str, named: str, group: dict[str, Any]) -> str:
    (hook,) = group["hooks"]
    text = _with_key(text, [], "hooks", {})
    groups = _value(text)["hooks"].get(named, [])
    lists = [other["hooks"] for other in groups if isinstance(other, dict) and isinstance(other.get("hooks"), list)]
    present = [other for hooks in lists for other in hooks if isinstance(other, dict)]
    if any(other.get("command") == hook["command"] for other in present):
        return text
    return json_edit.add(_with_key(text, ["hooks"], named, []), ["hooks", named], group)


def _with_key(text: str, path: Sequence[str | int], key: str, empty: Any) -> str:
    return text if json_edit.find(text, [*path, key]) else json_edit.add(text, path, empty, key)
