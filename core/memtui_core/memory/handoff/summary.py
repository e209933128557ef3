"""The summary of a hand-off.

No model is used: it is the agent's own summary of its last compaction and what followed it, or without one an extract
of the session's requests, to-dos and files. It never contains text of a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.memory.handoff.model import SummaryKind
from memtui_core.memory.handoff.truncation import close_fence, truncated
from memtui_core.model import Block, Session, Turn
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.results.todos import Todo

_LONGEST = 2000
"""Characters of a request or an answer."""
_MOST_FILES = 40
_REQUESTS = frozenset({"human", "command", "agent"})
"""A command that the agent does not answer, such as `/model`, begins no turn."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """The data of a summary, all from the turns of the hand-off."""

    session: Session
    turns: Sequence[Turn]
    blocks: Mapping[int, Sequence[Block]]
    changed: Mapping[str, Sequence[int]]
    """The turns that changed a file, by its path, in the order of the last changes."""
    todos: Sequence[Todo]


def summary(source: SummarySource) -> tuple[SummaryKind, str]:
    """The kind of the summary, and its text as Markdown."""
    last = next((turn for turn in reversed(source.turns) if turn.kind == "compaction" and turn.user_text.strip()), None)
    if last is None:
        head = "Extracted from the session by memtui; no model was asked, and the agent wrote no summary of its own."
        return "extract", "\n\n".join([head, _about(source), *_extract(source, source.turns)])
    head = f"The agent's own summary, written at the compaction in turn {last.number}{_at(last.started_at)}."
    parts = [head, close_fence(plain(last.user_text).strip())]
    # The agent continues in the turn of the summary.
    after = [turn for turn in source.turns if turn.number >= last.number]
    extract = list(_extract(source, after))
    if extract:
        span = f"turn {last.number}" if len(after) == 1 else f"turns {last.number}-{after[-1].number}"
        parts += [f"After that summary ({span}), extracted by memtui:", *extract]
    return "compaction", "\n\n".join(parts)


def _about(source: SummarySource) -> str:
    session, calls = source.session, sum(len(turn.tool_summary) for turn in source.turns)
    counts = f"{_count(len(source.turns), 'turn')}, {_count(calls, 'tool call')}"
    times = [turn.started_at for turn in source.turns if turn.started_at] + [
        turn.ended_at for turn in source.turns if turn.ended_at
    ]
    span = f", {min(times):%Y-%m-%d %H:%M} to {max(times):%Y-%m-%d %H:%M} UTC" if times else ""
    project = f" in {session.project}" if session.project else ""
    fork = f" It goes on from session {session.forked_from}." if session.forked_from else ""
    return f"Session {session.session_id}{project}: {counts}{span}.{fork}"


def _extract(source: SummarySource, turns: Sequence[Turn]) -> Iterator[str]:
    """The first and last request, the last answer, open to-dos and changed files."""
    prompts = [turn for turn in turns if turn.kind in _REQUESTS and turn.user_text.strip()]
    if prompts:
        first, last = prompts[0], prompts[-1]
        yield _message("First request" if len(prompts) > 1 else "Request", "USER", first.number, first.user_text)
        if len(prompts) > 1:
            yield _message("Last request", "USER", last.number, last.user_text)
    answer = _last_answer(source, turns)
    if answer is not None:
        yield _message("Last answer", "ASSISTANT", *answer)
    if source.todos:
        yield "\n".join(["Open to-dos:", *(f"- {todo.text} ({todo.status})" for todo in source.todos)])
    numbers = {turn.number for turn in turns}
    changed = {
        path: [number for number in changed_in if number in numbers] for path, changed_in in source.changed.items()
    }
    yield from _files({path: changed_in for path, changed_in in changed.items() if changed_in})


def _files(changed: Mapping[str, Sequence[int]]) -> Iterator[str]:
    if not changed:
        return
    newest = list(changed.items())[-_MOST_FILES:]
    more = [f"- and {_count(len(changed) - _MOST_FILES, 'more file')}"] if len(changed) > _MOST_FILES else []
    lines = [f"- {one_line(path)} ({_turn_list(numbers)})" for path, numbers in newest]
    yield "\n".join(["Files changed:", *lines, *more])


def _last_answer(source: SummarySource, turns: Sequence[Turn]) -> tuple[int, str] | None:
    for turn in reversed(turns):
        for block in reversed(source.blocks.get(turn.number, ())):
            if block.kind == "text" and block.text.strip() and not block.is_error:
                return turn.number, block.text
    return None


def _message(label: str, speaker: str, turn: int, text: str) -> str:
    body = close_fence(truncated(plain(text).strip(), _LONGEST))
    return f"{label} (turn {turn}):\n[{speaker}]\n{body}\n[/{speaker}]"


def _turn_list(turns: Sequence[int]) -> str:
    numbers = [str(number) for number in turns[-8:]]
    return f"{'turn' if len(turns) == 1 else 'turns'} {'… ' * (len(turns) > 8)}{', '.join(numbers)}"


def _at(at: datetime | None) -> str:
    return f", {at:%Y-%m-%d %H:%M} UTC" if at else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
