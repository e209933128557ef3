"""The user's settings: a frozen value, read from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memtui_core.errors import MemtuiError
from memtui_core.model import DEFAULT_MODEL
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING, Exclusions, RetentionRules


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
    """Name of the embedding model: the one included in memtui, or with memtui[models] one that fastembed lists."""
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
    retention: RetentionRules = KEEP_ALL
    """How much of the sessions is kept, by project or folder."""
    archive: bool = True
    """Whether the bytes of transcripts are kept, so that those that an agent deletes can be restored."""
    digest: bool = True
    """Whether an agent gets a digest of its project at the start of a session."""
    patterns: tuple[str, ...] = ()
    """The user's own patterns of secrets, expressions of RE2."""


def load_config(path: Path) -> Config:
    """Read the settings of a file, or return the defaults if the file does not exist.

    An unknown setting adds a warning. Raises ConfigError if the file cannot be read or a value has the wrong type.
    """
    text = settings_text(path)
    if text is None:
        return Config()
    # Most users have no file: a start reads none of what is declared.
    from memtui.settings.reading import config_of, read_settings

    read = read_settings(text)
    warnings = []
    for mistake in read.mistakes:
        if not mistake.is_ignored:
            raise ConfigError(mistake.at(path))
        warnings.append(mistake.at(path))
    return config_of(read.given, tuple(warnings))


def settings_text(path: Path) -> str | None:
    """The text of a settings file; None if it does not exist. Raises ConfigError if it cannot be read."""
    try:
        # Editors of Windows put a mark before UTF-8.
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def settings_in_use() -> Config:
    """The settings of the user, by whose patterns this process redacts from now on. Raises ConfigError."""
    from memtui_core.system import locations
    from memtui_core.text.own_patterns import use_patterns

    config = load_config(locations.config_file())
    use_patterns(config.patterns)
    return config
