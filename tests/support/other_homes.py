"""Home folders of other machines, with the sample sessions of every agent at the places that the agents choose."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import bench.agents.__main__ as agents_bench
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location, locations_in

LINUX: Final[Mapping[str, str]] = {
    "amazonq/amazon-q": ".local/share/amazon-q",
    "amp": ".local/share/amp",
    "antigravity": ".gemini/antigravity",
    "augment": ".augment",
    "claude-code": ".claude/projects",
    "cline/data": ".cline/data",
    "codex": ".codex",
    "continue": ".continue",
    "copilot": ".copilot",
    "crush": "code",
    "cursor": ".cursor",
    "droid": ".factory",
    "gemini": ".gemini",
    "goose": ".local/share/goose",
    "hermes": ".hermes",
    "iflow": ".iflow",
    "junie": ".junie",
    "kilo": ".local/share/kilo",
    "kimi": ".kimi-code",
    "kiro": ".local/share/kiro-cli",
    "omp": ".omp",
    "openclaw": ".openclaw",
    "opencode": ".local/share/opencode",
    "openhands": ".openhands",
    "pi": ".pi",
    "qwen": ".qwen",
    "roo": ".config/Code/User",
    "vibe": ".vibe",
    "warp/warp-terminal": ".local/state/warp-terminal",
    "zed": ".local/share/zed",
}
"""By the folder of an agent's samples the place in a home folder of Linux."""
MAC: Final[Mapping[str, str]] = {
    "amazonq/amazon-q": "Library/Application Support/amazon-q",
    "kiro": "Library/Application Support/kiro-cli",
    "roo": "Library/Application Support/Code/User",
    "warp/warp-terminal": (
        "Library/Group Containers/2BBY89MBSN.dev.warp/Library/Application Support/dev.warp.Warp-Stable"
    ),
    "zed": "Library/Application Support/Zed",
}
"""What is elsewhere on a Mac."""
SECRETS: Final = (
    *(".claude/.credentials.json", ".claude/settings.json", ".claude/projects/.env", ".claude.json"),
    *(".claude/projects/-home-ana-code-site/notes.env", ".claude/projects/-home-ana-code-site/token.json"),
    *(".codex/auth.json", ".codex/config.toml", ".codex/sessions/auth.json", ".gemini/oauth_creds.json"),
    *(".gemini/tmp/site/settings.json", ".local/share/opencode/auth.json", ".local/share/goose/sessions/secrets.yaml"),
    *(".hermes/.env", ".hermes/sessions/auth.json", ".hermes/profiles/work/.env", ".kimi/config.toml"),
    *(".openclaw/agents/main/agent/auth-profiles.json", ".openclaw/credentials.json", ".ssh/id_ed25519"),
    *(".cline/data/secrets.json", ".cline/data/state/globalState.json", ".continue/config.yaml", ".qwen/.env"),
    *(".copilot/config.json", ".copilot/session-state/credentials.json", ".vibe/.env", ".factory/auth.encrypted"),
    *(".config/Code/User/settings.json", ".config/Code/User/globalStorage/state.vscdb", "code/.env"),
)
"""Files of settings and credentials, some of them among the transcripts."""


def sample_home(folder: Path, places: Mapping[str, str] = LINUX) -> Path:
    """Make a home folder with the sample sessions of every agent, on Linux or with some of them elsewhere."""
    for samples, place in {**LINUX, **places}.items():
        agent, _, inside = samples.partition("/")
        shutil.copytree(agents_bench.samples_of(agent) / inside, folder / place, dirs_exist_ok=True)
    return folder


def plant_secrets(home: Path) -> None:
    """Put files with the word `hunter2` beside the transcripts of a home folder."""
    for name in SECRETS:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"token": "hunter2"}\n')


def contents_of(folder: Path, names: Iterable[str] | None = None) -> dict[str, bytes]:
    """The content of each file in a folder by its path; of some of them, if they are named."""
    chosen = None if names is None else set(names)
    return {
        name: path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and (chosen is None or path.relative_to(folder).as_posix() in chosen)
        for name in [path.relative_to(folder).as_posix()]
    }


@contextmanager
def indexed(data: Path, locations: Iterable[Location]) -> Iterator[Index]:
    """An index of some locations."""
    with Indexer(data, processes=0) as indexer:
        for _ in indexer.update(list(locations)):
            pass
    yield Index.open(data)


def sessions_in(data: Path, home: Path) -> dict[tuple[str, str], tuple[str, str, int, str]]:
    """What an index has of the sessions of a home folder, by agent and id: title, project, turns, working directory."""
    with indexed(data, locations_in(home)) as index:
        return {
            (str(one.agent), str(one.session_id)): (str(one.title), str(one.project), one.turns, str(one.cwd))
            for one in index.sessions.all()
        }
