"""A second machine for tests: it is declared, and its transcripts lie in its mirror."""

from __future__ import annotations

from pathlib import Path

from memtui_core.ingest.machines import declared
from memtui_core.ingest.machines.state import MachineState, write_state
from memtui_core.store.data_folder import DataDir
from support.transcripts import Script

LAPTOP = "laptop"
SEEN_AT = 1_790_000_000.0
URL = "git@example.org:ana/shop.git"


def declare(data_dir: Path, name: str = LAPTOP, address: str = "ssh://me@host:2222") -> None:
    """Declare a machine, beside those that are declared."""
    declared.declare(DataDir(data_dir), name, address)


def set_state(
    data_dir: Path,
    name: str = LAPTOP,
    *,
    repositories: dict[str, tuple[str, str]] | None = None,
    seen_at: float | None = SEEN_AT,
    error: str = "",
) -> None:
    """Write what the last pull found: by the working directory root and address of the repository."""
    known = {cwd: {"root": root, "url": url} for cwd, (root, url) in (repositories or {}).items()}
    (DataDir(data_dir).machines / name).mkdir(parents=True, exist_ok=True)
    write_state(DataDir(data_dir), name, MachineState(seen_at, seen_at, error, known))


def projects_of(data_dir: Path, name: str = LAPTOP) -> Path:
    """The folder of the mirrored transcripts of Claude Code."""
    return DataDir(data_dir).mirror(name) / ".claude" / "projects"


def edits(session_id: str, cwd: str, *paths: str, prefix: str = "e", prompt: str = "Change the cart") -> Script:
    """A session that edits files, whose paths are written as they are."""
    script = Script(session_id, cwd, prefix)
    script.user(prompt)
    for number, path in enumerate(paths):
        script.calls("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, f"t{number}")
        script.result("ok", f"t{number}")
    script.says("Done.")
    return script


def repository(folder: Path, url: str = "") -> Path:
    """A repository of git, as far as memtui looks at it."""
    git = folder / ".git"
    git.mkdir(parents=True)
    config = "[core]\n\tbare = false\n"
    (git / "config").write_text(config + (f'[remote "origin"]\n\turl = {url}\n' if url else ""))
    return folder
