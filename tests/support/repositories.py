"""A repository on the disk, and sessions that edited its files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from memtui_core.index.index import Index
from support.indexes import build
from support.transcripts import DAY, SESSION, Script


class Repository:
    """A folder with sources, and the sessions that edited them."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.folder = folder
        (self.root / ".git").mkdir(parents=True)

    def session(self, session_id: str = SESSION, *, day: int = 0, cwd: Path | None = None) -> Calls:
        """A session of Claude Code that begins on a day."""
        return Calls(Script(session_id, str(cwd or self.root), f"{session_id[0]}{day}"), self, day)

    def write(self, name: str, content: str) -> Path:
        """Put a file there."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        return path

    def git(self, *arguments: str) -> str:
        """Run git in it; what it prints."""
        identity = {f"GIT_{who}_{what}": f"{who}@shop" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = os.environ | identity | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    def commit(self, message: str = "Change it") -> str:
        """Commit everything; what git prints."""
        self.git("add", "-A")
        return self.git("commit", "-m", message)

    def index(self, *sessions: Calls) -> Index:
        """The index of some sessions."""
        return build(self.folder / "data", *(calls.script.write(self.folder / "src") for calls in sessions))


class Calls:
    """A script of tool calls, each with a result."""

    def __init__(self, script: Script, repository: Repository, day: int) -> None:
        self.script, self.repository = script, repository
        self.script.count = day * DAY
        self.calls = 0
        self.turn()

    def turn(self, text: str = "go on") -> Calls:
        """Start a turn."""
        self.script.user(text)
        return self

    def does(self, tool: str, fields: dict[str, Any], result: str = "ok", **options: Any) -> Calls:
        """Call a tool."""
        self.calls += 1
        tool_id = f"{self.script.prefix}c{self.calls}"
        self.script.calls(tool, fields, tool_id)
        self.script.result(result, tool_id, **options)
        return self

    def writes(self, name: str, content: str, **options: Any) -> Calls:
        """Write a whole file."""
        return self.does("Write", {"file_path": f"{self.script.cwd}/{name}", "content": content}, **options)

    def edits(self, name: str, old: str, new: str, **options: Any) -> Calls:
        """Replace a text in a file."""
        fields = {"file_path": f"{self.script.cwd}/{name}", "old_string": old, "new_string": new}
        return self.does("Edit", fields, **options)

    def runs(self, command: str, **options: Any) -> Calls:
        """Run a shell command."""
        return self.does("Bash", {"command": command}, **options)
