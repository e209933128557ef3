"""Transcripts of older versions of Cursor: a text with a line `user:` or `assistant:` before each message.

In the text of the assistant, `[Thinking]`, `[Tool call] name` and `[Tool result] name` begin a part; the arguments of a
call are indented lines `name: value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from memtui_core.readers.agents.cursor.file_names import parent_of, project_name
from memtui_core.readers.agents.cursor.user_text import split
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.messages import (
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    prompt,
    with_notes,
)
from memtui_core.readers.formats.document import DocumentReading, content_of
from memtui_core.readers.records import Message, Record

_SPEAKER: Final = re.compile(r"^(user|assistant):[ \t]*$", re.MULTILINE)
_PART: Final = re.compile(r"^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)$", re.MULTILINE)
_ARGUMENT: Final = re.compile(r"^  ([A-Za-z_]\w{0,60}): ?", re.MULTILINE)


class TextReading(DocumentReading):
    """One pass over a text; an entry is a message."""

    def load(self) -> Sequence[Any]:
        """The speaker and the text of each message."""
        path = self.transcript.path
        text = content_of(path).decode("utf-8", "replace").replace("\r\n", "\n")
        self._parent = parent_of(path)
        self.facts.session_id = path.stem
        return [[mark[1], body] for mark, body in _sections(_SPEAKER, text)]

    def identity(self, branch: str = "") -> Identity:
        """The chat by the name of its file."""
        return Identity(self.transcript.path.stem, self._parent, project_name(self.transcript.path))

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The record of a message."""
        speaker, text = entry
        if speaker == "user":
            said = split(text)
            message = prompt(line, line, said.typed, said.at, kind="human" if self._parent is None else "agent")
            yield from with_notes(message, [(said.added, "reminder")])
            return
        message = answer(line, line, None)
        _add_parts(message, text, line)
        if message.blocks:
            yield message


def _add_parts(message: Message, text: str, line: int) -> None:
    first = _PART.search(text)
    add_text(message, text[: first.start()].strip() if first else text.strip())
    open_calls: list[tuple[str, str]] = []
    for number, (mark, body) in enumerate(_sections(_PART, text)):
        name = mark[2].strip()
        if mark[1] == "Thinking":
            add_thinking(message, f"{name}\n{body}".strip())
        elif mark[1] == "Tool call":
            open_calls.append((f"{line}.{number}", name))
            add_call(message, name, _arguments(body), open_calls[-1][0])
        else:
            call = next((one for one in open_calls if one[1] == name), None)
            add_result(message, body, call[0] if call else None)
            if call:
                open_calls.remove(call)


def _arguments(body: str) -> dict[str, str]:
    return {mark[1]: value for mark, value in _sections(_ARGUMENT, body)}


def _sections(heading: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each heading in a text with what follows it."""
    marks = list(heading.finditer(text))
    for mark, following in zip_longest(marks, marks[1:]):
        yield mark, text[mark.end() : following.start() if following else len(text)].strip("\n")
