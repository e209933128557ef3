"""A session for other people: some of its parts, in which everything private is replaced, and what was replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from memtui_core.export.contents import EVERYTHING, Contents
from memtui_core.export.redacted.marks import marked, session_without_marks, turn_without_marks, without_marks
from memtui_core.export.redacted.own_names import OwnNames
from memtui_core.export.redacted.redactor import Redactor, mapped, texts_in
from memtui_core.export.redacted.spans import PrivateKind, PrivateSpan, replaced, secret_spans
from memtui_core.export.turn_parts import selected_blocks
from memtui_core.model import Block, Session, Turn
from memtui_core.text.controls import one_line, plain
from memtui_core.text.markdown.plain import plain_line
from memtui_core.text.redaction import MARK, redact
from memtui_core.tools.pairing import calls_by_seq
from memtui_core.tools.summary import headline

MOST_OF_A_RESULT: Final = 12_000
"""Characters of a text below a tool call: with more, a long session is too large to be sent around."""
_CONTEXT: Final = 28
"""Characters beside a replaced text that a preview shows."""
_LONGEST_SHOWN: Final = 60
_LONGEST_START: Final = 400
"""Characters of a part that its title is made of."""
_LABELS: Final = {"user": "prompt", "text": "answer", "tool_call": "tool call", "tool_result": "tool result"}


@dataclass(frozen=True, slots=True, order=True)
class PartPlace:
    """A part of a session: its turn, and its number in the turn from 1; 0 is the whole turn, turn 0 the heading."""

    turn: int
    part: int = 0

    def __str__(self) -> str:
        """`heading`, `12` or `12.3`."""
        return "heading" if not self.turn else f"{self.turn}.{self.part}" if self.part else str(self.turn)


HEADING: Final = PartPlace(0)
"""The title, the project, the branch and the machine."""


@dataclass(frozen=True, slots=True)
class SessionPart:
    """A part that can be left out."""

    place: PartPlace
    kind: str
    """prompt, answer, thinking, tool call, image, or the kind of a note."""
    title: str
    """Its first words on one line."""
    chars: int
    """How long it is, with the result of a tool call."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """A private text that was replaced."""

    place: PartPlace
    part: str
    """What it was in: prompt, answer, thinking, tool call, tool result, title …"""
    kind: PrivateKind
    text: str
    replacement: str
    before: str
    """What is before it on the same line, with other private texts replaced."""
    after: str

    @property
    def shown(self) -> str:
        """The text on one line; of a secret only its ends."""
        text = one_line(self.text)
        if self.kind == "secret":
            ends = f"{text[:3]}…{text[-2:]}" if len(text) >= 12 else f"{text[:1]}…"
            return f"{ends} ({len(self.text)} characters)"
        return one_line(text, _LONGEST_SHOWN)


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """What a copy contains, and what is private besides what the rules find."""

    contents: Contents = EVERYTHING
    paths: bool = True
    """Whether absolute paths keep their folders."""
    left_out: frozenset[PartPlace] = frozenset()
    words: tuple[str, ...] = ()
    """Texts that are replaced wherever they are, in any case."""
    kept: frozenset[str] = frozenset()
    """Texts that are not private after all."""


@dataclass(frozen=True, slots=True)
class RedactedCopy:
    """A session and its turns without what is private."""

    session: Session
    turns: tuple[Turn, ...]
    contents: Contents
    redactions: tuple[Redaction, ...]
    """In the order of the places."""
    stored: int
    """Secrets that were replaced when the session was indexed, of which nothing but the kind is known."""
    _marked: tuple[Session, tuple[Turn, ...]] = field(repr=False, compare=False)
    _redactor: Redactor = field(repr=False, compare=False)

    def with_marks(self) -> RedactedCopy:
        """The same with the marks by which `marks.counted` counts what was replaced in a document."""
        session, turns = self._marked
        return replace(self, session=session, turns=turns)

    def leftovers(self, document: str) -> list[str]:
        """The secrets, e-mail addresses and home folders that a document made from the copy has all the same."""
        return self._redactor.certain_leftovers(document)

    def by_kind(self) -> list[tuple[str, int]]:
        """How many redactions there are of each kind, the most first."""
        return Counter(str(redaction.kind) for redaction in self.redactions).most_common()


def session_parts(session: Session, turn: Turn) -> list[SessionPart]:
    """The parts of a turn that can be left out, in order; the result of a tool call belongs to it."""
    calls = calls_by_seq(turn.blocks)
    parts = []
    for block in turn.blocks:
        call = calls.get(block.seq)
        if call is None and block.kind in {"tool_call", "tool_result"}:
            continue
        chars = len(block.text) + (len(call.result.text) if call and call.result else 0)
        title = headline(call, session.root) if call and not call.is_orphan else _first_words(block)
        parts.append(SessionPart(PartPlace(turn.number, block.seq + 1), _label(block), title, chars))
    return parts


def _first_words(block: Block) -> str:
    start = block.text[:_LONGEST_START]
    return plain_line(start) if block.kind in {"text", "thinking"} else one_line(start)


def redacted_copy(session: Session, turns: Sequence[Turn], options: CopyOptions, own: OwnNames) -> RedactedCopy:
    """Replace everything private in the parts that are not left out."""
    contents = replace(options.contents, most=options.contents.most or MOST_OF_A_RESULT)
    folders = [folder for folder in (session.cwd, session.root, session.worktree) if folder]
    redactor = Redactor(own, folders, options.words, options.kept, paths=options.paths)
    redactor.add_host(session.machine)
    selected = [_selected(turn, options) for turn in turns]
    # What a part tells that is left out may be private in another one.
    for text in _all_texts(session, turns):
        redactor.learn(text)
    copying = _Copying(redactor)
    copied = copying.session(_without_names(session) if HEADING in options.left_out else session)
    made = tuple(copying.turn(turn, contents) for turn in selected)
    return RedactedCopy(
        session_without_marks(copied),
        tuple(map(turn_without_marks, made)),
        contents,
        tuple(sorted(copying.redactions, key=_place_of)),
        copying.stored,
        (copied, made),
        redactor,
    )


def _without_names(session: Session) -> Session:
    """The session without what its heading says of its content."""
    return replace(session, title="", project="", branch=None, machine="")


def _selected(turn: Turn, options: CopyOptions) -> Turn:
    """The turn with a note in the place of each part that is left out."""
    out = options.left_out
    if PartPlace(turn.number) in out:
        note = Block(0, turn.line, "note", f"turn {turn.number}", "left out")
        return replace(turn, user_text="", tool_summary=(), tags=(), notes=(), blocks=(note,))
    contents = options.contents
    calls = calls_by_seq(turn.blocks)
    results = {id(call.result): call.seq for call in calls.values() if call.result is not None}
    blocks = []
    for block in selected_blocks(turn, thinking=contents.thinking, tools=contents.tools):
        if PartPlace(turn.number, block.seq + 1) in out:
            blocks.append(Block(block.seq, block.line, "note", f"a part: {_label(block)}", "left out"))
        elif PartPlace(turn.number, results.get(id(block), block.seq) + 1) not in out:
            blocks.append(block)
    is_said = any(block.kind == "user" for block in blocks) or not any(block.kind == "user" for block in turn.blocks)
    return replace(turn, user_text=turn.user_text if is_said else "", blocks=tuple(blocks), tags=(), notes=())


def _place_of(redaction: Redaction) -> PartPlace:
    return redaction.place


def _label(block: Block) -> str:
    return (block.tool or "note") if block.kind == "note" else _LABELS.get(block.kind, block.kind)


def _all_texts(session: Session, turns: Iterable[Turn]) -> Iterator[str]:
    yield plain(session.title)
    for turn in turns:
        yield plain(turn.user_text)
        for block in turn.blocks:
            value = _json_of(block.text) if block.kind == "tool_call" else block.text
            yield from map(plain, texts_in(value))
            yield from map(plain, texts_in(_json_of(block.detail or "null")))


def _json_of(text: str) -> Any:
    """A JSON object or list; the text itself if it is none."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value if isinstance(value, dict | list) else text


