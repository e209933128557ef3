"""The frame of an HTML export: its head, and the styles for light and dark mode."""

from __future__ import annotations

from html import escape

from memtui_core.export.highlight import styles

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLES = """\
:root { color-scheme: light dark; --ink: #1f2328; --dim: #59636e; --paper: #fff; --shade: #f6f8fa; --line: #d1d9e0;
  --you: #0969da; --bad: #c1121f; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 6rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1rem; color: var(--dim); margin: 0 0 .75rem; }
section { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; scroll-margin-top: .5rem; }
section:target { border-top: 3px solid var(--you); }
a { color: var(--you); }
h2 a { text-decoration: none; }
.facts, .head, .note, summary, nav { color: var(--dim); font-size: .875rem; }
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
table { border-collapse: collapse; display: block; overflow: auto; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; }
@media print { pre { max-height: none; white-space: pre-wrap; } }
"""
_DARK_STYLES = """\
:root { --ink: #e6edf3; --dim: #9198a1; --paper: #0d1117; --shade: #161b22; --line: #3d444d; --you: #58a6ff;
  --bad: #ff7b72; }
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
