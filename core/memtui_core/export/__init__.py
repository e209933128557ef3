"""Sessions, or some of their turns, as Markdown, HTML and JSON documents."""

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
    """Render turns with their blocks as a document; thinking and tool calls can be left out."""
    if as_format == "markdown":
        from memtui_core.export.markdown import markdown as render_format
    elif as_format == "html":
        from memtui_core.export.html import html as render_format
    else:
        from memtui_core.export.as_json import as_json as render_format
    return render_format(session, turns, thinking=thinking, tools=tools)
