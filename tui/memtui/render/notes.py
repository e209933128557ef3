"""The small things that happen between words: commands, interrupts, reminders, one dim line each."""

from __future__ import annotations

from memtui.render.clean import clean, plain_rows
from memtui.render.rows import Row, prefixed
from memtui_core.model import Block

ASIDE = frozenset({"meta", "reminder"})
"""Notes that the agent was told and the person did not see: hidden at the summary level."""
_SIGNS = {
    "command": "⌁",
    "interrupt": "⎋",
    "shell": "!",
    "error": "✗",
    "recap": "↺",
    "notification": "◇",
    "reminder": "·",
    "meta": "·",
}
_LEADS = {"recap": "recap: ", "reminder": "reminder: "}


def note_rows(block: Block, opened: bool) -> list[Row]:
    """A note as its first line, or all of it when opened."""
    kind = block.tool or ""
    style = "error" if kind == "error" or block.is_error else "note"
    sign, text = _SIGNS.get(kind, "·"), block.text
    if kind == "shell":
        text = text.strip()
        sign, text = ("!", text[1:].strip()) if text.startswith("!") else (" ", text)
    if kind == "interrupt":
        text = "interrupted" + (" for tool use" if "tool use" in text else "")
    if kind == "notification" and not opened:
        text = _tag(text, "summary") or text
    rows = plain_rows(_LEADS.get(kind, "") + text.strip(), style, block.seq)
    if not rows:
        return []
    if not opened:
        first = rows[0]
        more = (("  …", "muted"),) if len(rows) > 1 else ()
        rows = [Row(first.spans + more, block.seq, wrap="none", fold=block.seq if more else None)]
    return prefixed(rows, ((sign + " ", style),), (("  ", ""),))


def _tag(text: str, name: str) -> str:
    """What stands in a tag of a notification."""
    _, opening, rest = text.partition(f"<{name}>")
    return clean(rest.partition(f"</{name}>")[0]).strip() if opening else ""
