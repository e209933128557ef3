"""Reading a session of Goose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.readers.agents.goose import messages
from memtui_core.readers.agents.goose.stores import load_lines, load_rows
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import count, mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.records import Record, TitleRank


class GooseReading(DocumentReading):
    """One pass over a session.

    A compaction hides the messages before it from the agent, and adds a summary that only the agent sees.
    """

    def load(self) -> Sequence[Any]:
        """The messages of the session; the last answer has the tokens of the session."""
        transcript = self.transcript
        stored = load_rows(transcript.path, transcript.part) if transcript.part else load_lines(transcript)
        self._about = stored.about
        self._was_replaced = False
        """Whether the message before is seen by the user, and not by the agent."""
        self._after_compaction = False
        self.facts.session_id = transcript.part or transcript.path.stem
        self.facts.enter(self._about.get("working_dir"))
        answers = [entry for entry in stored.messages if isinstance(entry, dict) and entry.get("role") == "assistant"]
        total = {name: self._total(f"{name}_tokens") for name in ("input", "output")}
        if answers and any(total.values()):
            for answer in answers:
                answer["tokens"] = {}
            answers[-1]["tokens"] = total
        return stored.messages

    def identity(self, branch: str = "") -> Identity:
        """The session."""
        return Identity(self.facts.session_id, self._parent)

    def head(self) -> Iterable[Record]:
        """The title: a name that the user chose, or the description of the agent."""
        name, description = (string(self._about.get(key)) or "" for key in ("name", "description"))
        chosen = bool(self._about.get("user_set_name"))
        title = name if chosen else description or name
        rank = TitleRank.CUSTOM if chosen else TitleRank.AI
        return title_records(title, rank) if self.entries and title != self.facts.session_id else ()

    def follow(self, entry: Any) -> None:
        """Keep whether a summary of the messages before can follow."""
        metadata = mapping(entry.get("metadata"))
        self._after_compaction = self._was_replaced
        self._was_replaced = metadata.get("agentVisible") is False and metadata.get("userVisible") is not False

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        model = _model(self._about.get("model_config_json"))
        return messages.records(
            entry, line, model, after_compaction=self._after_compaction, is_subagent=self._parent is not None
        )

    @property
    def _parent(self) -> str | None:
        return string(self._about.get("parent_session_id"))

    def _total(self, name: str) -> int:
        return count(self._about.get(f"accumulated_{name}")) or count(self._about.get(name))


def _model(config: Any) -> str | None:
    from memtui_core.readers.formats.jsonl import decode

    objects, _ = decode(config.encode("utf-8", "replace")) if isinstance(config, str) else ([], None)
    return string(objects[0].get("model_name")) if objects else None
