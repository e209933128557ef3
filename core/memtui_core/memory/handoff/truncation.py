"""Truncate texts, and close the code fences that this leaves open."""

from __future__ import annotations

import re

from memtui_core.tools.summary import cut

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def truncated(text: str, longest: int, *, keep_end: bool = False) -> str:
    """At most `longest` characters (code points) of a text, and a line with the number of omitted characters.

    The beginning is kept; with `keep_end` half of the characters are from the end, as a command's errors come last.
    """
    if len(text) <= longest:
        return text
    tail = text[len(text) - longest // 2 :] if keep_end and longest > 1 else ""
    head = cut(text, longest - len(tail)) if longest > len(tail) else ""
    omitted = len(text) - len(head) - len(tail)
    marker = f"[… {omitted} {'character' if omitted == 1 else 'characters'} omitted]"
    return "\n".join(part for part in (head, marker, tail) if part)


def close_fence(text: str) -> str:
    """The Markdown text with its last code fence closed."""
    open_fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if match is None:
            continue
        if open_fence:
            closes = match[1][0] == open_fence[0] and len(match[1]) >= len(open_fence) and not match[2].strip()
            open_fence = "" if closes else open_fence
        elif match[1][0] == "~" or "`" not in match[2]:
            open_fence = match[1]
    return f"{text}\n{open_fence}" if open_fence else text
