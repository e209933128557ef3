"""The folders of memtui's own files, as texts.

Imports next to nothing, because an agent waits for some commands: the package that knows the folders of all systems
takes as long to import as all else that such a command does, and `pathlib` half of that.
"""

from __future__ import annotations

import os
import sys

STATUS_LINE = "statusline.json"
"""The file in the data folder that the status line of an agent reads."""
COMPLETION = "completion.json"
"""The file in the data folder that a shell's completion reads."""
DIGEST = "digest.json"
"""The file in the data folder that the hook at the start of a session reads."""
MENDED = "mended.json"
"""The file in the data folder that the hook after a failed command reads."""


def data_folder() -> str:
    """The folder of the index: MEMTUI_DATA_DIR, or else the user's data folder."""
    if folder := os.environ.get("MEMTUI_DATA_DIR"):
        return os.path.expanduser(folder)  # noqa: PTH111
    if folder := _by_specification("XDG_DATA_HOME", ".local/share"):
        return folder
    import platformdirs

    return platformdirs.user_data_dir("memtui", appauthor=False)


def annotations_stamp(folder: str) -> list[list[str | int]]:
    """Name, time and size of the logs of what the user has added: a value that changes with them."""
    try:
        with os.scandir(folder) as entries:
            logs = [one for one in entries if one.name.startswith("annotations") and one.name.endswith(".jsonl")]
            return sorted([one.name, (stat := one.stat()).st_mtime_ns, stat.st_size] for one in logs)
    except OSError:
        return []


def config_folder() -> str:
    """The user's config folder."""
    if folder := _by_specification("XDG_CONFIG_HOME", ".config"):
        return folder
    import platformdirs

    return platformdirs.user_config_dir("memtui", appauthor=False)


def _by_specification(variable: str, default: str) -> str:
    """The folder by the XDG Base Directory Specification, on Linux; empty for a system or values that need more."""
    if sys.platform != "linux" or "ANDROID_DATA" in os.environ:
        return ""
    chosen, home = os.environ.get(variable, ""), os.environ.get("HOME", "")
    folder = chosen or f"{home.rstrip('/')}/{default}"
    return f"{folder.rstrip('/')}/memtui" if (chosen or home).startswith("/") else ""
