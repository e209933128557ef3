"""The one interpretation of a tool call, whatever agent made it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from memtui_core.model import Block
from memtui_core.tools.edits import Edit, edits_of, edits_of_patch, patch_of
from memtui_core.tools.families import (
    BACKGROUND,
    PATHS,
    SHELLS,
    SUBJECTS,
    Family,
    call_family,
    command_of,
    text_of,
)
from memtui_core.tools.shell.files import ShellFile, files_in

_EXIT = re.compile(r"(?:exit code:?|exit status|\"exit_code\":) *(-?\d+)", re.IGNORECASE)
_HAS_PATH = re.compile("|".join(f'"{name}"' for name in PATHS))
_NEAR = 400
"""Characters at the beginning of a result in which the exit code stands, and whether the person rejected the call."""
_REJECTED = "doesn't want to proceed"


@dataclass(frozen=True)
class ToolCall:
    """A tool call with its result; the input is read when it is first asked for, and once."""

    block: Block
    """The call; of a result whose call is not in the transcript, the result."""
    result: Block | None = None
    """None while it runs, and where it was interrupted."""
    turn: int = 0
    """Number of the turn in which it was made; 0 where only one turn is looked at."""

    @property
    def id(self) -> str:
        """The agent's id of the call, or its place in the session where the agent gave it none."""
        return self.block.tool_id or f"{self.turn}.{self.block.seq}"

    @property
    def seq(self) -> int:
        """`Block.seq` of the call."""
        return self.block.seq

    @property
    def is_orphan(self) -> bool:
        """Whether it is only a result, whose call is not in the transcript."""
        return self.block.kind == "tool_result"

    @property
    def line(self) -> int:
        """Line of the call in its source."""
        return self.block.line

    @property
    def name(self) -> str:
        """The tool's name as the agent has it; `tool` when the transcript does not say."""
        return self.block.tool or "tool"

    @property
    def may_name_files(self) -> bool:
        """Whether its input may name files, told without reading it."""
        name = self.name.lower()
        return name in SHELLS or name == "apply_patch" or _HAS_PATH.search(self.block.text) is not None

    @cached_property
    def family(self) -> Family:
        """What kind of tool it is, see `call_family`."""
        return call_family(self.name, self.fields)

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The input; empty when it is no object."""
        return {} if self.is_orphan else object_of(self.block.text)

    @cached_property
    def path(self) -> str:
        """The file or folder that it works on, as the agent wrote it; of a patch the first; empty for none."""
        return text_of(self.fields, PATHS) or next((edit.path for edit in self._patched), "")

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, each once: of a patch every file, of a shell command those that it writes."""
        edited = (edit.path for edit in self.edits)
        return tuple(dict.fromkeys(path for path in (self.path, *edited) if path))

    @cached_property
    def command(self) -> str:
        """The shell command; empty for other tools."""
        return command_of(self.fields) if self.family == "shell" else ""

    @cached_property
    def shell_files(self) -> tuple[ShellFile, ...]:
        """The files that its shell command names, shows and writes, by what their names tell; none for other tools."""
        return tuple(files_in(self.command))

    @cached_property
    def patch(self) -> str:
        """The text of an `apply_patch`; empty for other tools."""
        return patch_of(self.fields, self.block.text) if self.family == "edit" else ""

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """What it asks to change, see `edits`; also of a call that failed."""
        if self.family == "shell":
            return tuple(Edit(file.path, "unknown") for file in self.shell_files if file.use == "written")
        if self.family not in {"edit", "write"}:
            return ()
        return self._patched or edits_of(self.family, self.path, self.fields)

    @property
    def subject(self) -> str:
        """What it was called for, where it names neither a file nor a command; empty when it does not say."""
        return text_of(self.fields, SUBJECTS)

    @property
    def background(self) -> bool:
        """Whether the agent went on without waiting for it."""
        return any(self.fields.get(name) is True for name in BACKGROUND)

    @property
    def is_error(self) -> bool:
        """Whether it failed."""
        return (self.result or self.block).is_error

    @property
    def rejected(self) -> bool:
        """Whether the person refused it, so that it was never done."""
        return self.result is not None and self.result.is_error and _REJECTED in self.result.text[:_NEAR]

    @property
    def interrupted(self) -> bool:
        """Whether it has no result of its own: it got none, or the person refused it."""
        return self.result is None or self.rejected

    @cached_property
    def exit_code(self) -> int | None:
        """The exit code that the beginning of the result names."""
        match = _EXIT.search(self.result.text[:_NEAR]) if self.result is not None else None
        return int(match[1]) if match else None

    @cached_property
    def detail(self) -> Mapping[str, Any]:
        """What the transcript tells of the result besides its text: `{"patch": [hunk, ...]}` of an edit."""
        return object_of((self.result or self.block).detail)

    @cached_property
    def _patched(self) -> tuple[Edit, ...]:
        return edits_of_patch(self.patch)


def object_of(text: str | None) -> dict[str, Any]:
    """A JSON object; empty for anything else."""
    try:
        value = orjson.loads(text or "null")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
