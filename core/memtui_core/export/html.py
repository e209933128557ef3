"""A session as one HTML file without external resources and scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from memtui_core.export import labels
from memtui_core.export.highlight import code
from memtui_core.export.markdown_html import markdown_to_html
from memtui_core.export.page import page
from memtui_core.export.tool_calls import ToolCallPart, ToolCallSection
from memtui_core.export.turn_parts import SpeakerHeading, TextPart, TurnPart, turn_parts
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line

_LONGEST_ENTRY = 90
"""Characters of a prompt in the list of turns."""


def html(session: Session, turns: Sequence[Turn], *, thinking: bool = True, tools: bool = True) -> str:
    """A title, a line of facts, a list of the turns, and a section for each turn with an anchor such as `#turn-7`.

    All text of the transcript is escaped; links point to http, https and mailto only, and images are links.
    """
    title, facts = labels.title(session), " · ".join(labels.session_facts(session, turns))
    parts = [f'<header>\n<h1 dir="auto">{escape(title)}</h1>\n<p class="facts">{escape(facts)}</p>\n</header>']
    if len(turns) > 1:
        parts.append(_contents(session, turns))
    parts.append("<main>")
    for turn in turns:
        parts.append(f'<section id="turn-{turn.number}" class="{turn.kind}">')
        parts.append(_heading(session, turn))
        parts += map(_part, turn_parts(session, turn, thinking=thinking, tools=tools))
        parts.append("</section>")
    parts.append("</main>")
    return page(title, "\n".join(parts))


def _contents(session: Session, turns: Sequence[Turn]) -> str:
    entries = [
        f'<li value="{turn.number}"><a href="#turn-{turn.number}">{escape(_entry(session, turn))}</a></li>'
        for turn in turns
    ]
    lines = "\n".join(entries)
    summary = labels.counted(len(turns), "turn")
    return f"<nav><details>\n<summary>{summary}</summary>\n<ol>\n{lines}\n</ol>\n</details></nav>"


def _entry(session: Session, turn: Turn) -> str:
    prompt = "" if turn.kind == "compaction" else one_line(turn.user_text, _LONGEST_ENTRY)
    return prompt or labels.speaker(session, turn)


def _heading(session: Session, turn: Turn) -> str:
    parts = [f'<a href="#turn-{turn.number}">{turn.number}</a>', escape(labels.speaker(session, turn))]
    if turn.started_at:
        at = turn.started_at.isoformat().replace("+00:00", "Z")
        parts.append(f'<time datetime="{at}">{labels.local_time(turn.started_at)}</time>')
    return f"<h2>{' · '.join(parts)}</h2>"


def _part(part: TurnPart) -> str:
    if isinstance(part, SpeakerHeading):
        facts = "".join(f" · {escape(fact)}" for fact in part.facts)
        return f'<p class="head"><strong>{escape(part.name)}</strong>{facts}</p>'
    return _tool_call(part) if isinstance(part, ToolCallPart) else "".join(_text(part))


def _text(part: TextPart) -> Iterator[str]:
    kind, text = part.kind, escape(part.text)
    if kind == "said":
        yield f'<div class="said" dir="auto">{text}</div>'
    elif kind in {"prompt", "answer"}:
        yield f'<div class="{kind}" dir="auto">\n{markdown_to_html(part.text)}</div>'
    elif kind in {"summary", "thinking"}:
        yield _folded(kind, part.folded_title, f"<div>\n{markdown_to_html(part.text)}</div>")
    elif kind == "note" and part.lines > 1:
        yield _folded("note", escape(part.folded_title), f"<pre><code>{text}</code></pre>")
    elif kind == "error":
        yield f'<div class="said failed" dir="auto"><b>✗ error</b> {text}</div>'
    else:
        label = f"<b>{escape(part.label)}</b> " if part.label else ""
        yield f'<p class="note">{label}{text}</p>'


def _tool_call(call: ToolCallPart) -> str:
    outcome = f" ({escape(call.outcome)})" if call.outcome else ""
    line = f"{'✗ ' if call.failed else ''}<code>{escape(call.line)}</code>{outcome}"
    return _folded("work failed" if call.failed else "work", line, "\n".join(map(_section, call.sections)))


def _section(section: ToolCallSection) -> str:
    return f"<h3>{escape(section.label)}</h3>\n<pre><code>{code(section.text, section.language)}</code></pre>"


def _folded(kind: str, summary: str, body: str) -> str:
    return f'<details class="{kind}">\n<summary>{summary}</summary>\n{body}\n</details>'
