"""The keys of the chart of the timeline, and those for what is shown, which it shares with the list."""

from __future__ import annotations

from memtui.keys.declarations import Key, keys

TIMELINE_KEYS = keys(
    "timeline",
    Key("F", "request('kind')", "Filter", "Show one type of observations, or forgotten ones", "past.filter",
        synonyms="kind type", show=True),
    Key("p", "request('project')", "Project", "Show all projects, or the project of the row", "past.project",
        synonyms="scope all"),
    Key("d", "request('zoom')", "Range", "Show a day, a week, a month or all time", "past.range",
        synonyms="zoom days month week time period", show=True),
)  # fmt: skip
"""A widget with these bindings posts `TimelineRequested` in its `action_request`."""

CHART_KEYS = keys(
    "timeline, chart",
    Key("l,right", "beside(1)", "Later", "Go to the next event of the lane", "chart.later"),
    Key("h,left", "beside(-1)", "Earlier", "Go to the previous event of the lane", "chart.earlier"),
    Key("j,down", "below(1)", "Down", "Go to the next event or lane", "chart.down", moves=True),
    Key("k,up", "below(-1)", "Up", "Go to the previous event or lane", "chart.up", moves=True),
    Key("n", "activity(1)", "Next", "Go to the next time with events", "chart.next", show=True),
    Key("N", "activity(-1)", "Previous", "Go to the previous time with events", "chart.previous"),
    Key("pagedown", "window(1)", "Next window", "Show the next day, week or month", "chart.on"),
    Key("pageup", "window(-1)", "Previous window", "Show the previous day, week or month", "chart.back"),
    Key("g,home", "end(0)", "First", "Go to the first event", "chart.first"),
    Key("G,end", "end(-1)", "Last", "Go to the last event", "chart.last"),
    Key("enter", "open", "Open", "Open the event", "chart.open", show=True),
)
