"""The settings file as a user writes it: created with all defaults, and checked with everything that the app knows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui.browse.keymap_check import declared_keys, wrong_entries
from memtui.settings.config import settings_text
from memtui.settings.documents import (
    SCHEMA_LINE,
    SCHEMA_NAME,
    KeyEntry,
    KeyGroups,
    default_file,
    json_schema,
    schema_text,
)
from memtui.settings.kinds import Keys
from memtui.settings.lines import line_of
from memtui.settings.reading import Mistake, read_settings
from memtui.wording.suggestion import suggestion
from memtui_core.errors import MemtuiError
from memtui_core.system.atomic_files import write_atomically


def key_groups() -> KeyGroups:
    """All keys, by where they work, as the default file lists them: each id once."""
    groups: dict[str, list[KeyEntry]] = {}
    seen: set[str] = set()
    for key in declared_keys():
        if key.id not in seen:
            seen.add(key.id)
            groups.setdefault(key.where, []).append(KeyEntry(key.id, key.key, key.tooltip))
    return groups


def default_settings() -> str:
    """The text of a file that changes nothing and shows everything."""
    return default_file(key_groups())


def settings_schema() -> dict[str, Any]:
    """The JSON schema of the settings."""
    from textual.theme import BUILTIN_THEMES

    return json_schema(key_groups(), BUILTIN_THEMES)


def prepare(path: Path) -> bool:
    """Create the file with all defaults, unless it exists, for its owner only; whether it was created.

    The schema is written beside it if the file names that. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() and not path.exists():
        raise MemtuiError(f"{path} is a link to {path.readlink()}, which does not exist.")
    if created := not path.exists():
        text = default_settings()
        # Never over one that has come meanwhile.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    with suppress(OSError, UnicodeDecodeError):
        schema = path.with_name(SCHEMA_NAME)
        if created or SCHEMA_LINE in path.read_text("utf-8").splitlines():
            content = schema_text(settings_schema()).encode()
            if not schema.exists() or schema.read_bytes() != content:
                write_atomically(schema, content)
    return created


def mistakes_in_file(path: Path) -> list[Mistake]:
    """Everything that is wrong in a settings file, by lines; nothing if it does not exist. Raises ConfigError."""
    return mistakes_in(settings_text(path) or "", path.parent / "themes")


def mistakes_in(text: str, themes: Path) -> list[Mistake]:
    """Everything that is wrong in a text: also ids, keys, agents, and themes, of which own ones are in a folder."""
    read = read_settings(text, with_lines=True)
    given = {setting.name: value for setting, value in read.given.items()}
    found = list(read.mistakes)

    def add(keys: Keys, sentence: str) -> None:
        found.append(Mistake(line_of(read.lines, keys), sentence, is_ignored=True))

    for name, sentence in wrong_entries(given.get("keymap", {})):
        add(("keymap", name), sentence)
    if "theme" in given:
        from textual.theme import BUILTIN_THEMES

        from memtui.settings.own_themes import load_themes, no_such_theme

        own, failures = load_themes(themes)
        known = [*BUILTIN_THEMES, *(theme.name for theme in own)]
        if given["theme"] not in known:
            add(("theme",), " ".join([no_such_theme(given["theme"], known), *failures]))
    for sentence in _unknown_agents(given.get("exclude", ())):
        add(("exclude",), sentence)
    return sorted(found, key=lambda mistake: mistake.line or 0)


def _unknown_agents(patterns: Iterable[str]) -> Iterable[str]:
    named = [pattern.removeprefix("agent:") for pattern in patterns if pattern.startswith("agent:")]
    if not named:
        return
    from memtui_core.readers.registry import all_readers

    known = sorted({reader.agent for reader in all_readers()})
    for name in named:
        if name.casefold() not in known:
            yield f"exclude: there is no agent {name!r}.{suggestion(name, known, 'agent:')}"
