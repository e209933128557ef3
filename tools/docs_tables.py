"""Write the parts of the documents that are made of declarations: keys, filters, commands, tools, settings.

Each part stands between two comments, on the page that `PARTS` names. The schema of the settings is a file of its own.
"""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from textual.keys import format_key

from memtui.agents.mcp.registry import TOOLS
from memtui.browse.actions.settings_file import settings_schema
from memtui.browse.keymap_check import declared_keys
from memtui.keys.declarations import Key
from memtui.settings.declared import SETTINGS, Setting
from memtui.settings.documents import SCHEMA_NAME, default_words, schema_text
from memtui.settings.kinds import OneOf
from memtui.settings.toml_text import toml_text
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.store.snapshot.sql_views import VIEWS
from tools.command_contexts import command_contexts

DOCS: Final = Path(__file__).parents[1] / "docs"
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


def tools_table() -> str:
    """The tools of the MCP server in Markdown; what an agent need not give stands in brackets."""
    lines = ["| tool | what its agent reads of it | arguments |", "|---|---|---|"]
    for tool in TOOLS:
        names = (f"`{each.name}`" if each.required else f"[`{each.name}`]" for each in tool.arguments)
        lines.append(f"| `{tool.name}` | {_cell(tool.description)} | {' '.join(names)} |")
    return "\n".join(lines) + "\n"


def commands_reference() -> str:
    """The usage, the help and the options of every command, in Markdown."""
    return "\n".join(line for context in command_contexts() for line in _described(context))


def _described(context: click.Context) -> list[str]:
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"### {context.command_path}", "", "```text", usage, "```", ""]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        # Click prints the lines below this sign as they are.
        as_is = paragraph.removeprefix("\b\n")
        is_prose = as_is == paragraph
        lines += [html.escape(paragraph, quote=False), ""] if is_prose else ["```text", as_is, "```", ""]
    # Every command has --help; arguments are in the usage.
    own = [each for each in command.get_params(context) if isinstance(each, click.Option) and "--help" not in each.opts]
    records = [record for each in own if (record := each.get_help_record(context)) is not None]
    if records:
        lines += ["| option | what it does |", "|---|---|"]
        lines += [f"| `{_escaped(option)}` | {_cell(meaning)} |" for option, meaning in records] + [""]
    return lines


def _cell(text: str) -> str:
    """A text in a cell of a table."""
    return _escaped(html.escape(text, quote=False))


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def views_table() -> str:
    """The views of `memtui sql` with their columns, in Markdown."""
    lines = ["| view | column | |", "|---|---|---|"]
    for view in VIEWS:
        lines.append(f"| **`{view.name}`** | | {view.about} |")
        lines += [f"| | `{name}` | {_escaped(about)} |" for name, (_, about) in view.columns.items()]
    return "\n".join(lines) + "\n"


def settings_table() -> str:
    """The settings in Markdown."""
    lines = ["| setting | values | default | what it does |", "|---|---|---|---|"]
    for one in SETTINGS:
        words = default_words(one)
        default = words if one.unset or one.default == [] else f"`{words}`"
        lines.append(f"| `{one.name}` | {_values(one)} | {default} | {one.comment} |")
    return "\n".join(lines) + "\n"


def _values(setting: Setting) -> str:
    """What a setting may be, for a cell."""
    if isinstance(setting.kind, OneOf):
        return " ".join(f"`{toml_text(name)}`" for name in setting.kind.names)
    if setting.is_table:
        return f"a table: `[{setting.name}]`"
    return re.sub("(?<=such as )(.+)$", r"`\1`", setting.kind.values)


PARTS: Final[dict[str, dict[str, Callable[[], str]]]] = {
    "commands.md": {"tools": tools_table, "commands": commands_reference},
    "keys.md": {"keys": keys_table},
    "search.md": {"filters": filters_table},
    "shell.md": {"views": views_table},
    "settings.md": {"settings": settings_table},
}
"""By pages of docs/: what stands between which comments."""


def with_tables(page: str, parts: dict[str, Callable[[], str]]) -> str:
    """A page with its parts as they are declared now. Raises ValueError if a comment is missing."""
    for name, make in parts.items():
        begin, end = f"<!-- {name}: make tables -->\n", f"<!-- end of {name} -->\n"
        start, stop = page.index(begin) + len(begin), page.index(end)
        page = f"{page[:start]}\n{make()}\n{page[stop:]}"
    return page


if __name__ == "__main__":
    for name, parts in PARTS.items():
        path = DOCS / name
        path.write_text(with_tables(path.read_text(encoding="utf-8"), parts), encoding="utf-8")
    (DOCS / SCHEMA_NAME).write_text(schema_text(settings_schema()), encoding="utf-8")
