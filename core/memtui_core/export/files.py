"""Where an export is written: a name that tells what it is, and never over another file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line

ENDINGS = {"markdown": ".md", "html": ".html", "json": ".json"}
_LONGEST_SLUG = 40


def file_name(session: Session, turns: Sequence[Turn], as_format: str) -> str:
    """The title in a few words, the beginning of the id, and the turns unless they are all.

    `retry-the-upload-1f2e3d4c.md`, `retry-the-upload-1f2e3d4c-turns-3-7.md`.
    """
    parts = [_slug(session.title) or "session", _short_id(session.session_id)]
    if turns and len(turns) != session.turns:
        first, last = turns[0].number, turns[-1].number
        parts.append(f"turn-{first}" if first == last else f"turns-{first}-{last}")
    return "-".join(part for part in parts if part) + ENDINGS[as_format]


def write(path: Path, text: str) -> Path:
    """Write a new file; the path it got, which ends in -2, -3 and so on where there was one already.

    A file that could not be written whole is not left behind. Raises OSError.
    """
    for number in count(2):
        target = path if number == 2 else path.with_name(f"{path.stem}-{number - 1}{path.suffix}")
        try:
            file = target.open("xb")
        except FileExistsError:
            continue
        try:
            with file:
                file.write(text.encode())
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        return target
    raise AssertionError("the numbers never end")


def _slug(title: str) -> str:
    words = re.findall(r"\w+", one_line(title).lower().replace("'", ""))
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        slug = longer
    return slug


def _short_id(session_id: str) -> str:
    """The first eight signs; those of a subagent after the `agent-` that they all begin with."""
    prefix = "agent-" if session_id.startswith("agent-") else ""
    return prefix + re.sub(r"[^A-Za-z0-9]", "", session_id.removeprefix(prefix)[:8])
