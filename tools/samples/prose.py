"""Text as people and agents write it, out of text as a source file holds it."""

from __future__ import annotations

import re
from textwrap import dedent

STARTS = re.compile(r"(?:[-*|>#]|\d+\.\s|```)")


def prose(text: str) -> str:
    """Return `text` without its indent and with each paragraph, and each list item, on one line.

    Code fences, tables and headings stay as they are; a trailing backslash keeps a line break.
    """
    lines: list[str] = []
    fenced = False
    for line in dedent(text).strip("\n").rstrip().split("\n"):
        fence = line.lstrip().startswith("```")
        joins = (
            bool(lines and lines[-1] and line.strip()) and not fenced and not fence and not STARTS.match(line.lstrip())
        )
        if joins and lines[-1].endswith("\\"):
            lines[-1] = lines[-1][:-1].rstrip()
            joins = False
        if joins and not lines[-1].lstrip().startswith(("#", "|", "```")):
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line.rstrip())
        fenced ^= fence
    return "\n".join(lines)


def code(text: str) -> str:
    """Return a file's content: `text` without its indent, ended by one newline."""
    return dedent(text).strip("\n") + "\n"


def output(text: str) -> str:
    """Return what a command printed: `text` without its indent and without a newline at the end."""
    return dedent(text).strip("\n")
