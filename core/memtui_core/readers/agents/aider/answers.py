"""The edits in the answers of Aider's models, which are parts of the text, in one of several formats.

    src/app.py                      ```diff                     *** Begin Patch
    ```python                       --- src/app.py              *** Update File: src/app.py
    <<<<<<< SEARCH                  +++ src/app.py              @@
    old lines                       @@ ... @@                   -old lines
    =======                         -old lines                  +new lines
    new lines                       +new lines                  *** End Patch
    >>>>>>> REPLACE                 ```
    ```

The file can also be named inside of the fence. With the format `whole`, the lines in a fence are the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from memtui_core.tools.search_replace import replacements

_HEAD: Final = re.compile(r"\s*<{5,9} SEARCH>?\s*")
_DIVIDER: Final = re.compile(r"\s*={5,9}\s*")
_END: Final = re.compile(r"\s*(?:>{5,9} REPLACE|={5,9})\s*")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|</?(?:source|code|pre|codeblock|sourcecode)>)")
_DIFF_FENCE: Final = "```diff"
_PATCH_BEGINS: Final = "*** Begin Patch"
_PATCH_ENDS: Final = "*** End Patch"
_THINKING: Final = re.compile(
    r"\s*<(?:think|thinking|thinking-content-[0-9a-f]+)>(.*?)</(?:think|thinking|thinking-content-[0-9a-f]+)>",
    re.DOTALL,
)
_GIT_HEADINGS: Final = ("diff --git ", "index ", "new file mode ")
_TALKING: Final = frozenset({"ask", "help", "context", "architect"})
"""Modes in which an answer changes no file."""
_WHOLE: Final = frozenset({"whole", "editor-whole"})
_LONGEST_NAME: Final = 250
_LINES_BEFORE: Final = 3
"""The name of the file is in this many lines before a block."""


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of an answer: a text, thinking, or a call that changes files."""

    kind: str
    """text, thinking or call."""
    text: str = ""
    name: str = ""
    arguments: dict[str, Any] | None = None


def parts_of(text: str, edit_format: str | None) -> Iterator[AnswerPart]:
    """The parts of an answer in order, given the format of edits if it is known."""
    if match := _THINKING.match(text):
        yield AnswerPart("thinking", match[1].strip())
        text = text[match.end() :]
    if edit_format in _TALKING:
        yield AnswerPart("text", text.strip())
    else:
        yield from _Answer(text, edit_format in _WHOLE).parts()


