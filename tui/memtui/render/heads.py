"""The heads of a turn: who speaks, when, and what it took."""

from __future__ import annotations

from datetime import datetime

from memtui.formatting import clock, day, duration, plural, tokens
from memtui.render.rows import Row, Span
from memtui.render.view import View
from memtui_core.model import Turn

_SAYS = {"human": ("●", "you", "you"), "command": ("●", "you", "you")}


def user_head(turn: Turn, view: View, new_day: bool) -> Row:
    """`5 ● you  14:02`; a parent agent's prompt is `5 ◌ prompt by the parent agent`, a compaction a rule."""
    number = (f"{turn.number:>{view.digits}} ", "number")
    time = when(turn.started_at, new_day)
    if turn.kind == "agent":
        spans: tuple[Span, ...] = (number, ("◌ ", "parent"), ("prompt by the parent agent", "parent"), *time)
    elif turn.kind == "opening":
        return agent_head(turn, view, number, new_day)
    else:
        sign, name, style = _SAYS.get(turn.kind, ("●", "you", "you"))
        spans = (number, (sign + " ", style), (name, style), *time)
    return Row(spans, -1, wrap="none")


def compaction_head(turn: Turn, view: View, width: int, new_day: bool) -> Row:
    """A rule over the whole width: `5 ⧉ compacted 13:40 · summary ────`."""
    number = f"{turn.number:>{view.digits}} "
    time = "".join(text for text, _ in when(turn.started_at, new_day)).strip()
    text = " ".join(["⧉ compacted", *([time] if time else []), "· summary "])
    rule = "─" * max(0, width - len(number) - len(text))
    return Row(((number, "number"), (text, "compaction"), (rule, "compaction rule")), -1, wrap="none")


def agent_head(turn: Turn, view: View, number: Span | None = None, new_day: bool = False) -> Row:
    """`○ claude  14:02 · 48 s · 7 tools · 3.1k tok`."""
    lead = number or (" " * (view.digits + 1), "")
    facts = [day(turn.started_at)] if new_day and number and turn.started_at else []
    facts += [clock(turn.started_at)] if turn.started_at else []
    if turn.started_at and turn.ended_at and turn.ended_at > turn.started_at:
        facts.append(duration((turn.ended_at - turn.started_at).total_seconds()))
    if turn.tool_summary:
        facts.append(plural(len(turn.tool_summary), "tool"))
    if turn.output_tokens:
        facts.append(f"{tokens(turn.output_tokens)} tok")
    spans: list[Span] = [lead, ("○ ", "agent"), (view.agent, "agent")]
    if facts:
        spans.append(("  " + " · ".join(facts), "muted"))
    if turn.errors:
        spans += [(" · ", "muted"), (f"✗ {turn.errors}", "error")]
    if turn.provisional:
        spans.append((" · …", "muted"))
    return Row(tuple(spans), -1, wrap="none")


def said_head(at: datetime | None, view: View, seq: int) -> Row:
    """The head of what the person said while the agent worked: `● you  14:05`."""
    return Row(((" " * (view.digits + 1), ""), ("● ", "you"), ("you", "you"), *when(at, False)), seq, wrap="none")


def when(at: datetime | None, new_day: bool) -> tuple[Span, ...]:
    """The time of something, with the day when it is a new one."""
    if at is None:
        return ()
    text = f"  {day(at)} {clock(at)}" if new_day else f"  {clock(at)}"
    return ((text, "muted"),)
