"""Where memtui's own files belong, and the folder that it was started in."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_dir(override: Path | None = None) -> Path:
    """Folder of the index: the argument, else MEMTUI_DATA_DIR, else the user's data folder."""
    chosen = override or folder_of(os.environ.get("MEMTUI_DATA_DIR"))
    return chosen or platformdirs.user_data_path("memtui", appauthor=False)


def config_file(override: Path | None = None) -> Path:
    """The settings: the argument, else MEMTUI_CONFIG, else `config.toml` in the user's config folder."""
    chosen = override or folder_of(os.environ.get("MEMTUI_CONFIG"))
    return chosen or platformdirs.user_config_path("memtui", appauthor=False) / "config.toml"


def current_folder() -> str:
    """The current folder, with forward slashes; empty when it was deleted."""
    try:
        return Path.cwd().as_posix()
    except OSError:
        return ""


def folder_of(value: str | None) -> Path | None:
    """The folder that the value of an environment variable names; None when it is not set or empty."""
    return Path(value).expanduser() if value else None