class _Copying:
    """Replaces what is private in the values of a session, and notes what that was."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.redactions: list[Redaction] = []
        self.stored = 0

    def session(self, session: Session) -> Session:
        """The session without what is private, and without what the user added to it."""
        is_hidden = {"root", "cwd", "worktree"}
        changed: dict[str, Any] = {
            name: self._text(getattr(session, name) or "", HEADING, name, is_noted=name not in is_hidden)
            for name in ("title", "project", "root", "cwd", "branch", "worktree", "machine", "agent")
        }
        models = tuple(self._text(model, HEADING, "model", is_noted=True) for model in session.models)
        return replace(session, **changed, models=models, tags=(), notes=(), member="", agent_title="", end=None)

    def turn(self, turn: Turn, contents: Contents) -> Turn:
        """The turn without what is private."""
        calls = calls_by_seq(turn.blocks)
        seqs = {id(call.result): call.seq for call in calls.values() if call.result is not None}
        has_prompt = any(block.kind == "user" for block in turn.blocks)
        user_text = self._text(turn.user_text, PartPlace(turn.number), "prompt", is_noted=not has_prompt)
        blocks = []
        for block in turn.blocks:
            place = PartPlace(turn.number, seqs.get(id(block), block.seq) + 1)
            is_noted = block.kind != "tool_result" or contents.results
            change = self._json if block.kind == "tool_call" else self._text
            text = change(block.text, place, _label(block), is_noted=is_noted)
            # The patch of an edit has lines of the file that its input has not.
            has_patch = block.kind == "tool_result" and contents.diffs
            detail = self._json(block.detail, place, _label(block), is_noted=has_patch) if block.detail else None
            is_call = block.kind == "tool_call"
            tool = self._text(block.tool, place, _label(block), is_noted=is_call) if block.tool else block.tool
            blocks.append(replace(block, text=text, detail=detail, tool=tool))
        summary = tuple(
            self._text(line, PartPlace(turn.number), "tool call", is_noted=False) for line in turn.tool_summary
        )
        return replace(turn, user_text=user_text, tool_summary=summary, blocks=tuple(blocks))

    def _json(self, text: str, place: PartPlace, part: str, *, is_noted: bool) -> str:
        """A JSON text: the rules for secrets see it whole, since a name tells what its value is."""
        value = _json_of(text)
        if isinstance(value, str):
            return self._text(text, place, part, is_noted=is_noted)
        without = redact(text)
        if without != text:
            if is_noted:
                self._note(text, secret_spans(text, without), place, part)
                self.stored -= without.count(MARK) - text.count(MARK)
            value = _json_of(without)

        def change(one: str) -> str:
            return self._text(one, place, part, is_noted=is_noted)

        changed = mapped(value, change)
        return without if changed == value else orjson.dumps(changed).decode()

    def _text(self, text: str, place: PartPlace, part: str, *, is_noted: bool) -> str:
        if not text:
            return text
        text = self._redactor.shown(without_marks(plain(text)))
        if is_noted:
            self.stored += text.count(MARK)
        spans = self._redactor.spans(text)
        if is_noted:
            self._note(text, spans, place, part)
        return replaced(text, marked(spans)) if spans else text

    def _note(self, text: str, spans: Sequence[PrivateSpan], place: PartPlace, part: str) -> None:
        out, end = "", 0
        for number, span in enumerate(spans):
            out = (out + text[end : span.start])[-2 * _CONTEXT :]
            following = spans[number + 1].start if number + 1 < len(spans) else len(text)
            before = out.rpartition("\n")[2]
            after = text[span.end : following][: 2 * _CONTEXT].partition("\n")[0]
            self.redactions.append(
                Redaction(
                    place,
                    part,
                    span.kind,
                    text[span.start : span.end],
                    span.replacement,
                    before if len(before) <= _CONTEXT else f"…{before[1 - _CONTEXT :]}",
                    after if len(after) <= _CONTEXT else f"{after[: _CONTEXT - 1]}…",
                )
            )
            out, end = out + span.replacement, span.end
