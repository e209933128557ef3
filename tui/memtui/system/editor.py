"""The command that opens a file at a line in the user's editor."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath

from memtui_core.system.systems import IS_WINDOWS, words_of

_PLUS = frozenset(
    {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "mg", "ne", "gedit"}
)
"""Editors that take the line as `+12` before the file."""
_COLON = frozenset({"hx", "helix", "subl", "sublime_text", "zed", "mate"})
"""Editors that take it as `file:12`."""
_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
"""Editors that take it as `--goto file:12`."""
_WINDOWS = _GOTO | {"subl", "sublime_text", "zed", "mate", "gedit"}
"""Editors with windows of their own, whose command ends when the file is closed only with `--wait`."""
_FALLBACKS = ("nano", "vim", "vi", "notepad")
"""Tried in this order if the environment names no editor."""


def editor_command(
    path: Path,
    line: int | None,
    environment: Mapping[str, str] = os.environ,
    *,
    waits: bool = False,
    windows: bool = IS_WINDOWS,
) -> list[str] | None:
    """Return the command for a file and a 1-based line; None if there is no editor.

    The editor is `$VISUAL`, or `$EDITOR`, or the first of a few common ones that is installed. An unknown editor gets
    the file without the line. With `waits` the command ends when the file is closed. With `windows`, backslashes in the
    variables are parts of paths.
    """
    named = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    try:
        words = words_of(named, windows=windows)
    except ValueError:
        words = []
    if not words:
        words = [next((name for name in _FALLBACKS if shutil.which(name, path=environment.get("PATH"))), "")]
    if not words[0]:
        return None
    name = PurePath(words[0]).name.removesuffix(".exe").removesuffix(".cmd")
    if waits and name in _WINDOWS and not {"-w", "--wait"}.intersection(words):
        words.append("--wait")
    if windows:
        # What is only the name of a script is not found without the shell.
        words[0] = shutil.which(words[0], path=environment.get("PATH")) or words[0]
    if line is None:
        return [*words, str(path)]
    if name in _PLUS:
        return [*words, f"+{line}", str(path)]
    if name in _COLON:
        return [*words, f"{path}:{line}"]
    if name in _GOTO:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, str(path)]
