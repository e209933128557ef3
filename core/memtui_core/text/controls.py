"""What a safe text is: one that a terminal only shows and never obeys, wherever it came from.

Transcripts, paths and settings hold whatever somebody wrote. Unsafe are C0 controls except tab and newline, DEL, C1
controls (U+0080 to U+009F), marks that reorder text, the line separators U+2028 and U+2029, invisible operators, byte
order marks, and halves of a surrogate pair, which cannot be encoded. The joiners U+200C and U+200D are safe: emoji and
several scripts need them.

- `plain` for text of several lines, `one_line` for a line of it.
- `label` and `title` for what names a thing; values of the model are made of them where rows become values.
- `as_json.json_text` for JSON, which escapes what the others remove.
"""

from __future__ import annotations

import re
from typing import Any, Final

_REORDERING: Final = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
UNSAFE: Final = rf"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ud800-\udfff{_REORDERING}"
"""The unsafe characters, as the inside of a character class of a regular expression."""
UNTITLED: Final = "untitled"
"""Stands for a title in which there is nothing to see."""

_UNSAFE = re.compile(f"[{UNSAFE}]")
# CSI, then the strings (OSC, DCS, SOS, PM, APC) with their end, then any other escape sequence; introduced by ESC or
# by the one character of C1 for it. A string without an end stays: nobody can say how much of the text belongs to it.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b(?![\[\]PX^_])[ -/]*[0-~]"
)
_BLANK = re.compile(r"[\t\n\r\u2028\u2029]")


class Label(str):
    """A safe text that stands for another one: `raw`, by which the index or the disk knows what it names."""

    raw: str

    def __new__(cls, shown: str, raw: str) -> Label:
        """The text to show, and the one that it stands for."""
        made = super().__new__(cls, shown)
        made.raw = raw
        return made


def plain(text: str) -> str:
    """The text without escape sequences; of its control characters tabs and newlines stay, others become signs.

    A line that was rewritten by carriage returns or backspaces keeps its last state. Marks that reorder text go, for
    they let code look like other code.
    """
    if not _UNSAFE.search(text):
        return text
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return _UNSAFE.sub(_sign, text)


def one_line(text: str, longest: int = 0) -> str:
    """The text on one line; what is longer than `longest` characters, if that is given, ends in `…`."""
    line = " ".join(plain(text).split())
    return line[: longest - 1].rstrip() + "…" if longest and len(line) > longest else line


def label(text: str) -> str:
    """The name of a thing on one line; a `Label` where that is another text than the one given.

    Blanks stay as they are: two paths may differ by one. A name that is nothing but escape sequences shows as signs.
    """
    if text.isprintable():
        return text
    shown = _signs(_SEQUENCE.sub("", text))
    if not shown.strip():
        shown = _signs(text)
    return text if shown == text else Label(shown, text)


def title(text: str) -> str:
    """A title on one line, `UNTITLED` where nothing of it can be seen; the empty string stays."""
    if not text or (text.isprintable() and not text.isspace()):
        return text
    seen = _UNSAFE.sub("", _SEQUENCE.sub("", text))
    if not any(character.isprintable() and not character.isspace() for character in seen):
        return UNTITLED
    return " ".join(_signs(_SEQUENCE.sub("", text)).split())


def stored(text: Any) -> Any:
    """What a label stands for; any other value is itself."""
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


def _signs(text: str) -> str:
    """The text on one line, its unsafe characters as signs."""
    return _UNSAFE.sub(_sign, _BLANK.sub(" ", text))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0xA0 or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return " " if code in {0x2028, 0x2029} else ""
