"""The heads of a turn: the user or the agent, the time, and what the turn cost."""

from __future__ import annotations

from datetime import datetime

from memtui.render.options import RenderOptions
from memtui.render.rows import Row, Span
from memtui.wording.formatting import day, duration, plural, time_of_day, tokens
from memtui_core.model import Turn, TurnState


def user_head(turn: Turn, options: RenderOptions, new_day: bool, state: TurnState | None = None) -> Row:
    """`5 ● you  14:02`; a parent agent's prompt is `5 ◌ prompt by the parent agent`, a compaction a rule.

    `state` is that of a turn in which the agent has not done anything.
    """
    number = (f"{turn.number:>{options.digits}} ", "number")
    time = when(turn.started_at, new_day)
    if turn.kind == "agent":
        spans: tuple[Span, ...] = (number, ("◌ ", "parent"), ("prompt by the parent agent", "parent"), *time)
    elif turn.kind == "opening":
        return agent_head(turn, options, number, new_day, state)
    else:
        spans = (number, ("● ", "you"), ("you", "you"), *time)
    return Row((*spans, *_state(state)), -1, wrap="none")


def compaction_head(turn: Turn, options: RenderOptions, width: int, new_day: bool) -> Row:
    """A rule over the whole width: `5 ⧉ compacted 13:40 · summary ────`."""
    number = f"{turn.number:>{options.digits}} "
    time = "".join(text for text, _ in when(turn.started_at, new_day)).strip()
    text = " ".join(["⧉ compacted", *([time] if time else []), "· summary "])
    rule = "─" * max(0, width - len(number) - len(text))
    return Row(((number, "number"), (text, "compaction"), (rule, "compaction rule")), -1, wrap="none")


def agent_head(
    turn: Turn,
    options: RenderOptions,
    number: Span | None = None,
    new_day: bool = False,
    state: TurnState | None = None,
) -> Row:
    """`○ claude  14:02 · 48 s · 7 tools · 3.1k tok · running`."""
    lead = number or (" " * (options.digits + 1), "")
    facts = [day(turn.started_at)] if new_day and number and turn.started_at else []
    facts += [time_of_day(turn.started_at)] if turn.started_at else []
    if turn.active:
        facts.append(duration(turn.active.total_seconds()))
    if turn.tool_summary:
        facts.append(plural(len(turn.tool_summary), "tool"))
    if turn.output_tokens:
        facts.append(f"{tokens(turn.output_tokens)} tok")
    spans: list[Span] = [lead, ("○ ", "agent"), (options.agent, "agent")]
    if facts:
        spans.append(("  " + " · ".join(facts), "muted"))
    if turn.errors:
        spans += [(" · ", "muted"), (f"✗ {turn.errors}", "error")]
    return Row((*spans, *_state(state)), -1, wrap="none")


def _state(state: TurnState | None) -> tuple[Span, ...]:
    return ((f" · {state}", "muted"),) if state is not None else ()


def later_user_head(at: datetime | None, options: RenderOptions, seq: int) -> Row:
    """The head of a text that the user typed while the agent worked: `● you  14:05`."""
    return Row(((" " * (options.digits + 1), ""), ("● ", "you"), ("you", "you"), *when(at, False)), seq, wrap="none")


def when(at: datetime | None, new_day: bool) -> tuple[Span, ...]:
    """The time as spans, with the date on a new day; empty for None."""
    if at is None:
        return ()
    text = f"  {day(at)} {time_of_day(at)}" if new_day else f"  {time_of_day(at)}"
    return ((text, "muted"),)
