"""Text of any origin to text that is safe in a document: no terminal escapes, no control characters."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])")
# Control characters but tabs and newlines, marks that reorder text, what Python takes for a line end, and halves of a
# surrogate pair, which no file can hold.
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def plain(text: str) -> str:
    """The text without escape sequences; of its control characters tabs and newlines stay, others become signs.

    A line that was rewritten by carriage returns or backspaces keeps its last state. Marks that reorder text go, for
    they let code look like other code.
    """
    if not _ODD.search(text):
        return text
    text = _ESCAPE.sub("", text).replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return _ODD.sub(_sign, text)


def one_line(text: str, longest: int = 0) -> str:
    """The text on one line; what is longer than `longest` characters, if that is given, ends in `…`."""
    line = " ".join(plain(text).split())
    return line[: longest - 1].rstrip() + "…" if longest and len(line) > longest else line


def _last_state(line: str) -> str:
    line = next((part for part in reversed(line.split("\r")) if part), "")
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0xA0 or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return " " if code in {0x2028, 0x2029} else ""
