"""The facts of a segment, which are what was done in it: files, commands, errors and web addresses, each once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memtui_core.compaction.facts.commands import CommandPart, parts_of
from memtui_core.compaction.model import FactKind
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.statements.phrases import typed_text
from memtui_core.model import Block, Turn
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired
from memtui_core.tools.results.failures import error_line, is_agent_error

ResolvePath = Callable[[str], str | None]
"""Makes of a path, as the agent wrote it, its path in the project; None for a file that is no part of the work."""

_URL = re.compile(r"https?://[^\s<>\"'`|\\\x00-\x20）】」]+")
_LOCAL_URL = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[^/]*[${])")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class SegmentFact:
    """Something that was done in a segment; `line` and `turn` are those of its last occurrence."""

    kind: FactKind
    key: str
    """Equal for two occurrences of the same fact."""
    text: str
    line: int
    turn: int
    times: int = 1
    parts: tuple[CommandPart, ...] = ()
    """The programs of a command; empty for other kinds."""
    turns: tuple[int, ...] = ()
    """All turns in which it occurs, in order; empty until the occurrences are merged."""


def segment_facts(
    turns: Sequence[Turn], resolve_path: ResolvePath, texts: SessionTexts | None = None
) -> list[SegmentFact]:
    """The facts of turns with their blocks, each once, in the order of their first occurrences."""
    texts = texts or SessionTexts()
    facts: dict[tuple[str, str], SegmentFact] = {}
    numbers: dict[tuple[str, str], dict[int, None]] = {}
    for turn in turns:
        for fact in _turn_facts(turn, resolve_path, texts):
            key = ("file" if fact.kind in {"edited", "read"} else fact.kind, fact.key)
            earlier = facts.get(key)
            facts[key] = fact if earlier is None else _merged(earlier, fact)
            numbers.setdefault(key, {})[turn.number] = None
    return [replace(fact, turns=tuple(numbers[key])) for key, fact in facts.items()]


def file_reads(turns: Sequence[Turn], resolve_path: ResolvePath) -> Iterator[SegmentFact]:
    """The reads of files, one fact for each call, in order."""
    for turn in turns:
        for fact in _turn_facts(turn, resolve_path, SessionTexts()):
            if fact.kind == "read":
                yield fact


def urls_in(text: str) -> Iterator[str]:
    """The web addresses of a text, without those of this machine."""
    for match in _URL.finditer(text):
        url = match[0].rstrip(".,;:!?*_")
        while url[-1:] in {")", "]", "}"} and url.count(url[-1]) > url.count({")": "(", "]": "[", "}": "{"}[url[-1]]):
            url = url[:-1].rstrip(".,;:!?*_")
        if "." in url and len(url) > 10 and not _LOCAL_URL.match(url):
            yield url


def _merged(earlier: SegmentFact, fact: SegmentFact) -> SegmentFact:
    """Two occurrences of a fact as one; a file that was read and edited is an edited file, at its last edit."""
    times = earlier.times + fact.times
    if earlier.kind == "edited" and fact.kind == "read":
        return replace(earlier, times=times)
    return replace(fact, times=times)


def _turn_facts(turn: Turn, resolve_path: ResolvePath, texts: SessionTexts) -> Iterator[SegmentFact]:
    calls = {call.seq: texts.call(call) for call in paired(turn.blocks)}
    for block in turn.blocks:
        if block.kind == "user":
            if turn.kind not in {"command", "compaction"} or block.line != turn.line:
                yield from _urls(typed_text(block.text), block.line, turn.number)
        elif block.kind == "text" and not block.is_error:
            yield from _urls(block.text, block.line, turn.number)
        elif block.seq in calls:
            yield from _call_facts(calls[block.seq], turn.number, resolve_path)


def _urls(text: str, line: int, turn: int) -> Iterator[SegmentFact]:
    for url, times in Counter(urls_in(text)).items():
        yield SegmentFact("url", url.partition("#")[0].rstrip("/"), url, line, turn, times)


def _call_facts(call: ToolCall, turn: int, resolve_path: ResolvePath) -> Iterator[SegmentFact]:
    parts = parts_of(call.programs)
    if parts:
        yield from _commands(parts, call.is_error, call.line, turn)
    if not call.is_error:
        yield from _files(call, turn, resolve_path)
    if call.family == "web" and isinstance(url := call.fields.get("url"), str):
        yield from _urls(url, call.line, turn)
    if call.result is not None and call.is_error:
        yield from _errors(call.result, turn, has_cause=bool(parts) or call.family != "shell")


def _files(call: ToolCall, turn: int, resolve_path: ResolvePath) -> Iterator[SegmentFact]:
    """The files that a call read or changed; a command reads the files that it prints."""
    shown = [file.path for file in call.shell_files if file.use == "shown"]
    edited = dict.fromkeys(edit.path for edit in call.edits)
    kinds: tuple[tuple[FactKind, Iterable[str]], ...] = (("read", shown), ("edited", edited))
    if call.family == "read":
        kinds = (("read", [call.path]),)
    for kind, paths in kinds:
        for written in paths:
            if path := resolve_path(written):
                yield SegmentFact(kind, path, path, call.line, turn)


def _commands(parts: tuple[CommandPart, ...], failed: bool, line: int, turn: int) -> Iterator[SegmentFact]:
    """A fact for each program of a command; if it failed only one, because it is not known which program failed."""
    if failed and parts:
        name, text = (" && ".join(texts) for texts in zip(*((part.name, part.text) for part in parts), strict=True))
        yield SegmentFact("failed", name, text, line, turn, parts=parts)
    elif not failed:
        for part in parts:
            yield SegmentFact("command", part.name, part.text, line, turn, parts=(part,))


def _errors(result: Block, turn: int, has_cause: bool) -> Iterator[SegmentFact]:
    if has_cause and not is_agent_error(result.text) and (line := error_line(result.text)):
        yield SegmentFact("error", _DIGITS.sub("0", line), line, result.line, turn)
