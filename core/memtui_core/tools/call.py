"""The interpretation of tool calls, the same for every agent and every part of memtui."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import orjson

from memtui_core.model import Block
from memtui_core.tools.edits import PATCH_BEGINS, Edit, edits_of, edits_of_patch, edits_of_sections, patch_of
from memtui_core.tools.meaning import folder_of_call, in_folder, located_patch, meaning_of
from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.files import ShellFile, files_in
from memtui_core.tools.shell.looks import ends_in_search, only_looks
from memtui_core.tools.vocabulary import PATCH, Family, text_of, vocabulary

_HEAD = 400
"""The exit code and the user's rejection are searched for in this many characters at the start of a result."""
_TAIL = 200
"""The exit code after the output is searched for in this many characters at the end of a result."""
_TAKES_TIME: Final = frozenset({"shell", "web", "task", "other"})
"""The families of tools that do not end at once."""
_NO_RESULT: Final = Block(0, 0, "tool_result", "")


@dataclass(frozen=True)
class ToolCall:
    """A tool call with its result. The input is parsed once, when it is first needed."""

    block: Block
    """The call; for an orphan the result, because the call is not in the transcript."""
    result: Block | None = None
    """None while the call runs, and if it was interrupted."""
    turn: int = 0
    """The number of the turn; 0 if the calls of only one turn were paired."""

    @property
    def id(self) -> str:
        """The id that the agent gave to the call, or its position in the session if there is none."""
        return self.block.tool_id or f"{self.turn}.{self.block.seq}"

    @property
    def seq(self) -> int:
        """`Block.seq` of the call."""
        return self.block.seq

    @property
    def is_orphan(self) -> bool:
        """Whether there is only a result, because the call is not in the transcript."""
        return self.block.kind == "tool_result"

    @property
    def line(self) -> int:
        """The line of the call in its source."""
        return self.block.line

    @property
    def name(self) -> str:
        """The agent's name of the tool; `tool` if it is not in the transcript."""
        return self.block.tool or "tool"

    @property
    def may_name_files(self) -> bool:
        """Whether the input may contain paths, determined without parsing it."""
        words, text = vocabulary(), self.block.text
        is_shell = words.family_of(self.name) == "shell"
        return is_shell or PATCH_BEGINS in text or words.argument_with_path.search(text) is not None

    @cached_property
    def family(self) -> Family:
        """The family of the tool, see `Vocabulary.call_family`."""
        return vocabulary().call_family(self.name, self._meaning)

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The input; empty if it is not an object."""
        return {} if self.is_orphan else object_of(self.block.text)

    @cached_property
    def path(self) -> str:
        """The file or folder of the call, as the agent wrote it; the first one of a patch; empty if there is none."""
        return vocabulary().path_of(self.fields) or next((edit.path for edit in self._patched), "")

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All files and folders, without duplicates: those of a patch, and those that a shell command writes."""
        # All edits of other calls are of the file in the input: their texts need not be taken apart.
        edits = self.edits if self.family == "shell" else self._patched if self.family in {"edit", "write"} else ()
        return tuple(dict.fromkeys(path for path in (self.path, *(edit.path for edit in edits)) if path))

    @cached_property
    def command(self) -> str:
        """The shell command; empty for other tools."""
        return vocabulary().command_of(self._meaning) if self.family == "shell" else ""

    @cached_property
    def programs(self) -> tuple[list[str], ...]:
        """The words of each program that the shell command runs, see `programs_run`; none for other tools."""
        return tuple(programs_run(self.command)) if self.command else ()

    @cached_property
    def shell_files(self) -> tuple[ShellFile, ...]:
        """The files that the shell command names, shows and writes, recognized by their names; none for other tools."""
        return tuple(self.files_in_command())

    @property
    def purpose(self) -> str:
        """What the agent says the shell command is for; empty if it says nothing, and for other tools."""
        return text_of(self.fields, vocabulary().names.purposes) if self.command else ""

    @cached_property
    def is_look(self) -> bool:
        """Whether the call only reads or lists files or searches in them; the input is parsed only if that matters."""
        words = vocabulary()
        if self.name.lower() in words.names.editors:
            return self.family == "read"
        family = words.family_of(self.name)
        return family in {"read", "search"} or (family == "shell" and bool(self.command) and only_looks(self.command))

    @property
    def located_command(self) -> str:
        """The shell command as it would be run in the folder of the session."""
        return in_folder(self.command, folder_of_call(self._meaning))

    def files_in_command(self, known: Container[str] = ()) -> list[ShellFile]:
        """The files of the shell command, and those in `known` that cannot be recognized by their names."""
        return files_in(self.located_command, known) if self.command else []

    @cached_property
    def patch(self) -> str:
        """The text of an `apply_patch`, also if a shell or a script runs it; empty for other tools."""
        if self.family == "edit":
            patch = patch_of(self._meaning, self.block.text)
        else:
            patch = text_of(self._meaning, (PATCH,)) if self.family == "shell" else ""
        return located_patch(patch, folder_of_call(self._meaning)) if patch else ""

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that the call requests, see `edits`; also if the call failed."""
        if self.family == "shell":
            patched = {edit.path for edit in self._patched}
            written = (file.path for file in self.shell_files if file.use == "written")
            return (*self._patched, *(Edit(path, "unknown") for path in written if path not in patched))
        if self.family not in {"edit", "write"}:
            return ()
        return self._patched or edits_of(self.family, self.path, self.fields)

    @property
    def subject(self) -> str:
        """The purpose of a call without path and command; empty if it is not in the input."""
        return text_of(self.fields, vocabulary().names.subjects)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return (self.result or self.block).is_error

    @property
    def rejected(self) -> bool:
        """Whether the user rejected the call, so that it did not run."""
        if self.result is None or not self.result.is_error:
            return False
        head = self.result.text[:_HEAD]
        return any(words in head for words in vocabulary().names.rejections)

    @property
    def interrupted(self) -> bool:
        """Whether the call has no result, or was rejected."""
        return self.result is None or self.rejected

    @cached_property
    def exit_code(self) -> int | None:
        """The exit code in the detail, at the start of the result or after the output; None if there is none."""
        if isinstance(code := self.detail.get("exit"), int):
            return code
        if self.result is None:
            return None
        if match := vocabulary().exit_phrase.search(self.result.text[:_HEAD]):
            return int(match[1])
        if self.family != "shell":
            return None
        text, exit_line = self.result.text, vocabulary().exit_line
        match = exit_line.search(text[:_HEAD]) or exit_line.search(text[-_TAIL:])
        return int(match[1]) if match else None

    @property
    def output(self) -> str:
        """The text of the result without what the agent's program wrote before the output of a command."""
        text = (self.block if self.is_orphan else self.result or _NO_RESULT).text
        return text[len(self._result_head) :]

    @cached_property
    def _result_head(self) -> str:
        if self.result is None or self.family != "shell":
            return ""
        match = vocabulary().result_head.match(self.result.text)
        return match[0] if match else ""

    @property
    def seconds(self) -> float | None:
        """The seconds that the call took: as the agent's program measured them, or else from the call to its result.

        The latter include the time in which the user was asked for permission. None for a call that is over at once
        unless it waits for the user, without a result or without times.
        """
        if match := vocabulary().duration.search(self._result_head):
            return float(next(filter(None, match.groups())))
        start, end = self.block.at, self.result.at if self.result is not None else None
        if self.family not in _TAKES_TIME or self.interrupted or self._asks or start is None or end is None:
            return None
        return (end - start).total_seconds()

    @property
    def _asks(self) -> bool:
        """Whether the call waits for the user to answer or to agree."""
        names = vocabulary().names
        return self.name.lower() in (*names.questions, *names.proposals)

    @property
    def found_nothing(self) -> bool:
        """Whether the call failed only because its search has no match: exit code 1 of `grep` without any output."""
        return self.is_error and self.exit_code == 1 and not self.output.strip() and ends_in_search(self.command)

    @cached_property
    def detail(self) -> Mapping[str, Any]:
        """Structured data of the result besides its text, see `Block.detail`."""
        return object_of((self.result or self.block).detail)

    @cached_property
    def _meaning(self) -> Mapping[str, Any]:
        """The input as if the tools that it runs were called directly."""
        return meaning_of(self.name, self.fields)

    @cached_property
    def _patched(self) -> tuple[Edit, ...]:
        return edits_of_patch(self.patch) or edits_of_sections(text_of(self.fields, vocabulary().names.patches))


def object_of(text: str | None) -> dict[str, Any]:
    """A text parsed as a JSON object; empty for anything else."""
    try:
        value = orjson.loads(text or "null")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
