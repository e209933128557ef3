"""A session as GitHub-flavoured Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from memtui_core.export import labels
from memtui_core.export.contents import EVERYTHING, Contents
from memtui_core.export.tool_calls import ToolCallPart
from memtui_core.export.turn_parts import SpeakerHeading, TextPart, TurnPart, turn_parts
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line
from memtui_core.text.markdown.quoting import contained, escaped, fence, quote


def markdown(session: Session, turns: Sequence[Turn], contents: Contents = EVERYTHING) -> str:
    """The opening and a section for each turn, as GitHub renders them.

    The user's text is quoted, or fenced if Markdown would change it; an agent's text is its own Markdown. Thinking,
    tool calls and compaction summaries are folded. No text can break the document: see `text.markdown.quoting`.
    """
    sections = [turn_section(session, turn, contents) for turn in turns]
    return "\n\n".join([opening(session, turns), *sections]) + "\n"


def opening(session: Session, turns: Sequence[Turn]) -> str:
    """A title, and a line of facts about the session and the turns that follow."""
    return f"# {escaped(labels.title(session))}\n\n" + facts_line(session, turns)


def facts_line(session: Session, turns: Sequence[Turn]) -> str:
    """The facts about a session on one line."""
    return " · ".join(map(escaped, labels.session_facts(session, turns)))


def turn_section(session: Session, turn: Turn, contents: Contents) -> str:
    """A turn under a heading."""
    heading = [str(turn.number), escaped(labels.speaker(session, turn)), labels.local_time(turn.started_at)]
    blocks = ["## " + " · ".join(field for field in heading if field)]
    for part in turn_parts(session, turn, contents):
        blocks += _part(part)
    return "\n\n".join(blocks)


def _part(part: TurnPart) -> Iterator[str]:
    if isinstance(part, SpeakerHeading):
        yield " · ".join([f"**{escaped(part.name)}**", *map(escaped, part.facts)])
    elif isinstance(part, ToolCallPart):
        yield from _tool_call(part)
    else:
        yield from _text(part)


def _text(part: TextPart) -> Iterator[str]:
    if part.kind == "said":
        yield quote(part.text)
    elif part.kind in {"prompt", "answer"}:
        yield contained(part.text)
    elif part.kind in {"summary", "thinking"}:
        yield from _folded(part.folded_title, contained(part.text))
    elif part.kind == "image":
        yield f"*{escaped(one_line(part.text))}*"
    else:
        yield from _note(part)


def _note(part: TextPart) -> Iterator[str]:
    label = "✗ error" if part.kind == "error" else part.label
    if part.lines == 1:
        yield f"> **{escaped(label)}:** {escaped(part.text.strip())}"
    elif part.kind == "error":
        yield f"**{label}**"
        yield fence(part.text, "text")
    else:
        yield from _folded(part.folded_title, fence(part.text, "text"))


def _tool_call(call: ToolCallPart) -> Iterator[str]:
    line = f"{'✗ ' if call.failed else ''}<code>{escape(call.line, quote=False)}</code>"
    outcome = f" ({call.outcome})" if call.outcome else ""
    sections = [
        block
        for section in call.sections
        for block in (f"**{escaped(section.label)}**", fence(section.text, section.language or "text"))
    ]
    yield from _folded(line + outcome, *sections, is_html=True)


def _folded(summary: str, *blocks: str, is_html: bool = False) -> Iterator[str]:
    """Blocks that are folded under a summary; GitHub renders Markdown inside only after a blank line."""
    yield f"<details>\n<summary>{summary if is_html else escape(summary, quote=False)}</summary>"
    yield from blocks
    yield "</details>"
