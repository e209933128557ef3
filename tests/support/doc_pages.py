"""The pages that users read, their blocks of commands, headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
SITE: Final = "https://memtui.github.io/memtui"
REPOSITORY_FILES: Final = "https://github.com/memtui/memtui/blob/main"
RAW_FILES: Final = "https://raw.githubusercontent.com/memtui/memtui/main"
CONFIGURATION: Final = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
OUTSIDE: Final = frozenset(re.findall(r"^ {8}([\w/-]+\.md)$", CONFIGURATION, re.MULTILINE))
"""Files of docs/ that the site does not have, by their paths in it."""
IN_NAVIGATION: Final = tuple(re.findall(r"^ +- [^:\n]+: ([\w/-]+\.md)$", CONFIGURATION, re.MULTILINE))
PAGES: Final = (
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in OUTSIDE),
)
_FENCE = re.compile(r" *```(\w*)$")
_NOT_RUN = re.compile(r" *<!-- not run: (\S.*) -->$")
_LINK = re.compile(r"\]\(([^()\s]+)\)")


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    language: str
    lines: tuple[str, ...]
    above: str
    """The last line before it that is not empty, without what it is indented by."""


class ShellBlock(NamedTuple):
    """Commands that a page shows."""

    line: int
    commands: tuple[str, ...]
    reason: str
    """Why they are not run, or empty."""
    output: tuple[str, ...] | None
    """What they print, if that is shown right below."""


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    above, start, language, inside = "", 0, "", list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if start and fence:
            yield Block(start, language, tuple(inside), above)
            above, start, inside = "```", 0, []
        elif start:
            inside.append(line)
        elif fence:
            start, language = number, fence[1]
        elif line.strip():
            above = line


def shell_blocks(text: str) -> list[ShellBlock]:
    """The blocks of commands of a page, with lines that end in a backslash as one."""
    found = list(blocks(text))
    shown = []
    for place, block in enumerate(found):
        if block.language != "sh":
            continue
        joined = "\n".join(line.strip() for line in block.lines).replace("\\\n", " ")
        reason = _NOT_RUN.match(block.above)
        following = found[place + 1] if place + 1 < len(found) else None
        is_output = following is not None and following.language == "text" and following.above == "```"
        shown.append(
            ShellBlock(
                block.line,
                tuple(line for line in joined.splitlines() if line and not line.startswith("#")),
                reason[1] if reason else "",
                tuple(line.rstrip() for line in following.lines) if following is not None and is_output else None,
            )
        )
    return shown


def is_shown(output: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether a page shows an output as it is; a line `…` stands for any number of lines."""
    parts: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == "…":
            parts.append([])
        else:
            parts[-1].append(line)
    place = 0
    for number, part in enumerate(parts):
        is_first, is_last = number == 0, number == len(parts) - 1
        starts = range(place, len(output) - len(part) + 1)
        if is_last and part:
            starts = starts[-1:]
        if is_first:
            starts = starts[:1] if starts and starts[0] == 0 else range(0)
        for start in starts:
            if list(output[start : start + len(part)]) == part:
                place = start + len(part)
                break
        else:
            return False
    return len(parts) > 1 or place == len(output)


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> frozenset[str]:
    """The anchors of the headings of a page, as the site makes them."""
    found = set[str]()
    for heading in re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading).strip().lower()
        slug = re.sub(r"[-\s]+", "-", plain)
        number = 0
        while (name := f"{slug}_{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return frozenset(found)


def links(page: Path) -> Iterator[tuple[str, Path, str]]:
    """The links of a page to files of the repository: as written, the file, and the anchor."""
    text = prose(page.read_text(encoding="utf-8"))
    for written in _LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        target, _, anchor = written.partition("#")
        if "://" not in target:
            yield written, page.parent / target if target else page, anchor
