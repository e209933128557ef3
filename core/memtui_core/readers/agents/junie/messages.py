"""Convert the entries of a session of Junie: prompts, texts, tokens and notes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from memtui_core.readers.agents.junie.calls import CALLS, call_message
from memtui_core.readers.agents.junie.steps import PROMPT
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message, Record

_WITHOUT_TEXT: Final = frozenset(
    {
        *("AgentTaskFailedEvent", "AgentTaskNameUpdatedEvent", "CurrentDirectoryUpdatedEvent", "SendToAgentEvent"),
        *("SessionTitleSetEvent", "SkillsStatusEvent", "TaskContinueStopped", "TaskStartedEvent", "TaskState"),
    }
)
_TOKENS: Final = ("inputTokens", "outputTokens", "cacheInputTokens", "cacheCreateTokens")
_TEXTS: Final = {"MarkdownBlockUpdatedEvent": "text", "ResultBlockUpdatedEvent": "result"}
_MARK: Final = "<!-- ANSWER -->"
"""Before some results."""


def records(entry: Entry, line: int) -> Iterator[Record]:
    """The records of an entry, see `Steps`."""
    kind, event, at = str(entry["kind"]), mapping(entry["event"]), epoch(entry["at"])
    message: Message | None = None
    if kind == PROMPT:
        message = _prompt(entry, event, line, at)
    elif kind == "UserResponseEvent":
        message = messages.prompt(line, line, string(event.get("prompt")) or "", at)
    elif kind == "UserAsyncResponseEvent":
        message = messages.prompt(line, line, "\n\n".join(_answers(event)), at)
    elif kind in _TEXTS:
        message = messages.answer(line, line, at)
        messages.add_text(message, (string(event.get(_TEXTS[kind])) or "").removeprefix(_MARK).lstrip("\n"))
    elif kind == "AgentThoughtBlockUpdatedEvent":
        message = messages.answer(line, line, at)
        messages.add_thinking(message, string(event.get("text")) or "")
    elif kind in CALLS:
        message = call_message(kind, event, line, at, epoch(entry["ended"]))
    elif kind == "LlmResponseMetadataEvent":
        yield from _usages(event, line, at)
    elif kind == "AgentFailureEvent":
        message = messages.note(line, line, string(event.get("message")) or "", "error", at, is_error=True)
    elif kind == "SystemMessageEvent":
        texts = dict.fromkeys(text for key in ("text", "details") if (text := string(event.get(key))))
        failed = event.get("level") == "ERROR"
        message = messages.note(line, line, "\n\n".join(texts), "error" if failed else "meta", at, is_error=failed)
    elif kind not in _WITHOUT_TEXT:
        yield unknown_entry(event, line, kind)
    if message is not None and message.blocks:
        yield message


def _prompt(entry: Entry, event: Entry, line: int, at: datetime | None) -> Message:
    """A prompt with what was sent beside it; a note if the agent did not get it."""
    sent = string(event.get("prompt")) or ""
    typed = string(event.get("presentablePrompt")) or sent
    failed = event.get("delivery") == "Failed"
    if entry.get("is_sent", not failed) is False:
        return messages.note(line, line, typed, "interrupt", at)
    message = messages.prompt(line, line, typed, at)
    if sent != typed:
        messages.add_note(message, sent.removeprefix(typed).strip(), "reminder")
    return message


def _answers(event: Entry) -> Iterator[str]:
    """The questions of the agent with the answers of the user."""
    for one in map(mapping, items(event.get("entries"))):
        if text := "\n".join(text for key in ("question", "answer") if (text := string(one.get(key)))):
            yield text


def _usages(event: Entry, line: int, at: datetime | None) -> Iterator[Message]:
    """The tokens of each model; the input does not include what came from the cache."""
    for one in map(mapping, items(event.get("modelUsage"))):
        if (tokens := messages.tokens_in(one, _TOKENS)) is not None:
            yield messages.answer(line, line, at, model=string(one.get("model")), usage=tokens)
