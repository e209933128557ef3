"""Texts cut to a length, and Markdown that ends what it began."""

from __future__ import annotations

import re

from memtui_core.tools.summary import cut

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def shortened(text: str, longest: int, *, keep_end: bool = False) -> str:
    """At most `longest` characters (code points) of a text and a line that says how many are missing.

    The beginning is kept; with `keep_end` half of it each from both ends, for a command's errors stand last.
    """
    if len(text) <= longest:
        return text
    tail = text[len(text) - longest // 2 :] if keep_end and longest > 1 else ""
    head = cut(text, longest - len(tail)) if longest > len(tail) else ""
    lost = len(text) - len(head) - len(tail)
    marker = f"[… {lost} {'character' if lost == 1 else 'characters'} omitted]"
    return "\n".join(part for part in (head, marker, tail) if part)


def closed(text: str) -> str:
    """Markdown with its last code fence closed, if that was left open."""
    opened = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if match is None:
            continue
        if opened:
            ends = match[1][0] == opened[0] and len(match[1]) >= len(opened) and not match[2].strip()
            opened = "" if ends else opened
        elif match[1][0] == "~" or "`" not in match[2]:
            opened = match[1]
    return f"{text}\n{opened}" if opened else text
