"""What a call does if its input hides it: a script that calls other tools, or a patch inside a shell command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from memtui_core.tools.edits import PATCH_BEGINS
from memtui_core.tools.shell.scripts import ScriptCall, script_calls
from memtui_core.tools.vocabulary import PATCH, text_of, vocabulary

_PATCH_ENDS: Final = "*** End Patch"
_ABSOLUTE: Final = re.compile(r"/|~|[A-Za-z]:[\\/]")
_SAFE: Final = re.compile(r"[\w@%+=:,./~-]+")
_FILE: Final = re.compile(r"^(\*\*\* (?:(?:Add|Update|Delete) File|Move to): )(.+)$", re.MULTILINE)
_APPLIES: Final = re.compile(
    r"\s*+(?:(?:cd|pushd) [^\n;&|]*+(?:&&|;|\n)\s*+)?(?:apply_patch|applypatch)\b[^\n;&|]*+\s*+"
)
"""The command before a patch if it only applies it, after a change of the folder."""


def meaning_of(name: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The input of a call as the tools that it runs would be called directly: commands and patches."""
    words = vocabulary()
    if name.lower() in words.names.scripts and (script := text_of(fields, ("input",))):
        return _of_script(script_calls(script), fields)
    if words.family_of(name) == "shell" and PATCH_BEGINS in (command := words.command_of(fields)):
        return _of_command(command, fields)
    return fields


def folder_of_call(fields: Mapping[str, Any]) -> str:
    """The folder in which a command is run, if the call says so; otherwise empty."""
    return text_of(fields, vocabulary().names.folders)


def in_folder(command: str, folder: str) -> str:
    """A command as it is run in the folder of the session."""
    if not folder or not command or "'" in folder:
        return command
    return f"cd {folder if _SAFE.fullmatch(folder) else repr(folder)}\n{command}"


def joined_path(folder: str, path: str) -> str:
    """A path that is relative to a folder."""
    return path if not folder or _ABSOLUTE.match(path) else f"{folder.rstrip('/')}/{path}"


def _of_script(calls: list[ScriptCall], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    words = vocabulary()
    commands: list[str] = []
    patches: list[str] = []
    folders = {folder_of_call(call.fields) for call in calls if words.command_of(call.fields)}
    folder = folders.pop() if len(folders) == 1 else ""
    for call in calls:
        command, patch = words.command_of(call.fields), text_of(call.fields, ("input", PATCH))
        if words.family_of(call.name) == "shell" and command:
            commands.append(command if folder else in_folder(command, folder_of_call(call.fields)))
        elif patch.lstrip().startswith(PATCH_BEGINS):
            patches.append(patch.strip())
    meaning: dict[str, Any] = {key: value for key, value in fields.items() if key != "input"}
    meaning["cmd"] = "\n".join(commands)
    if patches:
        meaning[PATCH] = "\n".join(patches)
    return meaning | ({"workdir": folder} if folder else {})


def _of_command(command: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """A shell command with patches; without a command if applying them is all that it does."""
    patches: list[str] = []
    rest: list[str] = []
    at = 0
    while (start := command.find(PATCH_BEGINS, at)) >= 0:
        end = command.find(_PATCH_ENDS, start)
        end = len(command) if end < 0 else end + len(_PATCH_ENDS)
        rest.append(command[at:start])
        patches.append(command[start:end])
        at = end
    rest.append(command[at:])
    closing = "".join(rest[1:]).strip(" \t\r\n'\")")
    applies = _APPLIES.fullmatch(rest[0]) is not None and (not closing or closing.isalnum())
    meaning = {key: value for key, value in fields.items() if key not in {"command", "cmd"}}
    return {**meaning, PATCH: "\n".join(patches), "cmd": "" if applies else command}


def located_patch(patch: str, folder: str) -> str:
    """A patch with the paths relative to the folder of the session."""
    return _FILE.sub(lambda match: match[1] + joined_path(folder, match[2].strip()), patch) if folder else patch
