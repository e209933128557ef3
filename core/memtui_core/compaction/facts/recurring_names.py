"""The names that recur in a segment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from memtui_core.compaction.facts.segment import SegmentFact
from memtui_core.compaction.model import FactKind
from memtui_core.compaction.words import is_compound, names, normalized_name, without_code
from memtui_core.model import Block, Turn
from memtui_core.text.paths import is_path_like

LEAST = 4
"""The least number of texts and calls with a name; at least one of them is a text of the user or the agent."""
_MOST = 40
"""The most names of a segment."""
_MOSTLY = 0.6
"""If a name occurs inside a longer name in at least this share of its occurrences, only the longer name counts."""
_LENGTHS = range(4, 61)
_BACKTICKS = re.compile(r"`([^`\s]{4,60})`")
_CALL_SUFFIX = re.compile(r"\(.*\)$|/\d+$")
_SHAPE = re.compile(r"[@$]?[A-Za-z][\w$]*(?:(?:::|[-./:#@])[\w$]+)*")
_HASH = re.compile(r"(?:[0-9a-f]{7,64}|[0-9a-f-]{32,36})", re.IGNORECASE)
_PLAIN_WORDS = re.compile(
    r"[A-Za-z]+(?:[-/.:][a-z]+)+|[A-Z]?[a-z]+(?:/[A-Z]?[a-z]+)+|[A-Za-z]+(?:-[A-Z]?[a-z]+|-[A-Z]+)+|[A-Z]{2,6}s|[vV]?\d.*|.*:\d+(?:-\d+)?"
)
"""Plain words, joined or not, and positions in files."""
_WEB_ADDRESS = re.compile(r"https?:.*|www\..*|.*\.(?:com|org|io|dev|net)(?:/.*)?")
_SEPARATORS = re.compile(r"::|[-./:#@]")
_BRANDS = frozenset(
    """
    GitHub GitLab JavaScript TypeScript PostgreSQL MySQL SQLite MongoDB OpenAI ChatGPT macOS iOS iPhone YouTube LinkedIn
    WebSocket WebSockets VSCode DevOps GraphQL OAuth OAuth2 JSON5 LaTeX BitBucket PowerShell DuckDB CLAUDE.md AGENTS.md
    README.md amd64 arm64 x86_64 utf8 UTF-8 base64 sha256
    """.split()  # noqa: SIM905
)
"""Words that look like names in code but are none."""
_TEXT_KINDS = frozenset({"user", "text"})


def recurring_names(turns: Sequence[Turn], known_texts: Collection[str]) -> Iterator[SegmentFact]:
    """The names that recur in texts and tool calls, the most frequent first; `known_texts` are those of other facts.

    A name is an identifier of code, written in backticks or of more than one part (`retryUpload`, `shop-14`), or a
    file that is only named. It is left out if it is a part of a file's path or of another fact, or a version number.
    """
    places: dict[str, list[tuple[int, int]]] = {}
    candidates: set[str] = set()
    for turn in turns:
        for block in turn.blocks:
            if not _counts(turn, block):
                continue
            for name in names(block.text):
                places.setdefault(name, []).append((block.line, turn.number))
            if block.kind in _TEXT_KINDS:
                candidates |= _candidates(block.text)
    known = "\n".join(map(normalized_name, known_texts))
    counts = {
        name: len(places[name])
        for name in candidates
        if len(places.get(name, ())) >= LEAST and normalized_name(name) not in known
    }
    for name in _most_frequent(counts)[:_MOST]:
        line, number = places[name][-1]
        numbers = tuple(dict.fromkeys(place[1] for place in places[name]))
        kind: FactKind = "file" if is_path_like(name) else "identifier"
        yield SegmentFact(kind, name, name, line, number, counts[name], turns=numbers)


def _most_frequent(counts: Mapping[str, int]) -> list[str]:
    """The names, the most frequent first, without those that mostly occur as a part of a longer name."""
    covered: Counter[str] = Counter()
    for name, times in counts.items():
        for part in {part for part in _SEPARATORS.split(name) if part != name}:
            covered[part] = max(covered[part], times)
    whole_names = [name for name, times in counts.items() if covered[name] < _MOSTLY * times]
    return sorted(whole_names, key=lambda name: (-counts[name], name))


def _counts(turn: Turn, block: Block) -> bool:
    """Whether the names of a block count: texts and tool calls, but not the summary of a compaction."""
    if block.kind == "user":
        return turn.kind not in {"compaction", "command"} or block.line != turn.line
    return block.kind in {"text", "tool_call"}


def _candidates(text: str) -> set[str]:
    prose = without_code(text)
    in_backticks = {_CALL_SUFFIX.sub("", name).rstrip(":,.") for name in _BACKTICKS.findall(prose)}
    return {name for name in (in_backticks | {name for name in names(prose) if is_compound(name)}) if _is_name(name)}


def _is_name(name: str) -> bool:
    if len(name) not in _LENGTHS or not _SHAPE.fullmatch(name) or _HASH.fullmatch(name) or _WEB_ADDRESS.fullmatch(name):
        return False
    return is_compound(name) and name not in _BRANDS and not _PLAIN_WORDS.fullmatch(name)
