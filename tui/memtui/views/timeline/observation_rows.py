"""What was written down as rows: an observation with all its fields, and a session with what it was about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.formatting import plural, stamp
from memtui.render.clean import clean
from memtui.render.markdown import markdown_rows
from memtui.render.rows import GAP, Row, row
from memtui_core.memory.timeline_model import TimelineSession

if TYPE_CHECKING:
    from memtui_core.memory.model import Observation
    from memtui_core.memory.summaries import SessionSummary

_SIGN = (("• ", "bullet"),)
_UNDER = (("  ", ""),)
_ASKED = "Asked: "


def observation_rows(one: Observation, place: str, width: int) -> list[Row]:
    """All that was written down; `place` says where it comes from."""
    content = one.content
    rows = [row(_line(content.title), "heading")]
    if content.subtitle:
        rows.append(row(_line(content.subtitle), "em"))
    if one.forgotten_at is not None:
        rows += [Row((), GAP), row(f"Forgotten {stamp(one.forgotten_at)}. u brings it back.", "error")]
    rows += [Row((), GAP), *markdown_rows(content.narrative, width)]
    for name, entries in (
        ("Facts", content.facts),
        ("Concepts", content.concepts),
        ("Files modified", content.files_modified),
        ("Files read", content.files_read),
    ):
        if entries:
            rows += [Row((), GAP), row(name, "strong"), *_listed(entries)]
    edited = f"{stamp(one.edited_at)}, revision {one.revision}" if one.edited_at is not None else ""
    facts = (
        ("Type", content.type),
        ("Written", stamp(one.created_at)),
        ("Changed", edited),
        ("By", one.tool_name),
        ("From", place),
        ("Session", one.session_id),
        ("Project", one.root),
        ("Id", one.id),
    )
    return [*rows, Row((), GAP), *_facts(facts)]


def session_rows(past: TimelineSession, width: int) -> list[Row]:
    """What a session was about, and what was written down in it."""
    rows = [row(_line(past.name), "heading"), Row((), GAP)]
    summary = past.summary
    if summary is not None:
        rows += markdown_rows(summary.text, width) if summary.kind == "compaction" else _plain(summary.text)
    elif past.session is None:
        rows.append(row("No transcript tells of this session.", "muted"))
    if summary is not None and summary.key_decisions:
        rows += [Row((), GAP), row("Key decisions", "strong"), *_listed(summary.key_decisions)]
    for one in past.observations:
        title = f" {_line(one.content.title)}"
        rows += [Row((), GAP), Row(((one.content.type, "key"), (title, "strong")))]
        rows += markdown_rows(one.content.narrative, width)
    facts = (("Last", stamp(past.at)), ("Session", past.session_id), ("Project", past.root))
    return [*rows, Row((), GAP), *_facts(facts)]


def text_of(rows: Sequence[Row]) -> str:
    """What rows say, a line each, with the signs before them."""
    return "\n".join("".join(text for text, _ in each.first) + each.text for each in rows) + "\n"


def gist(summary: SessionSummary | None, title: str) -> str:
    """A summary on one line, without a first request that the title says already."""
    if summary is None:
        return ""
    lines = summary.text.splitlines()
    if summary.kind == "extract" and len(lines) > 1 and lines[0].removeprefix(_ASKED).startswith(title.rstrip("…")):
        del lines[0]
    return " ".join(clean(" ".join(line.lstrip("#-* ") for line in lines)).split())


def counts(past: TimelineSession) -> str:
    """`3 observations · 2 key decisions`."""
    decided = len(past.summary.key_decisions) if past.summary is not None else 0
    return " · ".join(
        plural(count, noun)
        for count, noun in ((len(past.observations), "observation"), (decided, "key decision"))
        if count
    )


def _listed(entries: Sequence[str]) -> Iterator[Row]:
    for entry in entries:
        yield Row(((_line(entry), ""),), first=_SIGN, rest=_UNDER)


def _plain(text: str) -> Iterator[Row]:
    return (row(_line(line)) for line in text.splitlines())


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[Row]:
    known = [(name, _line(value)) for name, value in facts if value]
    width = max(len(name) for name, _ in known) + 2
    for name, value in known:
        yield Row(((value, ""),), first=((f"{name:<{width}}", "muted"),), rest=((" " * width, ""),))


def _line(text: str) -> str:
    return clean(text).replace("\n", " ")
