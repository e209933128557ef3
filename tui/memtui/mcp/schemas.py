"""What the tools are called, when to use which, and what they take: JSON Schema, as agents read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui.mcp.arguments import FEWEST, MOST, TOKENS
from memtui_core.memory.values import ENTRIES, ENTRY, NARRATIVE, TITLE, TYPES

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Spec:
    """One tool."""

    name: str
    word: str
    """What its errors begin with."""
    title: str
    description: str
    properties: Schema
    required: tuple[str, ...] = ()
    reads: bool = True
    """It changes nothing."""

    @property
    def schema(self) -> dict[str, Any]:
        """Its arguments."""
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
    entry = {"type": "string", "maxLength": ENTRY}
    return {"type": "array", "items": entry, "maxItems": ENTRIES, "description": description}


_TOKENS = {
    "max_tokens": _number("Most tokens of the answer, four characters each; what is left out is told.",
                          TOKENS, MOST, FEWEST),
}  # fmt: skip
_PROJECT = {
    "project": _text(
        'Whose memory: the project of the working folder when not given, "all" for every project, else the name or'
        " folder of one."
    )
}
_OWN = {
    "include_my_session": _flag("Also what you yourself did in the session that runs now."),
    "my_session": _text("Id of your own session, where memtui cannot know it from its environment."),
}
_REFERENCE = "`SESSION:TURN` or `SESSION:FIRST-LAST`, as the other tools cite them; the beginning of an id is enough"

SPECS = (
    Spec(
        "mem-search",
        "Search",
        "Search the memory",
        "Use this before you work on something that may have been decided, tried or fixed in an earlier session: it"
        " finds what was written down, else session summaries, else the turns of transcripts themselves.",
        {
            "query": _text(
                'Words, an "exact phrase", a file path or a question; -word excludes, and filters such as'
                " after:7d, file:src/a.py or session:ID narrow."
            ),
            "type": _text("Only observations of this type.", enum=list(TYPES)),
            "limit": _number("Most hits.", 10, 50),
            **_PROJECT,
            **_OWN,
            **_TOKENS,
        },
        ("query",),
    ),
    Spec(
        "mem-save",
        "Save",
        "Write down an observation",
        "Use this when something was decided, found out or fixed that a later session should know: it is found by"
        " mem-search at once.",
        {
            "title": _text("What it is, in one line.", minLength=1, maxLength=TITLE),
            "type": _text("What kind of thing it is.", enum=list(TYPES)),
            "narrative": _text("What happened and why, in full sentences.", minLength=1, maxLength=NARRATIVE),
            "concepts": _texts("Words by which somebody may look for it."),
            "files": _texts("Files that it is about."),
            "session_id": _text("Id of your own session, where memtui cannot know it from its environment."),
            **_TOKENS,
        },
        ("title", "type", "narrative"),
        reads=False,
    ),
    Spec(
        "mem-timeline",
        "Timeline",
        "The last sessions of the project",
        "Use this at the start of your work, to learn what the last sessions of the project were about, or with"
        " session_id to learn all that is known of one.",
        {
            "limit": _number("Most sessions.", 5, 20),
            "session_id": _text("The session to tell in detail; the beginning of its id is enough."),
            **_PROJECT,
            **_OWN,
            **_TOKENS,
        },
    ),
    Spec(
        "mem-show",
        "Show",
        "Read turns of a transcript",
        "Use this to read what was really said and done in the turns that another tool cited as SESSION:TURN.",
        {
            "turns": _text(f"{_REFERENCE}."),
            "tools": _flag("With the tool calls and their results.", default=True),
            "thinking": _flag("With what the agent thought."),
            **_TOKENS,
        },
        ("turns",),
    ),
    Spec(
        "mem-files",
        "Files",
        "Who touched a file, and why",
        "Use this before you change a file, to learn which turns edited or read it and what was asked of them.",
        {
            "path": _text("The file: its path, or a part of it."),
            "limit": _number("Most turns.", 10, 50),
            **_PROJECT,
            **_OWN,
            **_TOKENS,
        },
        ("path",),
    ),
    Spec(
        "mem-handoff",
        "Handoff",
        "Go on where another session ended",
        "Use this to go on with the work of another session, or with a file: it gives one text with what was asked,"
        " done and left open, or with the file's last known state and its changes.",
        {
            "session": _text(f"The session, or some of its turns: {_REFERENCE}."),
            "file": _text("A file, instead of a session."),
            **_TOKENS,
        },
    ),
    Spec(
        "mem-forget",
        "Forget",
        "Forget an observation",
        "Use this when an observation that mem-search found is wrong or no longer holds, first without confirm to see"
        " what would be forgotten.",
        {
            "id": _text("Id of the observation, as mem-save and mem-search tell it."),
            "confirm": _flag("Really forget it."),
            "restore": _flag("Bring it back instead, after it was forgotten."),
            **_TOKENS,
        },
        ("id",),
        reads=False,
    ),
)  # fmt: skip
