"""Convert a task of the extension to records, message by message.

The conversation is in one file. Others have what it lacks: tokens, the model, the working directory, the parent task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.cline.file_names import ABOUT, METADATA, SCREEN, history_file
from memtui_core.readers.agents.cline.messages import MessageContext, calls_of, model_of, parts_of, records_of, usage_of
from memtui_core.readers.agents.cline.user_text import time_in, working_directory_in
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import count, epoch, items, mapping, object_from, string
from memtui_core.readers.formats.beside import list_beside, object_beside
from memtui_core.readers.formats.document import DocumentReading, objects_of, value_in
from memtui_core.readers.records import Record, Usage


class TaskReading(DocumentReading):
    """One pass over a task."""

    def load(self) -> Sequence[Any]:
        """The messages of the conversation."""
        folder = self.transcript.path
        path = history_file(folder)
        if path is None:
            raise SourceUnreadable(f"{folder}: no conversation")
        history = value_in(path)
        if not isinstance(history, list):
            raise SourceUnreadable(f"{path}: not a list of messages")
        about = object_beside(folder / ABOUT) or _listed(
            folder.parent.parent / "state" / "taskHistory.json", folder.name
        )
        metadata = object_beside(folder / METADATA)
        self._parent = string(about.get("parentTaskId"))
        self._model = _only_model(metadata) or string(about.get("modelId"))
        self._usages = _usages(history, list_beside(folder / SCREEN))
        self._times = _times(history, folder.name)
        self.facts.session_id = folder.name
        self.facts.version = _version(metadata)
        self._folders = _folders(about, history)
        self.facts.cwds += dict.fromkeys(filter(None, self._folders))
        self.facts.cwd = next(iter(self.facts.cwds), "")
        return objects_of(history)

    def identity(self, branch: str = "") -> Identity:
        """The task by the name of its folder."""
        name = self.transcript.path.name
        return Identity(name, self._parent if self._parent != name else None)

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        before = mapping(self.entries[line - 1]) if line else {}
        context = MessageContext(
            self._times[line],
            f"{self.transcript.path.name}/{line}",
            self._usages.get(line),
            model_of(entry) or self._model,
            self._parent is not None,
            self._folders[line] if self._folders[line] != self.facts.cwd else "",
            calls_of(before, line - 1),
        )
        yield from records_of(entry, line, context)


def _listed(path: Any, task: str) -> dict[str, Any]:
    """What the list of tasks says about a task."""
    return next((about for one in list_beside(path) if (about := mapping(one)).get("id") == task), {})


def _folders(about: dict[str, Any], history: list[Any]) -> list[str]:
    """The working directory at each message, which the state of the editor shows; empty before the first one."""
    names = ("cwdOnTaskInitialization", "workspace", "cwd")
    folder = next((cwd for name in names if (cwd := string(about.get(name)))), "")
    folders: list[str] = []
    for message in map(mapping, history):
        folder = next((cwd for text in _texts_of_user(message) if (cwd := working_directory_in(text))), folder)
        folders.append(folder)
    return folders


def _times(history: list[Any], task: str) -> list[datetime | None]:
    """The time of each message; one without a time has that of the message before, the first that of the task."""
    at = epoch(int(task)) if task.isascii() and task.isdigit() and len(task) < 15 else None
    times: list[datetime | None] = []
    for message in map(mapping, history):
        at = epoch(message.get("ts")) or _shown_time(message) or at
        times.append(at)
    return times


def _shown_time(message: dict[str, Any]) -> datetime | None:
    return next((at for text in _texts_of_user(message) if (at := time_in(text)) is not None), None)


def _texts_of_user(message: dict[str, Any]) -> list[str]:
    return [string(part.get("text")) or "" for part in parts_of(message)] if message.get("role") == "user" else []


def _usages(history: list[Any], screen: list[Any]) -> dict[int, Usage]:
    """The tokens of the messages of the assistant; older versions have them only among what the screen showed."""
    lines = [line for line, message in enumerate(history) if mapping(message).get("role") == "assistant"]
    known = {line: usage for line in lines if (usage := usage_of(history[line])) is not None}
    if known or not lines:
        return known
    for number, usage in enumerate(_shown_usages(screen)):
        line = lines[min(number, len(lines) - 1)]
        total = known.setdefault(line, Usage())
        total.input += usage.input
        total.output += usage.output
        total.cache_read += usage.cache_read
        total.cache_write += usage.cache_write
    return known


def _shown_usages(screen: list[Any]) -> Iterator[Usage]:
    for shown in map(mapping, screen):
        if shown.get("say") == "api_req_started":
            request = object_from(shown.get("text"))
            if "tokensIn" in request or "tokensOut" in request:
                names = ("tokensIn", "tokensOut", "cacheReads", "cacheWrites")
                yield Usage(*(count(request.get(name)) for name in names))


def _only_model(metadata: dict[str, Any]) -> str | None:
    """The model of a task in which it never changed."""
    models = {string(mapping(use).get("model_id")) for use in items(metadata.get("model_usage"))} - {None}
    return models.pop() if len(models) == 1 else string(mapping(metadata.get("modelInfo")).get("id"))


def _version(metadata: dict[str, Any]) -> str | None:
    environments = [mapping(one) for one in items(metadata.get("environment_history"))]
    return string(environments[-1].get("cline_version")) if environments else None
