"""The titles, names, times and counts in the headings of an export, each on one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line

_LONGEST_TITLE = 200


def title(session: Session) -> str:
    """The session's title, never empty."""
    return one_line(session.title, _LONGEST_TITLE) or "Untitled session"


def agent_name(session: Session) -> str:
    """The agent's name, never empty."""
    return one_line(session.agent) or "agent"


def speaker(session: Session, turn: Turn) -> str:
    """Who started a turn, or for a compaction what the turn is."""
    if turn.kind == "opening":
        return agent_name(session)
    if turn.kind == "agent":
        return "Prompt by the parent agent"
    return "Compaction summary" if turn.kind == "compaction" else "You"


def local_time(at: datetime | None) -> str:
    """A local time to the minute; the empty string for None."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""


def session_facts(session: Session, turns: Sequence[Turn]) -> list[str]:
    """The facts of a session, with the range of exported turns if some are left out."""
    facts = [
        agent_name(session),
        one_line(session.project),
        session.machine,
        one_line(session.branch or ""),
        _span(session),
    ]
    facts += [one_line(model) for model in session.models]
    if session.input_tokens or session.output_tokens:
        facts.append(f"{session.input_tokens:,} tokens in, {session.output_tokens:,} out")
    facts += [turn_range(session, turns), f"session {one_line(session.session_id)}"]
    return [fact for fact in facts if fact]


def turn_range(session: Session, turns: Sequence[Turn]) -> str:
    """The exported turns: `12 turns`, `turn 3 of 12` or `turns 3-7 of 12`."""
    if len(turns) == session.turns or not turns:
        return counted(session.turns, "turn")
    first, last = turns[0].number, turns[-1].number
    return f"turn {first} of {session.turns}" if first == last else f"turns {first}-{last} of {session.turns}"


def answer_facts(turn: Turn) -> list[str]:
    """The facts of an agent's answer: its models, tool calls, errors and tokens."""
    facts = [one_line(model) for model in turn.models]
    if turn.tool_summary:
        facts.append(counted(len(turn.tool_summary), "tool call"))
    if turn.errors:
        facts.append(f"✗ {counted(turn.errors, 'error')}")
    if turn.output_tokens:
        facts.append(f"{turn.output_tokens:,} tokens")
    return facts


def counted(count: int, noun: str) -> str:
    """A count and its noun: `1 turn`, `1,204 turns`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _span(session: Session) -> str:
    """When the session started and ended, with the time zone of all times in the document."""
    first, last = local_time(session.started_at), local_time(session.ended_at)
    if not session.started_at or not first:
        return ""
    until = "" if last in {"", first} else f" to {last[11:] if last[:10] == first[:10] else last}"
    offset = session.started_at.astimezone().strftime("%z")
    return f"{first}{until} UTC{'' if offset == '+0000' else f'{offset[:3]}:{offset[3:5]}'}"