class _Answer:
    """Goes through the lines of an answer."""

    def __init__(self, text: str, has_whole_files: bool) -> None:
        self._lines = text.split("\n")
        self._has_whole_files = has_whole_files
        self._said: list[str] = []
        """The lines since the last call."""
        self._path = ""

    def parts(self) -> Iterator[AnswerPart]:
        """The parts; a block that is not complete is text."""
        at = 0
        while at < len(self._lines):
            found = self._call(at)
            if found is None:
                self._said.append(self._lines[at])
                at += 1
            else:
                calls, at = found
                yield from self._text()
                yield from calls
        yield from self._text()

    def _call(self, at: int) -> tuple[list[AnswerPart], int] | None:
        """The calls that begin at a line, and the line after them."""
        line = self._lines[at]
        if self._has_whole_files:
            return self._whole_file(at) if _FENCE.match(line) else None
        if _HEAD.fullmatch(line):
            return self._block(at)
        if line.startswith(_DIFF_FENCE):
            return self._diff(at)
        return self._patch(at) if line.strip() == _PATCH_BEGINS else None

    def _block(self, at: int) -> tuple[list[AnswerPart], int] | None:
        middle = self._find(at + 1, _DIVIDER)
        end = self._find(middle + 1, _END)
        if end >= len(self._lines):
            return None
        self._path = self._take_name() or self._path
        old, new = ("\n".join(lines) for lines in (self._lines[at + 1 : middle], self._lines[middle + 1 : end]))
        block = "\n".join(["<<<<<<< SEARCH", *self._lines[at + 1 : middle], "=======", *self._lines[middle + 1 : end]])
        block += "\n>>>>>>> REPLACE"
        # A line of a text can look like the one between the texts.
        is_exact = list(replacements(block)) == [(old, new)]
        changed: dict[str, Any] = {"diff": block} if is_exact else {"edits": [{"search": old, "replace": new}]}
        return [_edit(self._path, **changed)], self._after_fence(end + 1)

    def _diff(self, at: int) -> tuple[list[AnswerPart], int] | None:
        end = self._find(at + 1, _FENCE)
        by_path: dict[str, list[dict[str, str]]] = {}
        is_complete = True
        for path, old, new in _hunks(self._lines[at + 1 : end]):
            self._path = path or self._path
            if old != new:
                by_path.setdefault(self._path, []).append({"search": old, "replace": new})
            else:
                is_complete = False
        if by_path and not is_complete:
            self._said += self._lines[at : end + 1]
        return ([_edit(path, edits=edits) for path, edits in by_path.items()], end + 1) if by_path else None

    def _patch(self, at: int) -> tuple[list[AnswerPart], int] | None:
        end = at
        while end < len(self._lines) and self._lines[end].strip() != _PATCH_ENDS:
            end += 1
        if end >= len(self._lines):
            return None
        if self._said and _FENCE.match(self._said[-1]):
            self._said.pop()
        patch = "\n".join(self._lines[at : end + 1])
        return [AnswerPart("call", "", "apply_patch", {"patch": patch})], self._after_fence(end + 1)

    def _whole_file(self, at: int) -> tuple[list[AnswerPart], int] | None:
        end = self._find(at + 1, _FENCE)
        name = _name(self._said[-1]) if self._said else ""
        if not name or end >= len(self._lines):
            return None
        self._said.pop()
        content = "\n".join([*self._lines[at + 1 : end], ""])
        return [AnswerPart("call", "", "write", {"path": name, "content": content})], end + 1

    def _take_name(self) -> str:
        """Take the name of the file and the fence from the lines before a block; empty if no file is named."""
        names = []
        taken = 0
        other = ""
        """The line before the fence, if the fence names a file, too."""
        for line in reversed(self._said[-_LINES_BEFORE:]):
            is_fence = _FENCE.match(line) is not None
            name = _name_after_fence(line) if is_fence else _name(line)
            if not name and not is_fence:
                break
            taken += 1
            names += [name] if name else []
            if not is_fence:
                other = line if len(names) > 1 else ""
                break
        del self._said[len(self._said) - taken :]
        chosen = next((name for name in names if "." in name), names[0] if names else "")
        self._said += [other] if other and _name(other) != chosen else []
        return chosen

    def _text(self) -> Iterator[AnswerPart]:
        said, self._said = self._said, []
        if any(line.strip() and not _FENCE.fullmatch(line.rstrip()) for line in said):
            yield AnswerPart("text", "\n".join(said).strip())

    def _find(self, at: int, pattern: re.Pattern[str]) -> int:
        """The first line from `at` on that is as the pattern says, or begins so in case of a fence; else the end."""
        is_found = pattern.match if pattern is _FENCE else pattern.fullmatch
        return next(
            (number for number in range(at, len(self._lines)) if is_found(self._lines[number])), len(self._lines)
        )

    def _after_fence(self, at: int) -> int:
        return at + 1 if at < len(self._lines) and _FENCE.fullmatch(self._lines[at].rstrip()) else at


def _edit(path: str, **arguments: Any) -> AnswerPart:
    return AnswerPart("call", "", "edit", {"path": path, **arguments})


def _name_after_fence(line: str) -> str:
    """The file that is named after a fence; empty if there is a language or nothing."""
    word = line.strip().lstrip("`")
    return _name(word) if ("." in word or "/" in word) and not word.startswith("<") else ""


def _name(line: str) -> str:
    """The file that a line names; empty if it says something else."""
    name = line.strip().rstrip(":").lstrip("#").strip().strip("`").strip("*").strip()
    is_name = name != "..." and len(name) <= _LONGEST_NAME and (" " not in name or "." in name.rpartition("/")[2][-6:])
    return name if is_name else ""


def _hunks(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    """The file, the lines before and the lines after each hunk of a unified diff, whose headings have no numbers.

    The file is empty if no heading names it. A hunk can be without a change.
    """
    path = ""
    old: list[str] = []
    new: list[str] = []
    for number, line in enumerate([*lines, "@@"]):
        is_heading = line.startswith("--- ") and number + 1 < len(lines) and lines[number + 1].startswith("+++ ")
        if is_heading or line.startswith(("@@", "+++ ")):
            if any(text.strip() for text in (*old, *new)):
                yield path, "\n".join(old), "\n".join(new)
            old, new = [], []
            if line.startswith("+++ "):
                path = _path_in(line, lines[number - 1] if number else "")
        elif not line.startswith(_GIT_HEADINGS):
            # Models forget the blank before a line that stays.
            text = line[1:] if line[:1] in {"+", "-", " "} else line
            old += [text] if line[:1] != "+" else []
            new += [text] if line[:1] != "-" else []


def _path_in(after: str, before: str) -> str:
    """The path in the headings of a diff, without the prefixes of git."""
    path = after[4:].strip()
    if path.startswith("b/") and before[4:].strip().startswith(("a/", "/dev/null")):
        return path[2:]
    return path if path != "/dev/null" else before[4:].strip().removeprefix("a/")
