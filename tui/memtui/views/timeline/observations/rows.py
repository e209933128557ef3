"""Rows of the timeline's detail pane: an observation with all its fields, or a session with its summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.render.clean import clean
from memtui.render.markdown.blocks import markdown_rows
from memtui.render.rows import GAP, Row, row
from memtui.wording.formatting import commit_text, stamp
from memtui_core.index.observations import TimelineSession

if TYPE_CHECKING:
    from memtui_core.index.observations import Observation, SessionSummary

_BULLET = (("• ", "bullet"),)
_INDENT = (("  ", ""),)


def observation_rows(observation: Observation, origin: str, width: int) -> list[Row]:
    """All fields of an observation; `origin` is the text for the turn in which it was saved."""
    content = observation.content
    rows = [row(_line(content.title), "heading")]
    if content.subtitle:
        rows.append(row(_line(content.subtitle), "em"))
    if observation.forgotten_at is not None:
        rows += [Row((), GAP), row(f"Forgotten {stamp(observation.forgotten_at)}. u restores it.", "error")]
    rows += [Row((), GAP), *markdown_rows(content.narrative, width)]
    for name, entries in (
        ("Facts", content.facts),
        ("Concepts", content.concepts),
        ("Files modified", content.files_modified),
        ("Files read", content.files_read),
    ):
        if entries:
            rows += [Row((), GAP), row(name, "strong"), *_listed(entries)]
    edited_at = observation.edited_at
    edited = f"{stamp(edited_at)}, revision {observation.revision}" if edited_at is not None else ""
    facts = (
        ("Type", content.type),
        ("Written", stamp(observation.created_at)),
        ("Changed", edited),
        ("By", observation.tool_name),
        ("From", origin),
        ("Session", observation.session_id),
        ("Project", observation.root),
        ("Id", observation.id),
    )
    return [*rows, Row((), GAP), *_facts(facts)]


def session_rows(session: TimelineSession, summary: SessionSummary | None, width: int) -> list[Row]:
    """The summary and the observations of a session; None for a session without text."""
    rows = [row(_line(session.name), "heading"), Row((), GAP)]
    if summary is not None:
        rows += markdown_rows(summary.text, width) if summary.kind == "compaction" else _plain(summary.text)
    elif session.session is None:
        rows.append(row("There is no transcript of this session.", "muted"))
    if summary is not None and summary.key_decisions:
        rows += [Row((), GAP), row("Key decisions", "strong"), *_listed(summary.key_decisions)]
    if session.outcome is not None and session.outcome.commits:
        made = zip(session.outcome.commit_ids, session.outcome.commits, strict=True)
        rows += [Row((), GAP), row("Commits", "strong"), *_listed([commit_text(*commit) for commit in made])]
    for observation in session.observations:
        title = f" {_line(observation.content.title)}"
        rows += [Row((), GAP), Row(((observation.content.type, "key"), (title, "strong")))]
        rows += markdown_rows(observation.content.narrative, width)
    facts = (("Last", stamp(session.at)), ("Session", session.session_id), ("Project", session.root))
    return [*rows, Row((), GAP), *_facts(facts)]


def text_of(rows: Sequence[Row]) -> str:
    """The text of rows, one line each, with their bullets and labels."""
    return "\n".join("".join(text for text, _ in row.first) + row.text for row in rows) + "\n"


def _listed(entries: Sequence[str]) -> Iterator[Row]:
    for entry in entries:
        yield Row(((_line(entry), ""),), first=_BULLET, rest=_INDENT)


def _plain(text: str) -> Iterator[Row]:
    return (row(_line(line)) for line in text.splitlines())


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[Row]:
    lines = [(name, _line(value)) for name, value in facts if value]
    width = max(len(name) for name, _ in lines) + 2
    for name, value in lines:
        yield Row(((value, ""),), first=((f"{name:<{width}}", "muted"),), rest=((" " * width, ""),))


def _line(text: str) -> str:
    return clean(text).replace("\n", " ")
