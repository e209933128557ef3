"""The summary of a hand-off.

No model is asked: it is the agent's own summary of its last compaction and what followed that, else what the session
itself tells of its requests, its to-dos and its files. Only what was said goes into it, never a tool's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.handoff.cutting import closed, shortened
from memtui_core.handoff.todos import Todo
from memtui_core.handoff.value import SummaryKind
from memtui_core.model import Block, Session, Turn
from memtui_core.text.controls import one_line, plain

_LONGEST = 2000
"""Characters of a request or an answer."""
_MOST_FILES = 40
_REQUESTS = frozenset({"human", "agent"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a summary is made of, all of it from the turns that are handed on."""

    session: Session
    turns: Sequence[Turn]
    blocks: Mapping[int, Sequence[Block]]
    changed: Mapping[str, Sequence[int]]
    """The turns that changed a file, by its path in the order of the last change."""
    todos: Sequence[Todo]


def summary(told: Told) -> tuple[SummaryKind, str]:
    """The summary as Markdown and where it is from."""
    last = next((turn for turn in reversed(told.turns) if turn.kind == "compaction" and turn.user_text.strip()), None)
    if last is None:
        head = "Extracted from the session by memtui; no model was asked, and the agent wrote no summary of its own."
        return "extract", "\n\n".join([head, _about(told), *_story(told, told.turns)])
    head = f"The agent's own summary, written at the compaction in turn {last.number}{_at(last.started_at)}."
    parts = [head, closed(plain(last.user_text).strip())]
    # The agent goes on in the turn of the summary.
    after = [turn for turn in told.turns if turn.number >= last.number]
    since = list(_story(told, after))
    if since:
        span = f"turn {last.number}" if len(after) == 1 else f"turns {last.number}-{after[-1].number}"
        parts += [f"After that summary ({span}), extracted by memtui:", *since]
    return "compaction", "\n\n".join(parts)


def _about(told: Told) -> str:
    session, calls = told.session, sum(len(turn.tool_summary) for turn in told.turns)
    counts = f"{_count(len(told.turns), 'turn')}, {_count(calls, 'tool call')}"
    times = [turn.started_at for turn in told.turns if turn.started_at] + [
        turn.ended_at for turn in told.turns if turn.ended_at
    ]
    span = f", {min(times):%Y-%m-%d %H:%M} to {max(times):%Y-%m-%d %H:%M} UTC" if times else ""
    where = f" in {session.project}" if session.project else ""
    fork = f" It goes on from session {session.forked_from}." if session.forked_from else ""
    return f"Session {session.session_id}{where}: {counts}{span}.{fork}"


def _story(told: Told, turns: Sequence[Turn]) -> Iterator[str]:
    """Requests, the last answer, open to-dos, changed files."""
    asked = [turn for turn in turns if turn.kind in _REQUESTS and turn.user_text.strip()]
    asked = asked or [turn for turn in turns if turn.kind == "command" and turn.user_text.strip()]
    if asked:
        yield _said("First request" if len(asked) > 1 else "Request", "USER", asked[0].number, asked[0].user_text)
    if len(asked) > 1:
        yield _said("Last request", "USER", asked[-1].number, asked[-1].user_text)
    answer = _last_answer(told, turns)
    if answer is not None:
        yield _said("Last answer", "ASSISTANT", *answer)
    if told.todos:
        yield "\n".join(["Open to-dos:", *(f"- {todo.text} ({todo.status})" for todo in told.todos)])
    numbers = {turn.number for turn in turns}
    changed = {path: [n for n in found if n in numbers] for path, found in told.changed.items()}
    yield from _files({path: found for path, found in changed.items() if found})


def _files(changed: Mapping[str, Sequence[int]]) -> Iterator[str]:
    if not changed:
        return
    newest = list(changed.items())[-_MOST_FILES:]
    more = [f"- and {_count(len(changed) - _MOST_FILES, 'more file')}"] if len(changed) > _MOST_FILES else []
    lines = [f"- {one_line(path)} ({_named(found)})" for path, found in newest]
    yield "\n".join(["Files changed:", *lines, *more])


def _last_answer(told: Told, turns: Sequence[Turn]) -> tuple[int, str] | None:
    for turn in reversed(turns):
        for block in reversed(told.blocks.get(turn.number, ())):
            if block.kind == "text" and block.text.strip() and not block.is_error:
                return turn.number, block.text
    return None


def _said(label: str, speaker: str, turn: int, text: str) -> str:
    shown = closed(shortened(plain(text).strip(), _LONGEST))
    return f"{label} (turn {turn}):\n[{speaker}]\n{shown}\n[/{speaker}]"


def _named(turns: Sequence[int]) -> str:
    numbers = [str(number) for number in turns[-8:]]
    return f"{'turn' if len(turns) == 1 else 'turns'} {'… ' * (len(turns) > 8)}{', '.join(numbers)}"


def _at(at: datetime | None) -> str:
    return f", {at:%Y-%m-%d %H:%M} UTC" if at else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
