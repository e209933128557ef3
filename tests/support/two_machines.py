"""A second machine for tests: it is declared, and its transcripts lie in its mirror."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.machines import declared
from memtui_core.ingest.machines.state import MachineState, write_state
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from support.screens import NOW
from support.transcripts import DAY, Script

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


def three_machines(folder: Path) -> Path:
    """The data folder of an index of this machine, `laptop` and `desk`, which did not answer at the last pull.

    A session of the laptop belongs to the project `shop` of this machine. The laptop and the desk have a project each
    that this machine does not have.
    """
    data, here = folder / "data", folder / "here"
    sessions = [
        (here, "11111111-1111-4111-8111-111111111111", "/home/ana/code/shop", "Round the prices to cents", 17.0),
        (here, "22222222-2222-4222-8222-222222222222", "/home/ana/code/blog", "Sort the comments by time", 15.0),
        (
            projects_of(data),
            "33333333-3333-4333-8333-333333333333",
            "/home/me/shop",
            "Prices of the cart in euros",
            18.0,
        ),
        (projects_of(data), "44444444-4444-4444-8444-444444444444", "/home/me/notes", "Prices of hotels in May", 16.0),
        (
            projects_of(data, "desk"),
            "55555555-5555-4555-8555-555555555555",
            "/srv/infra",
            "Prices of the servers",
            14.0,
        ),
    ]
    for number, (place, session_id, cwd, prompt, day) in enumerate(sessions):
        script = Script(session_id, cwd, f"p{number}x")
        script.count = int(day * DAY)
        script.user(prompt)
        script.calls("Edit", {"file_path": f"{cwd}/src/prices.py", "old_string": "a", "new_string": "b"})
        script.result("ok")
        script.says("The prices are right now.")
        script.write(place / str(number))
    declare(data, LAPTOP)
    declare(data, "desk", "ssh://desk")
    set_state(data, seen_at=(NOW - timedelta(minutes=4)).timestamp())
    set_state(data, "desk", seen_at=(NOW - timedelta(hours=3)).timestamp(), error="desk does not answer.")
    with Indexer(data) as indexer:
        for _ in indexer.update(
            [Location("claude-code", place) for place in dict.fromkeys(row[0] for row in sessions)]
        ):
            pass
    return data
