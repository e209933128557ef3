"""Convert a rollout of Codex to records, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.codex.rollout import items as calls
from memtui_core.readers.agents.codex.rollout.entries import EVENT, ITEM, RolloutEntry, rollout_entry
from memtui_core.readers.agents.codex.rollout.events import WITHOUT_TEXT, agent_call_of, event_texts, finished_item
from memtui_core.readers.agents.codex.rollout.state import RolloutState
from memtui_core.readers.agents.codex.titles.review_titles import review_title
from memtui_core.readers.agents.codex.user_text import UserText, classified, is_encrypted, request_of, summary_of
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import count, string
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
)
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import (
    ENCRYPTED_SUMMARY,
    NO_SUMMARY,
    BoundaryRecord,
    Message,
    Record,
    TitleRank,
    TitleRecord,
)
from memtui_core.text.redaction import redact

_SILENT: Final = frozenset({"turn_context", "world_state", "inter_agent_communication_metadata", "state"})
"""Types of entries that contain nothing to read."""
_DONE: Final = "Message Type: FINAL_ANSWER"
_Shown = Callable[[int, int], Iterator[Record]]


class RolloutReading(GrowingReading):
    """One pass over a rollout.

    What an entry means depends on the entries before it: an event often repeats an item. `follow` therefore decides
    what of an entry is shown, also of those before the cursor, and `records` returns it.
    """

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._state = RolloutState(self.path, self.facts)
        self._shown: list[_Shown] = []
        self._at: datetime | None = None
        self._prompts = 0

    def identity(self, branch: str = "") -> Identity:
        """The thread, and for a subagent the one that started it."""
        return self._state.identity()

    def has_state(self, raw: bytes) -> bool:
        """True: every entry may be repeated by a later one."""
        return True

    def follow(self, entry: Entry) -> None:
        """Decide what of an entry is shown."""
        item, state = rollout_entry(entry), self._state
        self._at, self._shown = item.at, []
        if item.kind == "session_meta":
            self._begin(item)
        elif state.is_copy(item):
            return
        elif item.kind == ITEM:
            self._item(item, entry)
        elif item.kind == EVENT:
            self._event(item, entry)
        elif item.kind == "compacted":
            self._compaction(item)
        elif item.kind == "inter_agent_communication":
            self._agent_message(item.payload)
        elif item.kind in {"fork_reference", "rollout_reference"}:
            state.refer(item.payload)
        elif item.kind not in _SILENT and state.is_of_agent:
            self._shown.append(lambda line, offset: iter([unknown_entry(entry, line)]))
        state.follow(item)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """What of an entry is shown."""
        for number, show in enumerate(self._shown):
            for record in show(line, offset):
                if isinstance(record, Message) and record.blocks:
                    record.uuid = self._state.entry_id(line, number)
                yield record

    def _begin(self, item: RolloutEntry) -> None:
        label = self._state.begin(item.payload)
        if label:
            self._shown.append(lambda line, offset: iter([TitleRecord(line, TitleRank.LAST_PROMPT, redact(label))]))

    def _item(self, item: RolloutEntry, entry: Entry) -> None:
        kind, payload = item.type, item.payload
        if kind == "message":
            if payload.get("role") == "assistant":
                self._answer(ITEM, calls.message_text(payload))
            elif payload.get("role") == "user":
                self._user(classified(payload))
        elif kind == "reasoning":
            self._thinking(ITEM, calls.reasoning_sections(payload))
        elif kind in calls.CALLS:
            self._say(lambda message: calls.add_call_item(message, kind, payload))
        elif kind in calls.OUTPUTS:
            self._result(payload)
        elif kind == "agent_message":
            self._agent_message(payload)
        elif kind in {"compaction", "context_compaction", "compaction_summary"}:
            self._boundary(ITEM)
        elif kind not in calls.WITHOUT_TEXT and self._state.is_of_agent:
            self._shown.append(lambda line, offset: iter([unknown_entry(entry, line, f"{ITEM}/{kind}")]))

    def _event(self, item: RolloutEntry, entry: Entry) -> None:
        kind, payload = item.type, item.payload
        stream = EVENT
        if kind == "item_completed":
            stream = kind
            kind, payload = finished_item(payload)
        texts = event_texts(kind, payload)
        if kind == "user_message":
            self._prompt(stream, request_of("\n".join(texts))[0])
        elif kind == "agent_message":
            self._answer(stream, "\n".join(texts))
        elif kind in {"agent_reasoning", "agent_reasoning_raw_content"}:
            self._thinking(stream, texts)
        elif kind == "plan":
            for text in texts:
                if self._state.repeats.is_new_plan(text):
                    self._answer(stream, text)
        elif kind in {"task_complete", "turn_complete"}:
            for text in texts:
                if self._state.repeats.is_unknown(text):
                    self._answer(kind, text)
        elif kind == "context_compacted":
            self._boundary(stream)
        elif kind == "turn_aborted":
            self._interrupt(stream, string(payload.get("reason")) or "interrupted")
        elif kind == "thread_rolled_back":
            turns = count(payload.get("num_turns"))
            self._note(f"The user took back {turns} turn{'s' * (turns != 1)}", "meta")
        elif kind == "thread_name_updated":
            self._title(string(payload.get("thread_name")) or string(payload.get("name")))
        elif kind in {"error", "stream_error"}:
            self._note(string(payload.get("message")) or "", "error", is_error=True)
        elif kind == "token_count":
            self._tokens(payload)
        elif (call := agent_call_of(kind, payload)) is not None:
            self._shown.append(lambda line, offset: iter([_with_call(results(line, offset, item.at), call)]))
        elif kind not in WITHOUT_TEXT and self._state.is_of_agent:
            self._shown.append(lambda line, offset: iter([unknown_entry(entry, line, f"{EVENT}/{kind}")]))

    def _user(self, text: UserText) -> None:
        for label, content in text.notes:
            if label == "interrupt":
                self._interrupt(ITEM, content)
            else:
                self._note(content, label)
        if text.summary:
            self._boundary(ITEM)
            self._summary(text.summary)
        if text.typed or text.images:
            self._prompt(ITEM, text.typed, text.images)

    def _prompt(self, stream: str, text: str, images: list[tuple[str, Any]] | None = None) -> None:
        if not (text.strip() or images) or not self._state.repeats.is_new(stream, "user", text):
            return
        self._prompts += 1
        kind, at = self._state.prompt_kind, self._at
        self._state.is_answering = False

        def show(line: int, offset: int) -> Iterator[Record]:
            message = prompt(line, offset, text, at, kind=kind)
            for media_type, data in images or ():
                add_attachment(message, media_type, data)
            yield message

        self._shown.append(show)

    def _answer(self, stream: str, text: str) -> None:
        self._state.is_answering = True
        if text.strip() and self._state.repeats.is_new(stream, "assistant", text):
            shown = self._state.repeats.without_known_plans(text)
            if shown.strip():
                self._say(lambda message: add_text(message, shown))
            if self._prompts == 1:
                self._title(review_title(text), TitleRank.SUMMARY)

    def _thinking(self, stream: str, sections: list[str]) -> None:
        self._state.is_answering = True
        new = [text for text in sections if self._state.repeats.is_new(stream, "thinking", text)]

        def add(message: Message) -> None:
            for text in new:
                add_thinking(message, text)

        if new:
            self._say(add)

    def _say(self, add: Callable[[Message], None]) -> None:
        self._state.is_answering = True
        model, at = self._state.model, self._at

        def show(line: int, offset: int) -> Iterator[Record]:
            message = answer(line, offset, at, model=model)
            add(message)
            yield message

        self._shown.append(show)

    def _result(self, payload: dict[str, Any]) -> None:
        failed, patch = self._state.applied(string(payload.get("call_id")))
        at = self._at

        def show(line: int, offset: int) -> Iterator[Record]:
            message = results(line, offset, at)
            calls.add_output_item(message, payload, failed=failed, patch=patch)
            yield message

        self._shown.append(show)

    def _agent_message(self, payload: dict[str, Any]) -> None:
        """A message between agents: for a subagent its task, otherwise a notification."""
        text = calls.message_text(payload)
        if self._state.origin.is_subagent and _DONE not in text[:200]:
            self._prompt(ITEM, text)
        else:
            self._note(text, "notification")

    def _interrupt(self, stream: str, text: str) -> None:
        if self._state.repeats.is_new(stream, "interrupt", ""):
            self._note(text, "interrupt")

    def _compaction(self, item: RolloutEntry) -> None:
        self._boundary(item.kind)
        if summary := summary_of(item.payload):
            self._summary(summary)
        else:
            self._note(ENCRYPTED_SUMMARY if is_encrypted(item.payload) else NO_SUMMARY, "notification")

    def _boundary(self, stream: str) -> None:
        if self._state.repeats.is_new(stream, "boundary", ""):
            at, tokens = self._at, self._state.context_tokens
            self._state.is_answering = False
            self._shown.append(lambda line, offset: iter([BoundaryRecord(line, at, None, tokens)]))

    def _summary(self, text: str) -> None:
        at = self._at
        self._shown.append(lambda line, offset: iter([prompt(line, offset, text, at, kind="compaction")]))

    def _note(self, text: str, label: str, *, is_error: bool = False) -> None:
        at = self._at
        if text.strip():
            self._shown.append(lambda line, offset: iter([note(line, offset, text, label, at, is_error=is_error)]))

    def _title(self, name: str | None, rank: TitleRank = TitleRank.AI) -> None:
        if name is not None and name.strip():
            text = redact(name.strip())
            self._shown.append(lambda line, offset: iter([TitleRecord(line, rank, text)]))

    def _tokens(self, payload: dict[str, Any]) -> None:
        usage = self._state.usage_of(payload)
        if usage is not None:
            at, model = self._at, self._state.model
            self._shown.append(lambda line, offset: iter([answer(line, offset, at, model=model, usage=usage)]))


def _with_call(message: Message, call: Any) -> Message:
    message.agent_calls.append(call)
    return message
