"""Tool calls in the text of the assistant, as versions without a tool interface wrote them.

`<write_to_file><path>a.py</path><content>...</content></write_to_file>` is a call; an incomplete one ends the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_TOOLS: Final = (
    "access_mcp_resource",
    "apply_diff",
    "apply_patch",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "plan_mode_response",
    "read_file",
    "replace_in_file",
    "report_bug",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "summarize_task",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "web_fetch",
    "web_search",
    "write_to_file",
)
_CALL: Final = re.compile(rf"<(thinking|{'|'.join(_TOOLS)})>")
_ARGUMENT: Final = re.compile(r"<([a-z_]{1,40})>")
_MOST_ARGUMENTS: Final = 20
_LAST_TAG_ENDS: Final = frozenset({"content", "diff", "result", "response"})
"""Arguments that can contain tags: they end at their last closing tag."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a text: a call with its arguments, thinking, or a text."""

    kind: str
    """call, thinking or text."""
    text: str = ""
    name: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


def pieces(text: str) -> Iterator[TextPiece]:
    """The pieces of a text, in order."""
    position = 0
    while (match := _CALL.search(text, position)) is not None:
        yield from _text(text[position : match.start()])
        name, closing = match[1], f"</{match[1]}>"
        end = text.find(closing, match.end())
        body = text[match.end() : end if end >= 0 else len(text)]
        if name == "thinking":
            yield TextPiece("thinking", body.strip())
        else:
            yield TextPiece("call", "", name, tuple(_arguments(body)))
        if end < 0:
            return
        position = end + len(closing)
    yield from _text(text[position:])


def _text(text: str) -> Iterator[TextPiece]:
    if text.strip():
        yield TextPiece("text", text.strip())


def _arguments(body: str) -> Iterator[tuple[str, str]]:
    position = 0
    for _ in range(_MOST_ARGUMENTS):
        match = _ARGUMENT.search(body, position)
        if match is None:
            return
        closing = f"</{match[1]}>"
        find = body.rfind if match[1] in _LAST_TAG_ENDS else body.find
        end = find(closing, match.end())
        value = body[match.end() : end if end >= 0 else len(body)]
        yield match[1], value.strip("\r\n")
        if end < 0:
            return
        position = end + len(closing)
