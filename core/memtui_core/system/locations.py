"""The locations of memtui's own files, and the current folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memtui_core.system.own_folders import config_folder, data_folder
from memtui_core.text.characters import storable

PLATFORM: Final = "MEMTUI_PLATFORM"
"""The variable with the system, as `sys.platform` names it, whose folders are meant if it is not the running one."""


def data_dir(override: Path | None = None) -> Path:
    """The folder of the index: the argument, or else MEMTUI_DATA_DIR, or else the user's data folder."""
    return override or Path(data_folder())


def config_file() -> Path:
    """The settings file: MEMTUI_CONFIG, or else `config.toml` in the user's config folder."""
    return folder_of(os.environ.get("MEMTUI_CONFIG")) or Path(config_folder(), "config.toml")


def prices_file() -> Path:
    """The user's table of prices: `prices.toml` beside the settings file."""
    return config_file().with_name("prices.toml")


def current_folder() -> str:
    """The current folder, with forward slashes; empty if it was deleted."""
    try:
        return storable(Path.cwd().as_posix())
    except OSError:
        return ""


def home_in(environ: Mapping[str, str]) -> Path:
    """The home folder in an environment, which may be that of another machine."""
    return folder_of(environ.get("USERPROFILE" if sys.platform == "win32" else "HOME")) or Path.home()


def platform_in(environ: Mapping[str, str]) -> str:
    """The system in an environment, as `sys.platform` names it."""
    return environ.get(PLATFORM) or sys.platform


def folder_of(value: str | None) -> Path | None:
    """The path in the value of an environment variable; None if it is not set or empty."""
    return Path(value).expanduser() if value else None
