"""Sessions, or some of their turns, as documents to keep and to share: Markdown, HTML and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from memtui_core.export.files import file_name, write
from memtui_core.model import Session, Turn

Format = Literal["markdown", "html", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)

__all__ = ["FORMATS", "Format", "file_name", "render", "write"]


def render(
    session: Session, turns: Sequence[Turn], as_format: Format, *, thinking: bool = True, tools: bool = True
) -> str:
    """The document of some turns, which carry their blocks; thinking and tool calls can be left out."""
    if as_format == "markdown":
        from memtui_core.export.markdown import markdown as made
    elif as_format == "html":
        from memtui_core.export.html import html as made
    else:
        from memtui_core.export.as_json import as_json as made
    return made(session, turns, thinking=thinking, tools=tools)
