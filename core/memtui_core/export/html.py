"""A session as one HTML file without external resources and scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from memtui_core.export import labels
from memtui_core.export.contents import EVERYTHING, Contents
from memtui_core.export.markdown_html import code, markdown_to_html, styles
from memtui_core.export.tool_calls import ToolCallPart, ToolCallSection
from memtui_core.export.turn_parts import SpeakerHeading, TextPart, TurnPart, turn_parts
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLES = """\
:root { color-scheme: light dark; --ink: #1f2328; --dim: #59636e; --paper: #fff; --shade: #f6f8fa; --line: #d1d9e0;
  --you: #0969da; --bad: #c1121f; --added: #dafbe1; --removed: #ffebe9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 6rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; -webkit-text-size-adjust: 100%; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1rem; color: var(--dim); margin: 0 0 .75rem; }
section { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; scroll-margin-top: .5rem;
  content-visibility: auto; contain-intrinsic-size: auto 24rem; }
section:target { border-top: 3px solid var(--you); }
a { color: var(--you); }
h2 a { text-decoration: none; }
.facts, .head, .note, summary, nav, footer { color: var(--dim); font-size: .875rem; }
.said { white-space: pre-wrap; background: var(--shade); border-left: 4px solid var(--you); border-radius: 6px;
  padding: .75rem 1rem; margin: 1rem 0; }
.prompt { border-left: 4px solid var(--line); padding-left: 1rem; }
.note { white-space: pre-wrap; }
.failed > summary, .said.failed > b { color: var(--bad); }
.said.failed { border-color: var(--bad); }
section.compaction { border-top-style: dashed; }
details { margin: .35rem 0; }
details > :not(summary) { margin-left: 1rem; }
summary { cursor: pointer; }
details h3 { font-size: .8rem; color: var(--dim); margin-block: .5rem 0; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
:not(pre) > code { background: var(--shade); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--shade); border-radius: 6px; padding: .75rem 1rem; margin-block: .35rem 1rem; overflow: auto;
  max-height: 36rem; tab-size: 4; }
blockquote { border-left: 4px solid var(--line); color: var(--dim); margin: 1rem 0; padding-left: 1rem; }
details.steps { border-left: 2px solid var(--line); padding-left: .75rem; margin: .75rem 0; }
details.steps > details { margin-left: 0; }
nav ol { max-height: 40vh; overflow: auto; margin: .25rem 0; padding-left: 3.25rem; border: 1px solid var(--line);
  border-radius: 6px; }
nav li { padding: .1rem .5rem .1rem 0; }
nav a { text-decoration: none; }
nav .failed { color: var(--bad); }
pre code .gi { background: var(--added); }
pre code .gd { background: var(--removed); }
footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: .75rem; }
table { border-collapse: collapse; display: block; overflow: auto; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; }
@media print {
  body { max-width: none; padding: 0; }
  section { content-visibility: visible; }
  pre { max-height: none; white-space: pre-wrap; }
  h2, summary { break-after: avoid; }
  nav { display: none; }
}
"""
_DARK_STYLES = """\
:root { --ink: #e6edf3; --dim: #9198a1; --paper: #0d1117; --shade: #161b22; --line: #3d444d; --you: #58a6ff;
  --bad: #ff7b72; --added: #12361f; --removed: #3d1a1c; }
"""


def page(title: str, body: str) -> str:
    """A whole document; `body` is HTML, `title` is text. A browser that opens it makes no requests."""
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="memtui">
<title>{escape(title)}</title>
<style>
{_STYLES}{styles("light")}
@media (prefers-color-scheme: dark) {{
{_DARK_STYLES}{styles("dark")}
}}
</style>
</head>
<body>
{body}
</body>
</html>
"""


_MOST_STEPS = 3
"""Tool calls and thoughts one after the other that have a line each."""
_LONGEST_ENTRY = 90
"""Characters of a prompt in the list of turns."""


def html(session: Session, turns: Sequence[Turn], contents: Contents = EVERYTHING) -> str:
    """A title, a line of facts, a list of the turns, and a section for each turn with an anchor such as `#turn-7`.

    All text of the transcript is escaped; links point to http, https and mailto only, and images are links.
    """
    title, facts = labels.title(session), " · ".join(labels.session_facts(session, turns))
    head = [f'<h1 dir="auto">{escape(title)}</h1>', f'<p class="facts">{escape(facts)}</p>']
    head += [f'<p class="facts">{escape(contents.notice)}</p>'] if contents.notice else []
    parts = ["<header>", *head, "</header>"]
    if len(turns) > 1:
        parts.append(_contents(session, turns))
    parts.append("<main>")
    for turn in turns:
        parts.append(f'<section id="turn-{turn.number}" class="{turn.kind}">')
        parts.append(_heading(session, turn))
        parts += _steps_folded(turn_parts(session, turn, contents))
        parts.append("</section>")
    parts.append("</main>\n<footer>Made by memtui</footer>")
    return page(title, "\n".join(parts))


def _steps_folded(parts: Iterable[TurnPart]) -> Iterator[str]:
    """The parts, of which several tool calls and thoughts one after the other are folded into one line."""
    for is_step, run in groupby(parts, _is_step):
        steps = list(run)
        if is_step and len(steps) > _MOST_STEPS:
            yield _folded("steps", _summary(steps), "\n".join(map(_part, steps)))
        else:
            yield from map(_part, steps)


def _is_step(part: TurnPart) -> bool:
    return isinstance(part, ToolCallPart) or (isinstance(part, TextPart) and part.kind == "thinking")


def _summary(steps: Sequence[TurnPart]) -> str:
    calls = [step for step in steps if isinstance(step, ToolCallPart)]
    failed = sum(call.failed for call in calls)
    facts = [labels.counted(len(calls), "tool call")] if calls else []
    facts += [f"✗ {labels.counted(failed, 'error')}"] if failed else []
    facts += ["thinking"] if len(calls) < len(steps) else []
    return " · ".join(facts)


def _contents(session: Session, turns: Sequence[Turn]) -> str:
    entries = [
        f'<li value="{turn.number}"><a href="#turn-{turn.number}">{escape(_entry(session, turn))}</a>'
        f"{_facts(turn)}</li>"
        for turn in turns
    ]
    lines = "\n".join(entries)
    summary = labels.counted(len(turns), "turn")
    return f"<nav><details open>\n<summary>{summary}</summary>\n<ol>\n{lines}\n</ol>\n</details></nav>"


def _facts(turn: Turn) -> str:
    calls = f" · {labels.counted(len(turn.tool_summary), 'tool call')}" if turn.tool_summary else ""
    return calls + (f' · <span class="failed">✗ {turn.errors:,}</span>' if turn.errors else "")


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
