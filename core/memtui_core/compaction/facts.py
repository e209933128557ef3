"""What a segment held: its files, commands, errors, requests, decisions, URLs and names, each once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memtui_core.compaction.commands import Part, parts_of
from memtui_core.compaction.errors import is_plumbing, person_said, telling_line
from memtui_core.compaction.phrases import corrects, decisions, requests, said
from memtui_core.compaction.values import Kind
from memtui_core.compaction.words import words
from memtui_core.model import Block, Turn
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired

Locate = Callable[[str], str | None]
"""A path as it was written to the name that the project has for it; None for one that is nobody's work."""

_URL = re.compile(r"https?://[^\s<>\"'`|\\\x00-\x20）】」]+")
_HERE = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[^/]*[${])")
_ANSWER = re.compile(r'"((?:[^"\\]|\\.)++)"="((?:[^"\\]|\\.)++)"')
"""A question of the agent and what the person chose, as the result of the call has them."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something of the segment; `line` and `turn` are those of its last time."""

    kind: Kind
    key: str
    """Equal for what is the same."""
    text: str
    line: int
    turn: int
    times: int = 1
    parts: tuple[Part, ...] = ()
    """Of a command."""


def facts_of(turns: Sequence[Turn], locate: Locate) -> list[Fact]:
    """The facts of some turns with their blocks, those of a kind together, in the order of their first time."""
    found: dict[tuple[str, str], Fact] = {}
    for turn in turns:
        for fact in _of_turn(turn, locate):
            name = ("file" if fact.kind in {"edited", "read"} else fact.kind, fact.key)
            before = found.get(name)
            found[name] = fact if before is None else _joined(before, fact)
    return list(found.values())


def reads_of(turns: Sequence[Turn], locate: Locate) -> Iterator[Fact]:
    """The reads of files, one for each call, in order."""
    for turn in turns:
        for fact in _of_turn(turn, locate):
            if fact.kind == "read":
                yield fact


def urls_in(text: str) -> Iterator[str]:
    """The web addresses of a text that lead to another machine."""
    for match in _URL.finditer(text):
        url = match[0].rstrip(".,;:!?*_")
        while url[-1:] in {")", "]", "}"} and url.count(url[-1]) > url.count({")": "(", "]": "[", "}": "{"}[url[-1]]):
            url = url[:-1].rstrip(".,;:!?*_")
        if "." in url and len(url) > 10 and not _HERE.match(url):
            yield url


def _joined(before: Fact, fact: Fact) -> Fact:
    """Two times of one thing; a file that was edited once is an edited one, where it was edited last."""
    times = before.times + fact.times
    if before.kind == "edited" and fact.kind == "read":
        return replace(before, times=times)
    return replace(fact, times=times)


def _of_turn(turn: Turn, locate: Locate) -> Iterator[Fact]:
    calls = {call.seq: call for call in paired(turn.blocks)}
    for block in turn.blocks:
        if block.kind == "user":
            if turn.kind not in {"command", "compaction"} or block.line != turn.line:
                yield from _of_person(block, said(block.text), turn.number)
        elif block.kind == "text" and not block.is_error:
            yield from _of_agent(block, turn.number)
        elif block.seq in calls:
            yield from _of_call(calls[block.seq], turn.number, locate)


def _of_person(block: Block, text: str, turn: int) -> Iterator[Fact]:
    if not text:
        return
    kind: Kind = "correction" if corrects(text) else "request"
    asked = list(requests(text))
    for piece in asked:
        yield Fact(kind, _same_words(piece), piece, block.line, turn)
    for sentence in decisions(text, by_person=True):
        if all(_same_words(sentence) != _same_words(piece) for piece in asked):
            yield Fact("decision", _same_words(sentence), sentence, block.line, turn)
    yield from _urls(text, block.line, turn)


def _of_agent(block: Block, turn: int) -> Iterator[Fact]:
    for sentence in decisions(block.text, by_person=False):
        yield Fact("decision", _same_words(sentence), sentence, block.line, turn)
    yield from _urls(block.text, block.line, turn)


def _urls(text: str, line: int, turn: int) -> Iterator[Fact]:
    for url, times in Counter(urls_in(text)).items():
        yield Fact("url", url.partition("#")[0].rstrip("/"), url, line, turn, times)


def _of_call(call: ToolCall, turn: int, locate: Locate) -> Iterator[Fact]:
    parts = parts_of(call.command)
    if call.command:
        yield from _commands(parts, call.is_error, call.line, turn)
    if not call.is_error:
        yield from _files(call, turn, locate)
    if call.name.lower() == "askuserquestion" and call.result is not None and not call.is_error:
        for question, answer in _ANSWER.findall(call.result.text):
            text = f"{question} {answer}"
            yield Fact("decision", _same_words(text), text, call.result.line, turn)
    elif call.family == "web" and isinstance(url := call.fields.get("url"), str):
        yield from _urls(url, call.line, turn)
    if call.result is not None and call.is_error:
        yield from _errors(call.result, turn, is_telling=bool(parts) or call.family != "shell")


def _files(call: ToolCall, turn: int, locate: Locate) -> Iterator[Fact]:
    """The files that a call read, that a command printed, and that either of them changed."""
    shown = [file.path for file in call.shell_files if file.use == "shown"]
    edited = dict.fromkeys(edit.path for edit in call.edits)
    kinds: tuple[tuple[Kind, Iterable[str]], ...] = (("read", shown), ("edited", edited))
    if call.family == "read":
        kinds = (("read", [call.path]),)
    for kind, paths in kinds:
        for written in paths:
            if path := locate(written):
                yield Fact(kind, path, path, call.line, turn)


def _commands(parts: tuple[Part, ...], failed: bool, line: int, turn: int) -> Iterator[Fact]:
    """Each program of a command; of a failed one nobody knows which program failed, so it stays one."""
    if failed and parts:
        text = " && ".join(part.text for part in parts)
        yield Fact("failed", text, text, line, turn, parts=parts)
    elif not failed:
        for part in parts:
            yield Fact("command", part.text, part.text, line, turn, parts=(part,))


def _errors(result: Block, turn: int, is_telling: bool) -> Iterator[Fact]:
    if words_of_person := person_said(result.text):
        yield Fact("correction", _same_words(words_of_person), words_of_person, result.line, turn)
    elif is_telling and not is_plumbing(result.text) and (line := telling_line(result.text)):
        yield Fact("error", _DIGITS.sub("0", line), line, result.line, turn)


def _same_words(text: str) -> str:
    return " ".join(words(text)) or text
