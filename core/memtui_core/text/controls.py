"""Safe text, which a terminal displays and never interprets.

Transcripts, paths and settings can contain any text. Unsafe are C0 controls except tab and newline, DEL, C1 controls
(U+0080 to U+009F), characters that reorder text, the line separators U+2028 and U+2029, invisible operators, byte order
marks, and lone surrogates, which cannot be encoded. The joiners U+200C and U+200D are safe: emoji and several scripts
need them.

- `plain` is for text with several lines, `one_line` for text in one line.
- `label` and `title` are for names; they are applied when rows become values of the model.
- `json_text.json_text` is for JSON, and escapes the characters that the others remove.
"""

from __future__ import annotations

import re
from typing import Any, Final, Self

from memtui_core.text.characters import shown_bytes

_REORDERING: Final = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
UNSAFE: Final = rf"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ud800-\udfff{_REORDERING}"
"""The unsafe characters, as the inside of a character class of a regular expression."""
UNTITLED: Final = "untitled"
"""Shown instead of a title without visible characters."""

_UNSAFE = re.compile(f"[{UNSAFE}]")
# CSI, then the strings (OSC, DCS, SOS, PM, APC) with their terminator, then any other escape sequence; introduced by
# ESC or by its C1 character. A string without a terminator is kept: how much of the text belongs to it is unknown.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b(?![\[\]PX^_])[ -/]*[0-~]"
)
_BLANK = re.compile(r"[\t\n\r\u2028\u2029]")


class Label(str):
    """A safe text that is displayed instead of another one: `raw`, the name in the index or on the disk."""

    raw: str

    def __new__(cls, shown: str, raw: str) -> Self:
        """A label with the text to display and the original text."""
        instance = super().__new__(cls, shown)
        instance.raw = raw
        return instance


def plain(text: str) -> str:
    """The text without escape sequences; control characters except tabs and newlines become visible symbols.

    A line that was rewritten by carriage returns or backspaces keeps its last state. Characters that reorder text are
    removed, because they can make code look like other code.
    """
    # No printable character is unsafe.
    if text.isprintable() or not _UNSAFE.search(text):
        return text
    text = without_escape_sequences(text).replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return _UNSAFE.sub(_symbol, text)


def without_escape_sequences(text: str) -> str:
    """The text without escape sequences; other control characters stay."""
    return _SEQUENCE.sub("", text)


def one_line(text: str, longest: int = 0) -> str:
    """The text on one line; if it is longer than `longest` characters, it is cut and ends in `…`. 0 means no limit."""
    line = " ".join(plain(text).split())
    return line[: longest - 1].rstrip() + "…" if longest and len(line) > longest else line


def label(text: str) -> str:
    """A name on one line; a `Label` if that differs from the text.

    Spaces are kept: two paths may differ only by a space. A name of nothing but escape sequences is shown as symbols.
    """
    if text.isprintable():
        return text
    shown = _with_symbols(without_escape_sequences(text))
    if not shown.strip():
        shown = _with_symbols(text)
    shown = shown_bytes(shown)
    return text if shown == text else Label(shown, text)


def title(text: str) -> str:
    """A title on one line; `UNTITLED` if it has no visible characters. The empty string stays empty."""
    if not text or (text.isprintable() and not text.isspace()):
        return text
    text = without_escape_sequences(text)
    visible = _UNSAFE.sub("", text)
    if not any(character.isprintable() and not character.isspace() for character in visible):
        return UNTITLED
    return " ".join(_with_symbols(text).split())


def stored(text: Any) -> Any:
    """The raw text of a label; any other value unchanged."""
    return text.raw if isinstance(text, Label) else text


def _last_state(line: str) -> str:
    line = next((part for part in reversed(line.split("\r")) if part), "")
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


def _with_symbols(text: str) -> str:
    """The text on one line, with symbols instead of unsafe characters."""
    return _UNSAFE.sub(_symbol, _BLANK.sub(" ", text))


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0xA0 or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return " " if code in {0x2028, 0x2029} else ""
