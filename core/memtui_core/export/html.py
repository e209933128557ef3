"""A session as one HTML file that loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from memtui_core.export import facts
from memtui_core.export.highlight import code
from memtui_core.export.page import page
from memtui_core.export.pieces import Head, Piece, Words, pieces
from memtui_core.export.rendered import rendered
from memtui_core.export.work import Section, Work
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line

_CONTENTS = 90
"""Characters of a prompt in the list of turns."""


def html(session: Session, turns: Sequence[Turn], *, thinking: bool = True, tools: bool = True) -> str:
    """A title, a line of facts, a list of the turns, and a section a turn with the anchor `#turn-7`.

    Everything of the transcript is escaped; links lead to http, https and mailto only, and pictures are links.
    """
    title, about = facts.title(session), " · ".join(facts.about(session, turns))
    parts = [f'<header>\n<h1 dir="auto">{escape(title)}</h1>\n<p class="facts">{escape(about)}</p>\n</header>']
    if len(turns) > 1:
        parts.append(_contents(session, turns))
    parts.append("<main>")
    for turn in turns:
        parts.append(f'<section id="turn-{turn.number}" class="{turn.kind}">')
        parts.append(_heading(session, turn))
        parts += map(_piece, pieces(session, turn, thinking=thinking, tools=tools))
        parts.append("</section>")
    parts.append("</main>")
    return page(title, "\n".join(parts))


def _contents(session: Session, turns: Sequence[Turn]) -> str:
    rows = [
        f'<li value="{turn.number}"><a href="#turn-{turn.number}">{escape(_about_turn(session, turn))}</a></li>'
        for turn in turns
    ]
    lines = "\n".join(rows)
    return (
        f"<nav><details>\n<summary>{facts.plural(len(turns), 'turn')}</summary>\n<ol>\n{lines}\n</ol>\n</details></nav>"
    )


def _about_turn(session: Session, turn: Turn) -> str:
    said = "" if turn.kind == "compaction" else one_line(turn.user_text, _CONTENTS)
    return said or facts.speaker(session, turn)


def _heading(session: Session, turn: Turn) -> str:
    parts = [f'<a href="#turn-{turn.number}">{turn.number}</a>', escape(facts.speaker(session, turn))]
    if turn.started_at:
        at = turn.started_at.isoformat().replace("+00:00", "Z")
        parts.append(f'<time datetime="{at}">{facts.when(turn.started_at)}</time>')
    return f"<h2>{' · '.join(parts)}</h2>"


def _piece(piece: Piece) -> str:
    if isinstance(piece, Head):
        about = "".join(f" · {escape(fact)}" for fact in piece.facts)
        return f'<p class="head"><strong>{escape(piece.name)}</strong>{about}</p>'
    return _work(piece) if isinstance(piece, Work) else "".join(_words(piece))


def _words(words: Words) -> Iterator[str]:
    kind, text = words.kind, escape(words.text)
    if kind == "said":
        yield f'<div class="said" dir="auto">{text}</div>'
    elif kind in {"prompt", "answer"}:
        yield f'<div class="{kind}" dir="auto">\n{rendered(words.text)}</div>'
    elif kind in {"summary", "thinking"}:
        name = "Thinking" if kind == "thinking" else "What was said before, summed up"
        yield _folded(kind, f"{name} ({facts.plural(words.lines, 'line')})", f"<div>\n{rendered(words.text)}</div>")
    elif kind == "note" and words.lines > 1:
        summary = f"{escape(words.label)} ({facts.plural(words.lines, 'line')})"
        yield _folded("note", summary, f"<pre><code>{text}</code></pre>")
    elif kind == "error":
        yield f'<div class="said failed" dir="auto"><b>✗ error</b> {text}</div>'
    else:
        label = f"<b>{escape(words.label)}</b> " if words.label else ""
        yield f'<p class="note">{label}{text}</p>'


def _work(work: Work) -> str:
    outcome = f" ({escape(work.outcome)})" if work.outcome else ""
    line = f"{'✗ ' if work.failed else ''}<code>{escape(work.line)}</code>{outcome}"
    return _folded("work failed" if work.failed else "work", line, "\n".join(map(_section, work.sections)))


def _section(section: Section) -> str:
    return f"<h3>{escape(section.label)}</h3>\n<pre><code>{code(section.text, section.language)}</code></pre>"


def _folded(kind: str, summary: str, body: str) -> str:
    return f'<details class="{kind}">\n<summary>{summary}</summary>\n{body}\n</details>'
