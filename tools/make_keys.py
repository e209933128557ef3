"""Write the README's table of keys: every action once, from where it is declared."""

from __future__ import annotations

import sys

from textual.keys import format_key

from memtui.browse.keymap_check import declared_keys
from memtui.keys.declarations import Key
from tools.readme_table import README, with_table

_NAMES = {
    "grave_accent": "backtick",
    "escape": "esc",
    "enter": "enter",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
}


def table() -> str:
    """The table in Markdown."""
    lines = ["| where | key | what it does | id |", "|---|---|---|---|"]
    parts: dict[str, list[Key]] = {}
    for key in declared_keys():
        parts.setdefault(key.where, []).append(key)
    for where, declared in parts.items():
        for key in declared:
            shown = " ".join(f"`{_shown(name)}`" for name in key.key.split(","))
            lines.append(f"| {where if key is declared[0] else ''} | {shown} | {key.tooltip} | `{key.id}` |")
    return "\n".join(lines) + "\n"


def _shown(key: str) -> str:
    return _NAMES.get(key, format_key(key) if key.isidentifier() and len(key) > 1 else key)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(), "keys", table()))
    sys.exit(0)
