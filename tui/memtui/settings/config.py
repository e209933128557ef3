"""The user's settings: a frozen value, read from a TOML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui_core.errors import MemtuiError
from memtui_core.model import DEFAULT_MODEL, RETENTIONS
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING, Exclusions, RetentionRules

_SETTINGS = (
    *("theme", "keymap", "model", "vectors", "embedding", "handoff", "sources", "exclude", "retention", "share"),
    *("team", "archive"),
)
VECTOR_ANSWERS = ("auto", "hnsw", "exact")
"""The values of the setting `vectors`."""
EMBEDDING_WAYS = ("auto", "plain")
"""The values of the setting `embedding`."""
_HANDOFF = {
    "tool_context": bool,
    "max_result_chars": int,
    "max_tool_context_chars": int,
    "include_interrupted": bool,
}


_TEAM = ("groups",)


class ConfigError(MemtuiError):
    """The settings cannot be read; the message names the file and the setting or the line."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings with their defaults."""

    theme: str | None = None
    """Name of a theme; None uses the theme last chosen in the app."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Keys by the id of an action; several keys are separated by commas."""
    handoff: Mapping[str, int | bool] = field(default_factory=dict)
    """Fields of `HandoffOptions` by name."""
    model: str = DEFAULT_MODEL
    """Name of the embedding model: the one included in memtui, or one that fastembed lists."""
    sources: tuple[Path, ...] = ()
    """Folders and files of transcripts that are read besides the agents' own folders."""
    exclusions: Exclusions = NOTHING
    """What is not indexed."""
    warnings: tuple[str, ...] = ()
    """A sentence for each unknown setting; unknown settings are ignored."""
    vectors: str = "auto"
    """What answers searches by meaning: see `Vectors.cache`."""
    share: tuple[str, ...] = ()
    """Names or folders of the projects that are shared with the team."""
    embedding: str = "auto"
    """How the default model is run for many texts: in the way that is the fastest here, or always as it is."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The groups with which projects are shared, by their names or folders; all others with `everyone`."""
    archive: bool = True
    """Whether the bytes of transcripts are kept, so that those that an agent deletes can be restored."""
    retention: RetentionRules = KEEP_ALL
    """How much of the sessions is kept, by project or folder."""


def load_config(path: Path) -> Config:
    """Read the settings of a file, or return the defaults if the file does not exist.

    An unknown setting adds a warning. Raises ConfigError if the file cannot be read or a value has the wrong type.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    theme, keymap = data.get("theme"), data.get("keymap", {})
    if theme is not None and not isinstance(theme, str):
        raise _type_error(path, "theme", 'text, such as "nord"', theme)
    model = data.get("model", DEFAULT_MODEL)
    if not isinstance(model, str) or not model:
        raise _type_error(path, "model", "text, the name of an embedding model", model)
    vectors = data.get("vectors", "auto")
    if vectors not in VECTOR_ANSWERS:
        raise _type_error(path, "vectors", '"auto", "hnsw" or "exact"', vectors)
    embedding = data.get("embedding", "auto")
    if embedding not in EMBEDDING_WAYS:
        raise _type_error(path, "embedding", '"auto" or "plain"', embedding)
    archive = data.get("archive", True)
    if not isinstance(archive, bool):
        raise _type_error(path, "archive", "true or false", archive)
    handoff, warnings = _handoff(path, data.get("handoff", {}))
    groups, team_warnings = _groups(path, data.get("team", {}))
    unknown = [_unknown_warning(path, name, _SETTINGS) for name in sorted(data.keys() - set(_SETTINGS))]
    return Config(
        theme,
        _keymap(path, keymap),
        handoff,
        model,
        tuple(Path(source) for source in _texts(path, "sources", data.get("sources", []))),
        Exclusions(_texts(path, "exclude", data.get("exclude", []))),
        (*unknown, *warnings, *team_warnings),
        vectors,
        tuple(_texts(path, "share", data.get("share", []), '["shop", "~/code/blog"]')),
        embedding,
        groups,
        archive,
        retention=_retention(path, data.get("retention", {})),
    )


def _texts(path: Path, name: str, value: Any, example: str = '["~/private"]') -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise _type_error(path, name, f"a list of texts, such as {example}", value)
    for text in value:
        try:
            Path(text).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"{path}: {name}: the home folder in {text!r} is not known.") from error
    return value


def _handoff(path: Path, value: Any) -> tuple[Mapping[str, int | bool], list[str]]:
    if not isinstance(value, dict):
        raise _type_error(path, "handoff", "a table: [handoff]", value)
    warnings = [_unknown_warning(path, f"handoff.{name}", _HANDOFF) for name in value if name not in _HANDOFF]
    options = {name: option for name, option in value.items() if name in _HANDOFF}
    for name, option in options.items():
        if _HANDOFF[name] is bool and not isinstance(option, bool):
            raise _type_error(path, f"handoff.{name}", "true or false", option)
        if _HANDOFF[name] is int and (type(option) is not int or option < 0):
            raise _type_error(path, f"handoff.{name}", "a number of characters, such as 2000", option)
    return options, warnings


def _retention(path: Path, value: Any) -> RetentionRules:
    if not isinstance(value, dict):
        raise _type_error(path, "retention", "a table: [retention]", value)
    for name, level in value.items():
        if level not in RETENTIONS:
            raise _type_error(path, f"retention.{name}", '"full", "text" or "titles"', level)
        if not name:
            raise ConfigError(f"{path}: retention has a key without a name: write a project, a folder or default.")
    _texts(path, "retention", list(value))
    return RetentionRules(value)


def _groups(path: Path, value: Any) -> tuple[Mapping[str, tuple[str, ...]], list[str]]:
    """The groups of projects in the table `team`, and warnings for what else is in it."""
    if not isinstance(value, dict):
        raise _type_error(path, "team", "a table: [team]", value)
    groups = value.get("groups", {})
    if not isinstance(groups, dict):
        raise _type_error(path, "team.groups", "a table: [team.groups]", groups)
    by_project = {name: tuple(_texts(path, f"team.groups.{name}", own, '["backend"]')) for name, own in groups.items()}
    for name, own in by_project.items():
        if not own:
            raise ConfigError(f"{path}: team.groups.{name} must name a group, and is empty.")
    _texts(path, "team.groups", list(filter(None, by_project)))
    return by_project, [_unknown_warning(path, f"team.{name}", _TEAM) for name in value if name not in _TEAM]


def _keymap(path: Path, value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise _type_error(path, "keymap", "a table: [keymap]", value)
    for name, keys in value.items():
        if not isinstance(keys, str) or not keys:
            raise _type_error(path, f"keymap.{name}", 'text, such as "ctrl+f,slash"', keys)
    return value


def _type_error(path: Path, name: str, expected: str, value: object) -> ConfigError:
    return ConfigError(f"{path}: {name} must be {expected}, and is {_toml_text(value)}.")


def _toml_text(value: object) -> str:
    """A value approximately as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "a list"
    return "a table" if isinstance(value, dict) else f'"{value}"' if isinstance(value, str) else str(value)


def _unknown_warning(path: Path, name: str, settings: Iterable[str]) -> str:
    """The warning for an unknown setting, with similar existing ones."""
    from memtui.wording.suggestion import suggestion

    table, dot, last = name.rpartition(".")
    return f"{path}: there is no setting {name!r}; it is ignored.{suggestion(last, settings, table + dot)}"
