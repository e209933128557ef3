"""Notes as rows: commands, interrupts, reminders and others, one dim line each."""

from __future__ import annotations

from memtui.render.clean import clean, plain_rows
from memtui.render.rows import Row, prefixed
from memtui_core.model import Block

ASIDE = frozenset({"meta", "reminder"})
"""Notes that only the agent saw; they are hidden at the summary level."""
_SYMBOLS = {
    "command": "⌁",
    "interrupt": "⎋",
    "shell": "!",
    "error": "✗",
    "recap": "↺",
    "notification": "◇",
    "reminder": "·",
    "meta": "·",
    "unknown": "?",
}
_LEADS = {"recap": "recap: ", "reminder": "reminder: "}


def note_rows(block: Block, opened: bool) -> list[Row]:
    """The first line of a note, or all of it if it is unfolded."""
    kind = block.tool or ""
    style = "error" if kind == "error" or block.is_error else "note"
    symbol, text = _SYMBOLS.get(kind, "·"), block.text
    if kind == "shell":
        text = text.strip()
        symbol, text = ("!", text[1:].strip()) if text.startswith("!") else (" ", text)
    if kind == "interrupt":
        text = "interrupted" + (" for tool use" if "tool use" in text else "")
    if kind == "notification" and not opened:
        text = _summary(text) or text
    rows = plain_rows(_LEADS.get(kind, "") + text.strip(), style, block.seq)
    if not rows:
        return []
    if not opened:
        first = rows[0]
        more = (("  …", "muted"),) if len(rows) > 1 else ()
        rows = [Row(first.spans + more, block.seq, wrap="none", fold=block.seq if more else None)]
    return prefixed(rows, ((symbol + " ", style),), (("  ", ""),))


def _summary(text: str) -> str:
    """The summary in a notification; empty if it has none."""
    return clean(text.partition("<summary>")[2].partition("</summary>")[0]).strip()
