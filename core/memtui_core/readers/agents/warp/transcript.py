"""Reading a conversation of Warp: the messages of its tasks.

The task without a parent is the conversation with the user; each of the others is that of a subagent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from memtui_core.readers.agents.warp.database import rows_of
from memtui_core.readers.agents.warp.messages import records, time_of
from memtui_core.readers.agents.warp.protobuf import decoded
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import prompt, title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.formats.sqlite import opened
from memtui_core.readers.records import BadLine, Message, Record, TitleRank


class WarpReading(DocumentReading):
    """One pass over a conversation; an entry is {"task", "message"}, or an input of the user."""

    def load(self) -> Sequence[Any]:
        """The messages of all tasks in order of time; the inputs of the user if there are no tasks."""
        with opened(self.transcript.path) as connection:
            self._rows = rows_of(connection, self.transcript.part)
        self.facts.session_id = self.transcript.part
        self._title = ""
        self._asked: list[tuple[datetime, str]] = []
        """The times of the inputs of the user, and the models that were chosen."""
        self._models: dict[str, str] = {}
        """The last model of each task."""
        entries: list[Any] = []
        bad: list[str] = []
        for raw in self._rows.tasks:
            try:
                entries += self._messages_of(decoded(raw, "Task"), bad)
            except ValueError as error:
                bad.append(f"a task that cannot be decoded: {error}")
        entries = [entry for _, entry in sorted(_timed(entries), key=lambda pair: pair[0])]
        if not entries:
            entries = [query for query in self._rows.queries if query["texts"]]
        for query in self._rows.queries:
            self.facts.enter(query["folder"])
            if (at := timestamp(query["at"])) is not None and (model := string(query["model"])):
                self._asked.append((at, model))
        return [*entries, *(BadLine(len(entries) + number, reason) for number, reason in enumerate(bad))]

    def head(self) -> Iterable[Record]:
        """The title: what the agent calls the task."""
        return title_records(self._title, TitleRank.AI)

    def identity(self, branch: str = "") -> Identity:
        """The conversation, which an agent can have started; or a subagent in it."""
        if branch:
            return Identity(branch, self.facts.session_id)
        return Identity(self.facts.session_id, string(self._rows.about.get("parent_conversation_id")))

    def follow(self, entry: Any) -> None:
        """Update the model."""
        used = mapping(mapping(entry.get("message")).get("model_used"))
        if model := string(used.get("model_id")):
            self._models[str(entry["task"])] = model

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        if "texts" in entry:
            yield prompt(line, line, "\n\n".join(entry["texts"]), timestamp(entry["at"]))
            return
        task = str(entry["task"])
        started_by_agent = bool(task) or self.identity().parent_id is not None
        for record in records(
            entry["message"], line, self._models.get(task) or self._model_at(entry), started_by_agent
        ):
            if isinstance(record, Message) and task:
                record.sidechain, record.branch = True, task
            yield record

    def _messages_of(self, task: Entry, bad: list[str]) -> Iterator[Entry]:
        """The messages of a task with its id, which is empty for the conversation with the user."""
        is_root = not string(mapping(task.get("dependencies")).get("parent_task_id"))
        found = items(task.get("messages"))
        if is_root and found:
            self._title = self._title or string(task.get("description")) or ""
        for raw in found:
            try:
                message = decoded(raw, "Message")
            except ValueError as error:
                bad.append(f"a message that cannot be decoded: {error}")
                continue
            for content in map(mapping, message.values()):
                self.facts.enter(mapping(mapping(content.get("context")).get("directory")).get("pwd"))
            yield {"task": "" if is_root else string(task.get("id")) or "task", "message": message}

    def _model_at(self, entry: Entry) -> str | None:
        """The model of the last input before a message, or of the first one: its time is that of another clock."""
        at = time_of(entry["message"])
        if at is None or not self._asked:
            return None
        after = bisect_right(self._asked, at, key=itemgetter(0))
        return self._asked[max(0, after - 1)][1]


def _timed(entries: Iterable[Entry]) -> Iterator[tuple[float, Entry]]:
    """The messages with their times; one without a time has that of the message before it."""
    last: dict[str, float] = {}
    for entry in entries:
        at, task = time_of(entry["message"]), entry["task"]
        last[task] = max(at.timestamp(), last.get(task, 0)) if at is not None else last.get(task, 0)
        yield last[task], entry
