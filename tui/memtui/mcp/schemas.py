"""The names, descriptions and arguments of the tools, as JSON Schema for agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui.mcp.arguments import DEFAULT_MAX_TOKENS, GREATEST_MAX_TOKENS, LEAST_MAX_TOKENS
from memtui_core.memory.model import MAX_ENTRIES, MAX_ENTRY, MAX_NARRATIVE, MAX_TITLE
from memtui_core.model import OBSERVATION_TYPES

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The declaration of one tool."""

    name: str
    word: str
    """The first word of its errors."""
    title: str
    description: str
    properties: Schema
    required: tuple[str, ...] = ()
    read_only: bool = True
    """Whether it changes nothing."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _number(description: str, default: int, most: int, least: int = 1) -> Schema:
    bounds = {"minimum": least, "maximum": most, "default": default}
    return {"type": "integer", "description": description, **bounds}


def _flag(description: str, default: bool = False) -> Schema:
    return {"type": "boolean", "description": description, "default": default}


def _texts(description: str) -> Schema:
    entry = {"type": "string", "maxLength": MAX_ENTRY}
    return {"type": "array", "items": entry, "maxItems": MAX_ENTRIES, "description": description}


_MAX_TOKENS = {
    "max_tokens": _number("Maximum tokens of the answer, four characters each; it says what is left out.",
                          DEFAULT_MAX_TOKENS, GREATEST_MAX_TOKENS, LEAST_MAX_TOKENS),
}  # fmt: skip
_PROJECT = {
    "project": _text(
        'The project to search, by name or folder; "all" for every project. Default: the project of the working folder.'
    )
}
_OWN = {
    "include_my_session": _flag("Include your own current session."),
    "my_session": _text("Id of your own session, if memtui cannot read it from its environment."),
}
_REFERENCE = "`SESSION:TURN` or `SESSION:FIRST-LAST`, as other tools cite them; the beginning of an id is enough"

TOOLS = (
    ToolSpec(
        "mem-search",
        "Search",
        "Search the memory",
        "Use this before you work on something that may have been decided, tried or fixed in an earlier session: it"
        " finds saved observations, otherwise session summaries, otherwise turns of transcripts.",
        {
            "query": _text(
                'Words, an "exact phrase", a file path or a question; -word excludes, and filters such as'
                " after:7d, file:src/a.py or session:ID narrow."
            ),
            "type": _text("Only observations of this type.", enum=list(OBSERVATION_TYPES)),
            "limit": _number("Maximum hits.", 10, 50),
            **_PROJECT,
            **_OWN,
            **_MAX_TOKENS,
        },
        ("query",),
    ),
    ToolSpec(
        "mem-save",
        "Save",
        "Save an observation",
        "Use this when something was decided, found out or fixed that a later session should know. mem-search finds it"
        " at once.",
        {
            "title": _text("The observation in one line.", minLength=1, maxLength=MAX_TITLE),
            "type": _text("The type of observation.", enum=list(OBSERVATION_TYPES)),
            "narrative": _text("What happened and why, in full sentences.", minLength=1, maxLength=MAX_NARRATIVE),
            "concepts": _texts("Keywords under which it should be found."),
            "files": _texts("The files it is about."),
            "session_id": _text("Id of your own session, if memtui cannot read it from its environment."),
            **_MAX_TOKENS,
        },
        ("title", "type", "narrative"),
        read_only=False,
    ),
    ToolSpec(
        "mem-timeline",
        "Timeline",
        "The last sessions of the project",
        "Use this at the start of your work, to learn what the last sessions of the project were about, or with"
        " session_id to read everything known about one session.",
        {
            "limit": _number("Maximum sessions.", 5, 20),
            "session_id": _text("The session to show in detail; the beginning of its id is enough."),
            **_PROJECT,
            **_OWN,
            **_MAX_TOKENS,
        },
    ),
    ToolSpec(
        "mem-show",
        "Show",
        "Read turns of a transcript",
        "Use this to read the turns that another tool cited as SESSION:TURN.",
        {
            "turns": _text(f"{_REFERENCE}."),
            "tools": _flag("Include the tool calls and their results.", default=True),
            "thinking": _flag("Include the thinking of the agent."),
            **_MAX_TOKENS,
        },
        ("turns",),
    ),
    ToolSpec(
        "mem-files",
        "Files",
        "Who touched a file, and why",
        "Use this before you change a file, to learn which turns edited or read it, and for which requests.",
        {
            "path": _text("The file: its path, or a part of it."),
            "limit": _number("Maximum turns.", 10, 50),
            **_PROJECT,
            **_OWN,
            **_MAX_TOKENS,
        },
        ("path",),
    ),
    ToolSpec(
        "mem-handoff",
        "Handoff",
        "Continue the work of another session",
        "Use this to continue the work of another session, or to work on a file: it returns one text with the requests,"
        " the work and the open ends, or with the last known content of the file and its changes.",
        {
            "session": _text(f"The session, or some of its turns: {_REFERENCE}."),
            "file": _text("A file, instead of a session."),
            **_MAX_TOKENS,
        },
    ),
    ToolSpec(
        "mem-forget",
        "Forget",
        "Forget an observation",
        "Use this when an observation that mem-search found is wrong or no longer holds, first without confirm to see"
        " what would be forgotten.",
        {
            "id": _text("Id of the observation, as mem-save and mem-search return it."),
            "confirm": _flag("Really forget it."),
            "restore": _flag("Restore it instead, after it was forgotten."),
            **_MAX_TOKENS,
        },
        ("id",),
        read_only=False,
    ),
)  # fmt: skip
