"""The entries of a session: what the user typed, what the assistant answered, and what Aider printed.

Aider appends each of them as it happens:

- a line `#### ` for each line that the user typed, after an empty line;
- the answer as the model wrote it, between empty lines;
- `> ` before what it printed. Of a text with several lines, some versions put it only before the first one.

Lines of the first and the last kind end with two blanks, which tells them from headings and quotations in an answer. In
a file that has lost its blanks at the ends of lines, every such line counts as the user's or the program's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

Entry = dict[str, Any]
"""{"kind": "prompt" or "answer", "text"}, or {"kind": "output", "texts"}."""

PROMPT: Final = "prompt"
ANSWER: Final = "answer"
OUTPUT: Final = "output"
TOKENS: Final = "Tokens: "
"""The first words of what Aider prints after each answer."""
_HARD_BREAK: Final = "  "
_USER: Final = "####"
_PROGRAM: Final = "> "


def entries_of(lines: Sequence[str]) -> list[Entry]:
    """The entries of the lines of a session, in order."""
    splitter = _Splitter(_has_hard_breaks(lines))
    for line in lines:
        splitter.add(line)
    return list(filter(_is_said, map(_finished, splitter.entries)))


def is_command(text: str) -> bool:
    """Whether a text that the user typed is a command of Aider."""
    return text.startswith(("/", "!"))


def _has_hard_breaks(lines: Iterable[str]) -> bool:
    """Whether the first line that Aider has marked ends as it writes such lines."""
    marked = (line for line in lines if line.startswith((_USER, _PROGRAM)))
    first, second = next(marked, ""), next(marked, "")
    # The first one can be the beginning of a text with several lines.
    return first.endswith(_HARD_BREAK) or second.endswith(_HARD_BREAK)


class _Splitter:
    """Sorts lines into entries."""

    def __init__(self, has_hard_breaks: bool) -> None:
        self.entries: list[Entry] = []
        self._has_hard_breaks = has_hard_breaks
        self._after_blank = True
        self._text_is_open = False
        """Whether the text that Aider printed last goes on."""

    def add(self, line: str) -> None:
        """Add the next line."""
        is_blank = not line.strip()
        if self._is_typed(line):
            self._add_typed(line[len(_USER) :].strip())
        elif self._is_printed(line):
            self._open(OUTPUT).setdefault("texts", []).append([line[len(_PROGRAM) :].rstrip()])
            self._text_is_open = self._has_hard_breaks and not line.endswith(_HARD_BREAK)
        elif self._continues_printed(is_blank):
            self.entries[-1]["texts"][-1].append(line.rstrip())
            self._text_is_open = self._text_is_open and not line.endswith(_HARD_BREAK)
        elif not is_blank or self._last == ANSWER:
            self._open(ANSWER).setdefault("lines", []).append(line)
        self._after_blank = is_blank

    @property
    def _last(self) -> str:
        return self.entries[-1]["kind"] if self.entries else ""

    def _open(self, kind: str) -> Entry:
        if self._last != kind:
            self.entries.append({"kind": kind})
        if kind != OUTPUT:
            self._text_is_open = False
        return self.entries[-1]

    def _add_typed(self, text: str) -> None:
        if self._after_blank:
            self.entries.append({"kind": PROMPT})
        self._open(PROMPT).setdefault("lines", []).append(text)

    def _is_typed(self, line: str) -> bool:
        if not line.startswith(_USER) or line[len(_USER) :][:1] not in {"", " "}:
            return False
        ends = line.endswith(_HARD_BREAK) or not self._has_hard_breaks
        return ends and (self._after_blank or self._last == PROMPT)

    def _is_printed(self, line: str) -> bool:
        if not line.startswith(_PROGRAM):
            return False
        if line.endswith(_HARD_BREAK) or not self._has_hard_breaks or line.startswith(_PROGRAM + TOKENS):
            return True
        # The first of several lines, or a quotation at the beginning of an answer or in it.
        asked = self._last == PROMPT and not is_command(self.entries[-1]["lines"][0])
        return self._last != ANSWER and not asked

    def _continues_printed(self, is_blank: bool) -> bool:
        return self._last == OUTPUT and (self._text_is_open or not (self._after_blank or is_blank))


def _finished(entry: Entry) -> Entry:
    if entry["kind"] == OUTPUT:
        return {"kind": OUTPUT, "texts": ["\n".join(lines).rstrip() for lines in entry["texts"]]}
    lines = entry["lines"]
    return {"kind": entry["kind"], "text": "\n".join(lines).strip()}


def _is_said(entry: Entry) -> bool:
    return bool(entry.get("text") or any(entry.get("texts", ())))
