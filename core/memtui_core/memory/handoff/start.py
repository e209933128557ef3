"""The prompt with which an agent is started to go on from a hand-off."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

_FOLDER: Final = "handoffs"
_UNSAFE: Final = re.compile(r"[^\w.-]")
_MAX_ARGUMENT: Final = 100_000
"""Bytes of an argument, of which Linux accepts 131,072. A longer text is passed in a file."""


def fits_argument(text: str) -> bool:
    """Whether a text can be passed to a program as an argument."""
    return len(text.encode()) <= _MAX_ARGUMENT


def prompt_in_file(text: str, data_dir: Path, name: str) -> str:
    """Write a text to the data folder, and return the prompt that names the file. Raises OSError.

    Replaces the file that was written under the same name before.
    """
    path = data_dir / _FOLDER / _UNSAFE.sub("-", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return f"Read {path} first: it is the context of an earlier session, to go on from."


def remove_prompt_files(data_dir: Path) -> None:
    """Remove the texts in the data folder. Raises OSError."""
    if (data_dir / _FOLDER).is_dir():
        shutil.rmtree(data_dir / _FOLDER)
