"""The texts of the chart: its legend, and an event in one line."""

from __future__ import annotations

from typing import Final

from memtui.formatting import day_and_month, plural, time_of_day
from memtui.render.clean import clean
from memtui.views.timeline.chart import MARKS
from memtui_core.memory.timeline_model import TimelineEvent

LEGEND: Final = " · ".join(f"{MARKS[kind]} {kind}" for kind in ("session", "compaction", "pull request", "observation"))


def event_text(event: TimelineEvent) -> str:
    """An event in one line: its kind, its time, its title, its session and its project."""
    session, observation = event.session, event.observation
    facts = [f"{MARKS[event.kind]} {_times(event)}"]
    if observation is not None:
        facts += [f"{observation.content.type}: {observation.content.title}", session.name]
    elif event.kind == "session":
        turns = plural(session.session.turns, "turn") if session.session is not None else "no transcript"
        facts += [session.name, turns]
    else:
        facts += [f"{event.kind} {event.label}".strip(), session.name]
    return clean(" · ".join(filter(None, (*facts, session.project)))).replace("\n", " ")


def _times(event: TimelineEvent) -> str:
    """`20 Aug 2026 14:02`, `20 Aug 2026 14:02 – 15:31`, `19 Aug 2026 23:10 – 20 Aug 01:05`."""
    first, last = event.first.astimezone(), event.last.astimezone()
    start = f"{day_and_month(first)} {first.year} {time_of_day(first)}"
    if time_of_day(last) == time_of_day(first) and first.date() == last.date():
        return start
    end = time_of_day(last)
    return f"{start} – {end if first.date() == last.date() else f'{day_and_month(last)} {end}'}"
