"""Convert an exchange of Auggie: the request with the results of the calls before, and the response with its calls.

An exchange has the time of its end. Its response can have times of its own; the first of them stands for the request.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from datetime import datetime
from typing import Final

from memtui_core.readers.agents.augment import nodes
from memtui_core.readers.agents.augment.nodes import Object, nodes_of, text_of
from memtui_core.readers.conversion.anthropic_parts import TOKENS
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import epoch, from_json, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    prompt,
    results,
    tokens_in,
    with_notes,
)
from memtui_core.readers.records import BoundaryRecord, Message, Record

_WRAPPED: Final = re.compile(r"\s*<([A-Za-z][\w-]*)[^>]*>.*</\1>\s*", re.DOTALL)
"""A text inside a tag: instructions that Auggie adds."""
_PROCESSES: Final = frozenset({"launch-process", "read-process"})
"""Tools whose results begin with the exit code of a command."""
_RETURN_CODE: Final = re.compile(r"[^<]{0,400}<return-code>\s*(-?\d{1,9})\s*</return-code>")


def pieces_of(entry: Object, key: str, created: datetime | None) -> Iterator[Object]:
    """The pieces of an exchange: results of calls, summaries, and the request with its response.

    The last two open turns, and a turn begins with an entry. `created` is the time of the first request.
    """
    exchange = mapping(entry.get("exchange"))
    response = nodes_of(exchange.get("response_nodes"))
    times = [at for node in response if (at := _time_of(node)) is not None]
    ended = timestamp(entry.get("finishedAt"))
    asked = created or min(times, default=ended)
    about = {"key": key, "asked": asked, "ended": ended or max(times, default=asked)}
    request = nodes_of(exchange.get("request_nodes"))
    if returned := [node for node in request if _kind_of(node) == nodes.TOOL_RESULT]:
        yield {**about, "results": returned}
    for node in request:
        if _kind_of(node) == nodes.HISTORY_SUMMARY:
            yield {**about, "summary": mapping(node.get("history_summary_node"))}
    yield {**about, "exchange": exchange, "is_summary": entry.get("isHistorySummary") is True}


def commands_in(piece: Object) -> Iterator[str]:
    """The ids of the calls of a piece that run a command."""
    for node in nodes_of(mapping(piece.get("exchange")).get("response_nodes")):
        call = mapping(node.get("tool_use"))
        if string(call.get("tool_name")) in _PROCESSES and (tool_id := string(call.get("tool_use_id"))):
            yield tool_id


def records_of(piece: Object, line: int, commands: Container[str]) -> Iterator[Record]:
    """The records of a piece; `commands` are the ids of the calls before that run a command."""
    key, asked = piece["key"], piece["asked"]
    if "results" in piece:
        returned = results(line, line, asked, uuid=f"{key}/results")
        for node in piece["results"]:
            _add_result(returned, mapping(node.get("tool_result_node")), commands)
        yield returned
    elif "summary" in piece:
        yield from _summary(piece["summary"], line, key, asked)
    else:
        yield from _request(piece["exchange"], line, key, asked, is_summary=piece["is_summary"])
        yield from _response(piece["exchange"], line, key, piece["ended"])


def _time_of(node: Object) -> datetime | None:
    return epoch(node.get("timestamp_ms")) or epoch(mapping(node.get("tool_use")).get("started_at_ms"))


def _request(exchange: Object, line: int, key: str, at: datetime | None, *, is_summary: bool) -> Iterator[Record]:
    request = nodes_of(exchange.get("request_nodes"))
    yield from _prompt(exchange, request, line, key, at, is_summary=is_summary)
    for node in request:
        if _kind_of(node) not in {nodes.TEXT, nodes.TOOL_RESULT, nodes.IMAGE, nodes.HISTORY_SUMMARY, *nodes.NOT_SAID}:
            yield unknown_entry(node, line, f"request node {node.get('type')}")


def _prompt(
    exchange: Object, request: list[Object], line: int, key: str, at: datetime | None, *, is_summary: bool
) -> Iterator[Record]:
    """The prompt, with the texts that Auggie added; the message of the request repeats the text of a node."""
    texts = [text for node in request if _kind_of(node) == nodes.TEXT and (text := text_of(node)).strip()]
    whole = string(exchange.get("request_message")) or ""
    added = [text for text in texts if _WRAPPED.fullmatch(text) and text.strip() != whole.strip()]
    typed = [text for text in texts if text not in added]
    if whole.strip() and not any(text in whole or whole in text for text in texts):
        (added if typed or _WRAPPED.fullmatch(whole) else typed).append(whole)
    text = "\n\n".join(typed)
    if is_summary and text:
        yield BoundaryRecord(line, at, None, None)
    message = prompt(line, line, text, at, kind="compaction" if is_summary and text else "human", uuid=key)
    for node in request:
        if _kind_of(node) == nodes.IMAGE:
            add_attachment(message, *nodes.image_of(node.get("image_node")))
    yield from with_notes(message, [(text, "reminder") for text in added])


def _summary(summary: Object, line: int, key: str, at: datetime | None) -> Iterator[Record]:
    """A compaction: the summary, and the older exchanges in short; the newer ones are repeated as they are."""
    yield BoundaryRecord(line, at, None, None)
    parts = (string(summary.get("summary_text")), string(summary.get("history_middle_abridged_text")))
    if text := "\n\n".join(part for part in parts if part and part.strip()):
        yield prompt(line, line, text, at, kind="compaction", uuid=f"{key}/summary")


def _add_result(message: Message, result: Object, commands: Container[str]) -> None:
    text, tool_id = nodes.result_text(result), string(result.get("tool_use_id"))
    match = _RETURN_CODE.match(text) if tool_id in commands else None
    code = int(match[1]) if match else 0
    detail = {"exit": code} if match else None
    failed = result.get("is_error") is True or code != 0
    add_result(message, text, tool_id, is_error=failed, detail=detail)


def _response(exchange: Object, line: int, key: str, at: datetime | None) -> Iterator[Record]:
    response = nodes_of(exchange.get("response_nodes"))
    usage = None
    for node in response:
        usage = tokens_in(node.get("token_usage"), TOKENS) or usage
    message = answer(
        line, line, at, uuid=f"{key}/answer", message_id=key, model=string(exchange.get("model_id")), usage=usage
    )
    unknown = [node for node in response if not _add_node(message, node)]
    if not any(block.kind == "text" for block in message.blocks):
        finished = (text_of(node) for node in response if _kind_of(node) == nodes.FINISHED)
        add_text(message, next((text for text in finished if text), string(exchange.get("response_text")) or ""))
    if message.blocks or message.usage is not None:
        yield message
    for node in unknown:
        yield unknown_entry(node, line, f"response node {node.get('type')}")


def _add_node(message: Message, node: Object) -> bool:
    """Add a node of a response; whether it is of a known kind."""
    kind = _kind_of(node)
    if kind == nodes.RESPONSE:
        add_text(message, text_of(node))
    elif kind == nodes.THINKING:
        thought = mapping(node.get("thinking"))
        add_thinking(message, string(thought.get("content")) or string(thought.get("summary")) or "")
    elif kind == nodes.TOOL_USE:
        call = mapping(node.get("tool_use"))
        tool_id = string(call.get("tool_use_id"))
        started = epoch(call.get("started_at_ms"))
        add_call(message, string(call.get("tool_name")), from_json(call.get("input_json")), tool_id, at=started)
    return kind in {nodes.RESPONSE, nodes.FINISHED, nodes.TOOL_USE, nodes.THINKING, nodes.TOKENS, *nodes.NOT_ANSWERED}


def _kind_of(node: Object) -> int | None:
    kind = node.get("type")
    return kind if isinstance(kind, int) and not isinstance(kind, bool) else None
