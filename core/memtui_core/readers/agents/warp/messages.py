"""Convert the messages of Warp: prompts, answers, tool calls, results, and what the terminal added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.warp.calls import add_call
from memtui_core.readers.agents.warp.results import add_result, shell_text
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import BoundaryRecord, Message, PrRecord, Record

_ABOUT: Final = frozenset({"id", "task_id", "request_id", "timestamp"})
_WITHOUT_TEXT: Final = frozenset({"model_used"})
_PULL_REQUEST: Final = re.compile(r"https://[^/\s]+/([^/\s]+/[^/\s]+)/pull/(\d{1,9})\b")


def records(said: Entry, line: int, model: str | None, by_agent: bool) -> Iterator[Record]:
    """The records of a message; `by_agent` is whether an agent wrote the prompts."""
    kind = next((name for name in reversed(said) if name not in _ABOUT), "")
    content, at = mapping(said.get(kind)), time_of(said)
    if kind == "artifact_event":
        yield from _artifact(content, line, at)
    elif kind in _CONVERT:
        uuid = string(said.get("id"))
        message = _CONVERT[kind](content, _Place(line, at, uuid, model, by_agent))
        if kind == "summarization" and message is not None:
            yield BoundaryRecord(line, at, None, None)
        if message is not None and message.blocks:
            yield message
    elif kind and kind not in _WITHOUT_TEXT:
        yield unknown_entry(said, line, f"message {kind}")


def time_of(said: Entry) -> datetime | None:
    """The time of a message."""
    parts = mapping(said.get("timestamp"))
    seconds = parts.get("seconds")
    if not isinstance(seconds, int) or not seconds:
        return None
    return epoch(seconds * 1000 + (parts.get("nanos") or 0) // 1_000_000)


class _Place:
    """Where a message is, and what it has in common with all others."""

    def __init__(self, line: int, at: datetime | None, uuid: str | None, model: str | None, by_agent: bool) -> None:
        self.line, self.at, self.uuid, self.model, self.by_agent = line, at, uuid, model, by_agent

    def answer(self) -> Message:
        return messages.answer(self.line, self.line, self.at, uuid=self.uuid, model=self.model)

    def prompt(self, text: str) -> Message:
        kind: Any = "agent" if self.by_agent else "human"
        return messages.prompt(self.line, self.line, text, self.at, kind=kind, uuid=self.uuid)

    def note(self, text: str, label: str) -> Message:
        return messages.note(self.line, self.line, text, label, self.at, uuid=self.uuid)


def _user_query(content: Entry, place: _Place) -> Message:
    message = place.prompt(string(content.get("query")) or "")
    context = mapping(content.get("context"))
    for selected in map(mapping, items(context.get("selected_text"))):
        messages.add_note(message, string(selected.get("text")) or "", "reminder")
    for command in map(mapping, items(context.get("commands"))):
        messages.add_note(message, shell_text(command), "shell")
    for attached in map(mapping, items(content.get("attachments"))):
        _add_attached(message, attached)
    for image in map(mapping, items(context.get("images"))):
        messages.add_attachment(message, string(image.get("mime_type")) or "image")
    return message


def _add_attached(message: Message, attached: Entry) -> None:
    messages.add_note(message, string(attached.get("plain_text")) or "", "reminder")
    command = mapping(attached.get("executed_shell_command"))
    running = mapping(attached.get("running_shell_command"))
    for one in (command, {**running, **mapping(running.get("snapshot"))}):
        messages.add_note(message, shell_text(one) if one else "", "shell")
    hunks = [attached.get("diff_hunk"), *items(mapping(attached.get("diff_set")).get("hunks"))]
    for hunk in map(mapping, hunks):
        text = "\n".join(text for key in ("file_path", "diff_content") if (text := string(hunk.get(key))))
        messages.add_note(message, text, "reminder")
    document, path = mapping(attached.get("document_content")), mapping(attached.get("file_path_reference"))
    messages.add_note(message, string(document.get("content")) or "", "reminder")
    messages.add_note(message, string(path.get("file_path")) or "", "reminder")
    messages.add_note(message, string(attached.get("drive_object")) or "", "reminder")


def _agent_output(content: Entry, place: _Place) -> Message:
    message = place.answer()
    messages.add_text(message, string(content.get("text")) or "")
    return message


def _reasoning(content: Entry, place: _Place) -> Message:
    message = place.answer()
    messages.add_thinking(message, string(content.get("reasoning")) or "")
    return message


def _tool_call(content: Entry, place: _Place) -> Message:
    message = place.answer()
    add_call(message, content)
    return message


def _tool_call_result(content: Entry, place: _Place) -> Message:
    message = messages.results(place.line, place.line, place.at, uuid=place.uuid)
    add_result(message, content)
    return message


def _system_query(content: Entry, place: _Place) -> Message | None:
    """What the terminal asked for: the user began a project or a summary, or the terminal found an error by itself."""
    for kind in ("create_new_project", "clone_repository", "summarize_conversation", "fetch_review_comments"):
        if kind in content:
            text = string(mapping(content[kind]).get("query")) or ""
            message = place.prompt(f"{kind} {text}".rstrip())
            message.kind = "command"
            return message
    return place.note(string(mapping(content.get("auto_code_diff")).get("query")) or "", "meta")


def _update_todos(content: Entry, place: _Place) -> Message:
    """A change of the list of things to do, as a call that needs no result."""
    return _call_of_server("update_todos", content, "", place)


def _summarization(content: Entry, place: _Place) -> Message | None:
    summary = string(mapping(content.get("conversation_summary")).get("summary"))
    if summary is None:
        return None
    return messages.prompt(place.line, place.line, summary, place.at, kind="compaction", uuid=place.uuid)


def _code_review(content: Entry, place: _Place) -> Message:
    """The comments that the user wrote on changes."""
    texts = []
    for comment in map(mapping, items(mapping(content.get("comments")).get("pending_comments"))):
        where = mapping(comment.get("commented_line")) or mapping(comment.get("commented_file"))
        path, text = string(where.get("file_path")), string(comment.get("comment")) or ""
        texts.append(f"{path}: {text}" if path else text)
    return place.prompt("\n\n".join(texts))


def _web_search(content: Entry, place: _Place) -> Message:
    status = mapping(content.get("status"))
    success = mapping(status.get("success"))
    query = string(success.get("query")) or string(mapping(status.get("searching")).get("query")) or ""
    return _call_of_server("web_search", {"query": query}, _pages(success), place, status)


def _web_fetch(content: Entry, place: _Place) -> Message:
    status = mapping(content.get("status"))
    pages = items(mapping(status.get("success")).get("pages"))
    urls = items(mapping(status.get("fetching")).get("urls")) or [mapping(page).get("url") for page in pages]
    return _call_of_server("web_fetch", {"urls": urls}, _pages(mapping(status.get("success"))), place, status)


def _pages(found: Entry) -> str:
    pages = map(mapping, items(found.get("pages")))
    return "\n".join(" ".join(filter(None, (string(page.get("url")), string(page.get("title"))))) for page in pages)


def _call_of_server(name: str, arguments: Any, text: str, place: _Place, status: Entry | None = None) -> Message:
    """A call that is in one message with its result; it has none while the search goes on."""
    message, tool_id = place.answer(), place.uuid or str(place.line)
    messages.add_call(message, name, arguments, tool_id)
    if status is None or "success" in status or "error" in status:
        messages.add_result(message, text, tool_id, is_error="error" in (status or {}))
    return message


def _debug_output(content: Entry, place: _Place) -> Message:
    return place.note(string(content.get("text")) or "", "meta")


def _invoke_skill(content: Entry, place: _Place) -> Message:
    about = mapping(mapping(content.get("skill")).get("descriptor"))
    name = string(about.get("name")) or string(about.get("bundled_skill_id")) or ""
    query = mapping(content.get("user_query"))
    message = _user_query({**query, "query": f"/{name} {string(query.get('query')) or ''}".rstrip()}, place)
    message.kind = "command"
    return message


def _from_agents(content: Entry, place: _Place) -> Message:
    texts = []
    for one in map(mapping, items(content.get("messages"))):
        texts.append("\n".join(text for key in ("subject", "message_body") if (text := string(one.get(key)))))
    return place.note("\n\n".join(texts), "notification")


def _artifact(content: Entry, line: int, at: datetime | None) -> Iterator[Record]:
    """A pull request that the agent made."""
    url = string(mapping(mapping(content.get("created")).get("pull_request")).get("url")) or ""
    match = _PULL_REQUEST.match(url)
    if match is not None and at is not None:
        yield PrRecord(line, int(match[2]), url, match[1], at)
    elif url:
        yield messages.note(line, line, url, "meta", at)


_CONVERT: Final[dict[str, Callable[[Entry, _Place], Message | None]]] = {
    "user_query": _user_query,
    "agent_output": _agent_output,
    "agent_reasoning": _reasoning,
    "tool_call": _tool_call,
    "tool_call_result": _tool_call_result,
    "system_query": _system_query,
    "update_todos": _update_todos,
    "summarization": _summarization,
    "code_review": _code_review,
    "web_search": _web_search,
    "web_fetch": _web_fetch,
    "debug_output": _debug_output,
    "invoke_skill": _invoke_skill,
    "messages_received_from_agents": _from_agents,
}
