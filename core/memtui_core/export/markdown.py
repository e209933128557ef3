"""A session as Markdown that reads well on GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from memtui_core.export import facts
from memtui_core.export.pieces import Head, Piece, Words, pieces
from memtui_core.export.work import Work
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line
from memtui_core.text.markdown import contained, escaped, fence, quote


def markdown(session: Session, turns: Sequence[Turn], *, thinking: bool = True, tools: bool = True) -> str:
    """A title, a line of facts, and a heading a turn.

    What a person typed is quoted, or fenced where Markdown would change it; an agent's text is Markdown as it wrote it.
    Thinking, tool calls and compaction summaries are folded. No text can break the document: see `text.markdown`.
    """
    blocks = [f"# {escaped(facts.title(session))}", " · ".join(map(escaped, facts.about(session, turns)))]
    for turn in turns:
        parts = [str(turn.number), escaped(facts.speaker(session, turn)), facts.when(turn.started_at)]
        blocks.append("## " + " · ".join(part for part in parts if part))
        for piece in pieces(session, turn, thinking=thinking, tools=tools):
            blocks += _piece(piece)
    return "\n\n".join(blocks) + "\n"


def _piece(piece: Piece) -> Iterator[str]:
    if isinstance(piece, Head):
        yield " · ".join([f"**{escaped(piece.name)}**", *map(escaped, piece.facts)])
    elif isinstance(piece, Work):
        yield from _work(piece)
    else:
        yield from _words(piece)


def _words(words: Words) -> Iterator[str]:
    if words.kind == "said":
        yield quote(words.text)
    elif words.kind in {"prompt", "answer"}:
        yield contained(words.text)
    elif words.kind in {"summary", "thinking"}:
        name = "Thinking" if words.kind == "thinking" else "What was said before, summed up"
        yield from _folded(f"{name} ({facts.plural(words.lines, 'line')})", contained(words.text))
    elif words.kind == "image":
        yield f"*{escaped(one_line(words.text))}*"
    else:
        yield from _note(words)


def _note(words: Words) -> Iterator[str]:
    label = "✗ error" if words.kind == "error" else words.label
    if words.lines == 1:
        yield f"> **{escaped(label)}:** {escaped(words.text.strip())}"
    elif words.kind == "error":
        yield f"**{label}**"
        yield fence(words.text, "text")
    else:
        yield from _folded(f"{label} ({facts.plural(words.lines, 'line')})", fence(words.text, "text"))


def _work(work: Work) -> Iterator[str]:
    line = f"{'✗ ' if work.failed else ''}<code>{escape(work.line, quote=False)}</code>"
    outcome = f" ({work.outcome})" if work.outcome else ""
    sections = [
        block
        for section in work.sections
        for block in (f"**{escaped(section.label)}**", fence(section.text, section.language or "text"))
    ]
    yield from _folded(line + outcome, *sections, is_html=True)


def _folded(summary: str, *blocks: str, is_html: bool = False) -> Iterator[str]:
    """Blocks behind a summary; GitHub reads Markdown in there only after a blank line."""
    yield f"<details>\n<summary>{summary if is_html else escape(summary, quote=False)}</summary>"
    yield from blocks
    yield "</details>"
