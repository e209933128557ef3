"""The documents that can be made of a redacted copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from memtui_core.errors import MemtuiError
from memtui_core.export import labels
from memtui_core.export.redacted.copy import RedactedCopy
from memtui_core.export.redacted.issue import issue
from memtui_core.export.redacted.page import redacted_page

_RENDERERS: Final[dict[str, Callable[[RedactedCopy], str]]] = {"html": redacted_page, "markdown": issue}


def redacted_document(copy: RedactedCopy, format_name: str) -> str:
    """A copy as `html` or `markdown`.

    Raises MemtuiError if something certainly private is in the document all the same, as where markup put it together.
    """
    text = _RENDERERS[format_name](copy)
    if left := copy.leftovers(text):
        raise MemtuiError(
            f"Nothing was written: {labels.counted(len(left), 'private text')} would be in the document, put together"
            f" by markup. It begins with {left[0][:3]}… Leave out its part."
        )
    return text
