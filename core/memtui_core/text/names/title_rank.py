"""Where the title of a session comes from."""

from __future__ import annotations

from enum import IntEnum


class TitleRank(IntEnum):
    """The sources of a title, by increasing trust."""

    NONE = 0
    LAST_PROMPT = 1
    FIRST_PROMPT = 2
    SUMMARY = 3
    AGENT_NAME = 4
    AI = 5
    CUSTOM = 6
