"""What is made of the declared settings: the default file, its JSON schema, and the table of the documents."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memtui.settings.declared import SETTINGS, Setting, table_of
from memtui.settings.toml_text import toml_text

SCHEMA_NAME: Final = "memtui.schema.json"
"""The file beside the settings that the first line of the default file names."""
SCHEMA_LINE: Final = f"#:schema ./{SCHEMA_NAME}"
"""What editors with a language server for TOML look for: they complete and check the settings by it."""
_WIDTH: Final = 100
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""
_HEAD: Final = (
    "Settings of memtui. Every line that begins with # is a comment: take the # away before a name to set it, "
    "and before the [name] in brackets above it, if there is one.",
    "memtui config opens this file and checks it.",
    "More about each setting: https://memtui.github.io/memtui/settings.html",
)


class KeyEntry(NamedTuple):
    """A key of the app, as the keymap names it."""

    id: str
    keys: str
    """As the keymap takes them."""
    does: str


KeyGroups = Mapping[str, Sequence[KeyEntry]]
"""The keys of the app by the part of it in which they work."""


def default_file(keys: KeyGroups) -> str:
    """A settings file that changes nothing: every setting with its comment, and all keys, as comments."""
    parts = [SCHEMA_LINE, *(_comment(line) for line in _HEAD)]
    table = ""
    for setting in SETTINGS:
        parts.append("")
        own = table_of(setting)
        if own != table and not setting.is_table:
            parts.append(f"# [{own}]")
        parts += [_comment(setting.comment), f"# Default: {default_words(setting)}. Counts {setting.counts}."]
        if setting.is_table:
            parts.append(f"# [{own}]")
        table = own
        parts += _key_lines(keys) if setting.name == "keymap" else _lines(setting)
    return "\n".join(parts) + "\n"


def _comment(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _lines(setting: Setting) -> Iterator[str]:
    if setting.is_table:
        yield from (f"# {line}" for line in setting.example.split("\n"))
    else:
        yield f"# {setting.keys[-1]} = {setting.example}"


def _key_lines(keys: KeyGroups) -> Iterator[str]:
    """The lines of the keymap, in groups."""
    for where, entries in keys.items():
        yield from ("", f"# -- {where}")
        for entry in entries:
            name = entry.id if _BARE.fullmatch(entry.id) else toml_text(entry.id)
            yield f"# {f'{name} = {toml_text(entry.keys)}':<44}  # {entry.does}"


def default_words(setting: Setting) -> str:
    """What counts without a setting."""
    return setting.unset or ("none" if setting.default == [] else toml_text(setting.default))


def json_schema(keys: KeyGroups, themes: Iterable[str] = ()) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the settings; `themes` are offered, others are right, too."""
    root = _object({})
    root = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of memtui",
        **root,
    }
    for setting in SETTINGS:
        place = root
        for key in setting.keys[:-1]:
            place = place["properties"].setdefault(key, _object({}))
        place["properties"][setting.keys[-1]] = _schema_of(setting, keys, themes)
    return root


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": dict(properties)}


def _schema_of(setting: Setting, keys: KeyGroups, themes: Iterable[str]) -> dict[str, Any]:
    schema = setting.kind.schema()
    if setting.name == "keymap":
        entries = [entry for group in keys.values() for entry in group]
        schema = _object(
            {
                entry.id: {**schema["additionalProperties"], "default": entry.keys, "description": entry.does}
                for entry in entries
            }
        )
    schema["description"] = f"{setting.comment} Counts {setting.counts}."
    if setting.default is not None:
        schema["default"] = setting.default
    if setting.name == "theme":
        schema["examples"] = sorted(themes)
    return schema


def schema_text(schema: Mapping[str, Any]) -> str:
    """The text of a schema file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
