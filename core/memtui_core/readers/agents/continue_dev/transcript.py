"""Reading a session of Continue: a document with the history, which is rewritten with every change.

The format is that of the repository continuedev/continue:

- `core/index.d.ts` (Session, ChatHistoryItem, ToolCallState), `core/util/history.ts` (at ff204efa, and later with
  `mode`, `chatModelTitle` and `usage`), `core/util/messageConversion.ts` (at 23f23591)
- for the extensions, `gui/src/redux/thunks/session.ts` (at 7fdc03e4) and `callToolById.ts` (at 07166fbd)
- for `cn`, in `extensions/cli/src`: `session.ts` (at 09deed45), `services/ChatHistoryService.ts` (at d2d046b9),
  `stream/handleToolCalls.ts` (at f6b44d70), `stream/streamChatResponse.ts` (at c9c56961)

Items of the history have no times. The first one has that at which the list of sessions got the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.continue_dev import messages
from memtui_core.readers.agents.continue_dev.usage import rest_of
from memtui_core.readers.conversion.file_uris import path_in
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.beside import list_beside
from memtui_core.readers.formats.document import DocumentReading, object_in
from memtui_core.readers.records import BadLine, Record, TitleRank

_LIST: Final = "sessions.json"
_NO_TITLES: Final = frozenset({"New Session", "Untitled Session", "Failed to load session"})


class ContinueReading(DocumentReading):
    """One pass over a session of Continue."""

    def load(self) -> Sequence[Any]:
        """The items of the history, each as {"item", "model", "at", "rest"}.

        The summary after an item is an entry of its own, {"summary"}, because it opens a turn.
        """
        path = self.transcript.path
        document = self._session = object_in(path)
        self._summarized = self._after_summary = False
        """Whether the item, and the one before it, is the summary of a compaction."""
        self.facts.session_id = string(document.get("sessionId")) or path.stem
        self.facts.enter(path_in(string(document.get("workspaceDirectory")) or ""))
        history = items(document.get("history"))
        self._answered = messages.answered_calls(history)
        entries: list[Any] = []
        known: list[dict[str, Any]] = []
        for item in history:
            if not isinstance(item, dict):
                entries.append(BadLine(len(entries), "not a JSON object"))
                continue
            # The model that is chosen now, if the item has none of its own.
            known.append({"item": item, "model": messages.model_of(item) or string(document.get("chatModelTitle"))})
            entries.append(known[-1])
            if (summary := messages.summary_after(item)) is not None:
                entries.append({"summary": summary})
        if known:
            known[0]["at"] = _created(path, self.facts.session_id)
        answers = [entry for entry in known if messages.role_of(entry["item"]) == "assistant"]
        if answers and (rest := rest_of(document.get("usage"), [entry["item"] for entry in answers])):
            answers[-1]["rest"] = rest
        return entries

    def head(self) -> Iterable[Record]:
        """The title, unless Continue has not chosen one yet."""
        title = string(self._session.get("title")) or ""
        return title_records(title, TitleRank.AI) if self.entries and title.strip() not in _NO_TITLES else ()

    def follow(self, entry: Any) -> None:
        """Remember whether the item before was a summary."""
        self._after_summary = self._summarized
        self._summarized = messages.is_summary(mapping(entry.get("item")))

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of an item."""
        context = messages.ItemContext(
            key=f"{self.facts.session_id}/{line}",
            at=entry.get("at"),
            model=entry.get("model"),
            rest=entry.get("rest"),
            after_summary=self._after_summary,
            answered=self._answered,
        )
        if "summary" in entry:
            return messages.summary_records(entry["summary"], line, context)
        return messages.records_of(entry["item"], line, context)


def _created(path: Path, session_id: str) -> datetime | None:
    """The time at which a session was added to the list of sessions, in milliseconds as a text."""
    listed = map(mapping, list_beside(path.parent / _LIST))
    about = next((one for one in listed if one.get("sessionId") == session_id), {})
    created = about.get("dateCreated")
    if isinstance(created, str) and created.isascii() and created.isdigit() and len(created) < 16:
        return epoch(int(created))
    return epoch(created)
