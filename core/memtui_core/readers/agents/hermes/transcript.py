"""Reading a session of Hermes Agent.

Learned from the sources of NousResearch/hermes-agent at several commits: `hermes_state_common.py` (00704d08, schema
30), `hermes_state_messages.py` (01e8a2d0), `hermes_state_compression.py` (04c18865), `agent/context_compressor.py`
(0000416b) and `tools/file_operations_common.py` (02f275d4). The writer of documents and the result of `terminal` were
seen in copies of `run_agent.py` and `tools/terminal_tool.py` in other repositories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from memtui_core.readers.agents.hermes.file_names import is_document, session_of
from memtui_core.readers.agents.hermes.messages import MessageContext, records_of, tools_of
from memtui_core.readers.agents.hermes.stores import (
    StoredSession,
    config_of,
    load_document,
    load_lines,
    load_rows,
    moment,
)
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import count, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.records import Record, TitleRank, Usage

_TOKENS: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_RESETS: Final = frozenset({"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"})
"""Why a session ended that is followed by a conversation of its own."""


class HermesReading(DocumentReading):
    """One pass over a session. An entry is {"message", "usage"}."""

    def load(self) -> Sequence[Any]:
        """The messages of the session; the last answer has the tokens of the session. Raises SourceUnreadable."""
        transcript = self.transcript
        self._tools: dict[str, str] = {}
        if transcript.part:
            self._stored = load_rows(transcript.path, transcript.part)
        elif transcript.size == 0:
            # The session is read elsewhere.
            self._stored = StoredSession()
        elif is_document(transcript.path):
            self._stored = load_document(transcript.path)
        else:
            self._stored = load_lines(transcript)
        self.waiting = self._stored.waiting
        about, facts = self._stored.about, self.facts
        facts.session_id = transcript.part or string(about.get("session_id")) or session_of(transcript.path)
        facts.enter(string(about.get("cwd")) or config_of(about).get("cwd"))
        facts.branch = string(about.get("git_branch"))
        facts.forked_from = self._parent if self._continues else None
        return self._with_tokens()

    def identity(self, branch: str = "") -> Identity:
        """The session, and the one that started it if it is a subagent's."""
        return Identity(self.facts.session_id, self._parent if self._is_subagent else None)

    def head(self) -> Iterable[Record]:
        """The title."""
        about = self._stored.about
        rank = TitleRank.CUSTOM if about.get("title_source") == "user" else TitleRank.AI
        return title_records(about.get("title"), rank) if self.entries else ()

    def follow(self, entry: Any) -> None:
        """Note the tools of the calls."""
        self._tools.update(tools_of(entry["message"]))

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        usage = Usage(*entry["usage"]) if entry["usage"] else None
        model = string(self._stored.about.get("model"))
        return records_of(entry["message"], line, MessageContext(model, usage, self._is_subagent, self._tools))

    @property
    def _parent(self) -> str | None:
        return string(self._stored.about.get("parent_session_id"))

    @property
    def _continues(self) -> bool:
        """Whether the session continues another one after a compaction."""
        ended = self._stored.parent.get("end_reason") == "compression"
        return ended and not any(map(self._is_marked, ("_delegate_from", "_branched_from", "_reset_from")))

    @property
    def _is_subagent(self) -> bool:
        """Whether another session started this one: it is no continuation, no branch, and not after a reset."""
        if self._parent is None or self._is_marked("_delegate_from"):
            return self._parent is not None
        is_marked = self._is_marked("_branched_from") or self._is_marked("_reset_from")
        return not (is_marked or self._continues or self._is_branch or self._is_after_reset)

    @property
    def _is_branch(self) -> bool:
        """Whether the session began when its parent was left for it; old versions did not mark it."""
        began, ended = moment(self._stored.about.get("started_at")), moment(self._stored.parent.get("ended_at"))
        is_later = began is not None and ended is not None and began >= ended
        return is_later and self._stored.parent.get("end_reason") == "branched"

    @property
    def _is_after_reset(self) -> bool:
        """Whether the session goes on in the chat in which its parent was reset; old versions did not mark it."""
        chat = self._stored.about.get("session_key")
        is_same = bool(chat) and chat == self._stored.parent.get("session_key")
        return is_same and self._stored.parent.get("end_reason") in _RESETS

    def _is_marked(self, mark: str) -> bool:
        """Whether the session has a mark that names its parent; a continuation inherits those of its parent."""
        return self._parent is not None and config_of(self._stored.about).get(mark) == self._parent

    def _with_tokens(self) -> list[Any]:
        entries: list[Any] = [
            {"message": message, "usage": None} if isinstance(message, dict) else message
            for message in self._stored.messages
        ]
        tokens = [count(self._stored.about.get(name)) for name in _TOKENS]
        answers = [
            entry for entry in entries if isinstance(entry, dict) and entry["message"].get("role") == "assistant"
        ]
        if answers and any(tokens):
            answers[-1]["usage"] = tokens
        return entries
