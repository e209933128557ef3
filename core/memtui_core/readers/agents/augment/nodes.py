"""The nodes of an exchange with Augment's service: numbered kinds of parts of a request and of a response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.conversion.content import placeholder
from memtui_core.readers.conversion.json_values import items, mapping, string

Object = dict[str, Any]

TEXT: Final = 0
TOOL_RESULT: Final = 1
IMAGE: Final = 2
HISTORY_SUMMARY: Final = 10
NOT_SAID: Final = frozenset({3, 4, 5, 6, 7, 8, 9})
"""Nodes of a request without a text of the conversation: ids of images and files, the state of the editor, edits of the
user, checkpoints, the assistant's character, files."""

RESPONSE: Final = 0
FINISHED: Final = 2
"""Repeats the text of the response."""
TOOL_USE: Final = 5
THINKING: Final = 8
TOKENS: Final = 10
NOT_ANSWERED: Final = frozenset({1, 3, 4, 6, 7, 9})
"""Nodes of a response that are no answer: suggested questions, pieces of files, memories, the begin of a call that
follows, costs."""

_TOOL_IMAGE: Final = 2
_FORMATS: Final = {1: "image/png", 2: "image/jpeg", 3: "image/gif", 4: "image/webp"}


def nodes_of(value: Any) -> list[Object]:
    """The nodes of a request or a response."""
    return [node for node in items(value) if isinstance(node, dict)]


def text_of(node: Object) -> str:
    """The text of a node: of a request in an object of its own, of a response beside the type."""
    return string(mapping(node.get("text_node")).get("content")) or string(node.get("content")) or ""


def image_of(image: Any) -> tuple[str, Any]:
    """The type of an image, and its data."""
    fields = mapping(image)
    kind = fields.get("format")
    return _FORMATS.get(kind, "image") if isinstance(kind, int) else "image", fields.get("image_data")


def result_text(result: Object) -> str:
    """The text of a tool result; one with an image has parts."""
    if content := string(result.get("content")):
        return content
    return "\n".join(text for part in map(mapping, items(result.get("content_nodes"))) if (text := _part_text(part)))


def _part_text(part: Object) -> str:
    if part.get("type") == _TOOL_IMAGE:
        return placeholder(*image_of(part.get("image_content")))
    return string(part.get("text_content")) or ""


def folders_in(exchange: Object) -> Iterator[str]:
    """The folders in which Auggie worked: of the workspace, and the current one of its terminal."""
    for node in nodes_of(exchange.get("request_nodes")):
        state = mapping(node.get("ide_state_node"))
        for folder in map(mapping, items(state.get("workspace_folders"))):
            yield string(folder.get("folder_root")) or string(folder.get("repository_root")) or ""
        yield string(mapping(state.get("current_terminal")).get("current_working_directory")) or ""
