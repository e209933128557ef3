"""The files that a shell command writes by here-documents: `cat > notes.md <<'EOF'`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memtui_core.tools.shell.commands import here_documents
from memtui_core.tools.shell.files import steps

_WRITERS: Final = frozenset({"cat", "tee"})
_EXPANDED: Final = re.compile(r"[$`\\]")
"""What a shell replaces in a here-document whose word is not quoted."""
_APPENDS: Final = re.compile(r">>|\btee\s+(?:-\w*a|--append)")


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A text that a command writes into a file."""

    path: str
    """As in `ShellFile.path`."""
    text: str
    appends: bool
    """Whether it is put at the end of the file instead of its content."""


def documents_written(command: str) -> Iterator[WrittenDocument]:
    """The here-documents that `cat` and `tee` write into one file each, as they are written. Never raises.

    One that the shell may have changed is left out.
    """
    for document in here_documents(command):
        if not document.is_literal and _EXPANDED.search(document.text):
            continue
        # All commands until then, because one of them may change the folder.
        step = next((step for step in reversed(list(steps(document.until))) if step.words), None)
        if step is None or step.words[0].rpartition("/")[2] not in _WRITERS:
            continue
        written = [file.path for file in step.files if file.use == "written"]
        if len(written) == 1:
            line = document.until.rstrip("\n").rpartition("\n")[2]
            yield WrittenDocument(written[0], document.text, _APPENDS.search(line) is not None)
