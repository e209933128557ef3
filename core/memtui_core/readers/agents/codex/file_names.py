"""The names of rollout files, which contain a session each: `rollout-<time>-<thread>.jsonl`.

They are in `sessions/<year>/<month>/<day>/`, and in `archived_sessions/` when the user put them away. A thread that was
taken back to an earlier turn continues in another file: `rollout-<time>-<thread>_<rollout>.jsonl`. Old files can be
compressed: `.jsonl.zst`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SESSIONS, ARCHIVE = "sessions", "archived_sessions"
HISTORY: Final = "history.jsonl"
"""The file with the prompts of all sessions."""
PLAIN, COMPRESSED = ".jsonl", ".jsonl.zst"
_ROLLOUT: Final = re.compile(r"rollout-\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-(.+?)\.jsonl(?:\.zst)?")
_PART: Final = re.compile(r"[\w-]+")


def is_rollout(name: str) -> bool:
    """Whether a file has the name of a rollout."""
    return _ROLLOUT.fullmatch(name) is not None


def id_in(name: str) -> str:
    """The id in the name of a rollout, `<thread>` or `<thread>_<rollout>`; empty for other names."""
    match = _ROLLOUT.fullmatch(name)
    return match[1] if match else ""


def stem_of(path: Path) -> str:
    """The name of a file without its suffixes."""
    return path.name.removesuffix(COMPRESSED).removesuffix(PLAIN)


def uncompressed(path: Path) -> Path:
    """The plain file beside a compressed one; the file itself if it is plain."""
    name = path.name
    return path.with_name(name.removesuffix(COMPRESSED) + PLAIN) if name.endswith(COMPRESSED) else path


def home_of(path: Path) -> Path | None:
    """The folder of Codex in which a rollout is; None if it is not in one."""
    return next((parent.parent for parent in path.parents if parent.name in {SESSIONS, ARCHIVE}), None)


def rollouts_of(thread: str, beside: Path) -> Iterator[Path]:
    """The rollouts of a thread, in the folder of Codex of another rollout, or next to it."""
    if not _PART.fullmatch(thread):
        return
    home, pattern = home_of(beside), f"rollout-*{thread}*.jsonl*"
    folders = [(beside.parent, pattern)]
    if home is not None:
        folders += [(home / SESSIONS, f"*/*/*/{pattern}"), (home / ARCHIVE, pattern)]
    for folder, files in folders:
        for path in sorted(folder.glob(files)):
            if path != beside and thread in id_in(path.name).split("_"):
                yield path
