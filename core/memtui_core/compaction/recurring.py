"""The names that a segment keeps coming back to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from memtui_core.compaction.facts import Fact
from memtui_core.compaction.words import is_compound, names, squashed, without_code
from memtui_core.model import Block, Turn

LEAST = 4
"""In how many texts and calls a name must come to be an item, in one of them said by somebody."""
_MOST = 40
_MOSTLY = 0.6
_LENGTHS = range(4, 61)
_TICKED = re.compile(r"`([^`\s]{4,60})`")
_CALLED = re.compile(r"\(.*\)$|/\d+$")
_SHAPE = re.compile(r"[@$]?[A-Za-z][\w$]*(?:(?:::|[-./:#@])[\w$]+)*")
_HASH = re.compile(r"(?:[0-9a-f]{7,64}|[0-9a-f-]{32,36})", re.IGNORECASE)
_ENGLISH = re.compile(
    r"[A-Za-z]+(?:[-/.:][a-z]+)+|[A-Z]?[a-z]+(?:/[A-Z]?[a-z]+)+|[A-Za-z]+(?:-[A-Z]?[a-z]+|-[A-Z]+)+|[A-Z]{2,6}s|[vV]?\d.*|.*:\d+(?:-\d+)?"
)
"""Plain words, joined or not, and places in files."""
_OUTSIDE = re.compile(r"https?:.*|www\..*|.*\.(?:com|org|io|dev|net)(?:/.*)?")
_JOINTS = re.compile(r"::|[-./:#@]")
_BRANDS = frozenset(
    """
    GitHub GitLab JavaScript TypeScript PostgreSQL MySQL SQLite MongoDB OpenAI ChatGPT macOS iOS iPhone YouTube LinkedIn
    WebSocket WebSockets VSCode DevOps GraphQL OAuth OAuth2 JSON5 LaTeX BitBucket PowerShell DuckDB CLAUDE.md AGENTS.md
    README.md amd64 arm64 x86_64 utf8 UTF-8 base64 sha256
    """.split()  # noqa: SIM905
)
"""Words that look like names in code and are not."""
_SAID = frozenset({"user", "text"})


def recurring(turns: Sequence[Turn], taken: Collection[str]) -> Iterator[Fact]:
    """The names that recur in what was said and done, the most frequent first; `taken` are other items' texts.

    A name is one of code: ticked by somebody, or of more than one part (`retryUpload`, `shop-14`). It is left out when
    it is a part of a file's path or of another item, or a number of a version.
    """
    seen: dict[str, list[tuple[int, int]]] = {}
    said: set[str] = set()
    for turn in turns:
        for block in turn.blocks:
            if not _counts(turn, block):
                continue
            for name in names(block.text):
                seen.setdefault(name, []).append((block.line, turn.number))
            if block.kind in _SAID:
                said |= _candidates(block.text)
    known = "\n".join(map(squashed, taken))
    often = {name: len(seen[name]) for name in said if len(seen.get(name, ())) >= LEAST and squashed(name) not in known}
    for name in _wholes(often)[:_MOST]:
        line, number = seen[name][-1]
        yield Fact("identifier", name, name, line, number, often[name])


def _wholes(often: Mapping[str, int]) -> list[str]:
    """The names, the most frequent first, without those that mostly come as a part of a longer one."""
    covered: Counter[str] = Counter()
    for name, times in often.items():
        for part in {part for part in _JOINTS.split(name) if part != name}:
            covered[part] = max(covered[part], times)
    wholes = [name for name, times in often.items() if covered[name] < _MOSTLY * times]
    return sorted(wholes, key=lambda name: (-often[name], name))


def _counts(turn: Turn, block: Block) -> bool:
    """What somebody said or did; a compaction's own summary is neither."""
    if block.kind == "user":
        return turn.kind not in {"compaction", "command"} or block.line != turn.line
    return block.kind in {"text", "tool_call"}


def _candidates(text: str) -> set[str]:
    plain = without_code(text)
    ticked = {_CALLED.sub("", name).rstrip(":,.") for name in _TICKED.findall(plain)}
    return {name for name in (ticked | {n for n in names(plain) if is_compound(n)}) if _is_name(name)}


def _is_name(name: str) -> bool:
    if len(name) not in _LENGTHS or not _SHAPE.fullmatch(name) or _HASH.fullmatch(name) or _OUTSIDE.fullmatch(name):
        return False
    return is_compound(name) and name not in _BRANDS and not _ENGLISH.fullmatch(name)
