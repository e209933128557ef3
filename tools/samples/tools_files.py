"""Tools that look at files and change them."""

from __future__ import annotations

from dataclasses import dataclass

from .blocks import Json, Outcome, Stage, failed
from .repo import numbered, patch


@dataclass(frozen=True)
class Read:
    """A file, or `limit` lines of it from line `offset` on."""

    path: str
    offset: int | None = None
    limit: int | None = None
    reminder: str = ""
    """A system reminder that the agent appends to what it shows the model."""
    name: str = "Read"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        window = {"offset": self.offset, "limit": self.limit}
        return {"file_path": stage.repo.path(self.path), **{k: v for k, v in window.items() if v is not None}}

    def play(self, stage: Stage) -> Outcome:
        """Return the lines asked for."""
        text = stage.repo.files.get(self.path)
        if text is None:
            return failed("File does not exist.")
        lines = text.split("\n")
        start = self.offset or 1
        shown = "\n".join(lines[start - 1 : start - 1 + (self.limit or len(lines))])
        file = {"filePath": stage.repo.path(self.path), "content": shown, "numLines": shown.count("\n") + 1}
        content = numbered(shown, start, not stage.newer)
        if self.reminder:
            content += f"\n\n<system-reminder>\n{self.reminder}\n</system-reminder>\n"
        return Outcome(content, {"type": "text", "file": {**file, "startLine": start, "totalLines": len(lines)}})


@dataclass(frozen=True)
class Edit:
    """A replacement in a file; an error when the old text is not there."""

    path: str
    old: str
    new: str
    name: str = "Edit"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        text = {"old_string": self.old, "new_string": self.new}
        return {"replace_all": False, "file_path": stage.repo.path(self.path), **text}

    def play(self, stage: Stage) -> Outcome:
        """Change the file."""
        path, before = stage.repo.path(self.path), stage.repo.files[self.path]
        if self.old not in before:
            text = f"String to replace not found in file.\nString: {self.old}"
            return Outcome(f"<tool_use_error>{text}</tool_use_error>", f"Error: {text}", True)
        after = before.replace(self.old, self.new, 1)
        stage.repo.files[self.path] = after
        hunks = patch(before, after)
        said = f"The file {path} has been updated successfully."
        if not stage.newer:
            shown = "\n".join(line[1:] for line in hunks[0]["lines"] if line[0] != "-")
            said = (
                f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of the edited "
            )
            said += "file:\n" + numbered(shown, hunks[0]["newStart"], True)
        result = {"filePath": path, "oldString": self.old, "newString": self.new, "originalFile": before}
        return Outcome(said, {**result, "structuredPatch": hunks, "userModified": False, "replaceAll": False})


@dataclass(frozen=True)
class Write:
    """A file written whole."""

    path: str
    text: str
    name: str = "Write"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return {"file_path": stage.repo.path(self.path), "content": self.text}

    def play(self, stage: Stage) -> Outcome:
        """Put the file there."""
        path, before = stage.repo.path(self.path), stage.repo.files.get(self.path)
        stage.repo.files[self.path] = self.text
        hunks = [] if before is None else patch(before, self.text)
        said = f"File created successfully at: {path}" if before is None else f"The file {path} has been updated."
        result: Json = {"type": "create" if before is None else "update", "filePath": path, "content": self.text}
        result |= {"structuredPatch": hunks, "originalFile": before}
        return Outcome(said, result | ({"userModified": False} if stage.newer else {}))


@dataclass(frozen=True)
class Grep:
    """Lines that match, or with `files` only their paths; answered out of the files."""

    pattern: str
    path: str | None = None
    glob: str | None = None
    files: bool = False
    name: str = "Grep"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        where: Json = {} if self.path is None else {"path": stage.repo.path(self.path)}
        where |= {} if self.glob is None else {"glob": self.glob}
        mode: Json = {"output_mode": "files_with_matches"} if self.files else {"output_mode": "content", "-n": True}
        return {"pattern": self.pattern, **where, **mode}

    def play(self, stage: Stage) -> Outcome:
        """Return the matches."""
        found = stage.repo.grep(self.pattern, self.path, self.glob)
        names = list(dict.fromkeys(name for name, _, _ in found))
        if self.files:
            count = len(names)
            text = "\n".join([f"Found {count} file{'s' * (count != 1)}", *names]) if names else "No files found"
            return Outcome(text, {"mode": "files_with_matches", "filenames": names, "numFiles": count})
        text = "\n".join(f"{name}:{number}:{line}" for name, number, line in found)
        shape = {"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": len(found)}
        return Outcome(text or "No matches found", shape)


@dataclass(frozen=True)
class Glob:
    """Paths that match."""

    pattern: str
    name: str = "Glob"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return {"pattern": self.pattern}

    def play(self, stage: Stage) -> Outcome:
        """Return the paths."""
        names = [stage.repo.path(name) for name in stage.repo.names(self.pattern)]
        result = {"filenames": names, "durationMs": 11 + len(names), "numFiles": len(names), "truncated": False}
        return Outcome("\n".join(names) or "No files found", result)
