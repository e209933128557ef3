"""Write the tables of the README that are made of declarations: every key, and what each filter leaves.

Each table stands between two comments.
"""

from __future__ import annotations

from pathlib import Path

from textual.keys import format_key

from memtui.browse.keymap_check import declared_keys
from memtui.keys.declarations import Key
from memtui_core.search.filters.registry import filters_by_name

README = Path(__file__).parents[1] / "README.md"
_NAMES = {
    "grave_accent": "backtick",
    "escape": "esc",
    "enter": "enter",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
}


def keys_table() -> str:
    """Every action once, in Markdown."""
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


def filters_table() -> str:
    """The filters in Markdown."""
    lines = ["| filter | what it leaves |", "|---|---|"]
    for name, query_filter in filters_by_name().items():
        examples = " ".join(f"`{name}:{value}`" for value in query_filter.examples)
        lines.append(f"| {examples} | {query_filter.leaves} |")
    return "\n".join(lines) + "\n"


def with_tables(readme: str) -> str:
    """A README with all tables as they are declared now."""
    for name, table in (("keys", keys_table()), ("filters", filters_table())):
        begin, end = f"<!-- {name}: make {name} -->\n", f"<!-- end of {name} -->\n"
        before, _, rest = readme.partition(begin)
        readme = f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    return readme


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text()))
