"""The names of the files of an export, which `export.everything` writes and `ingest.kept.importing` reads."""

from __future__ import annotations

from typing import Final

from memtui_core.readers.formats.jsonl import LINES

FORMAT: Final = 1
"""The number of the form of an export."""
MANIFEST: Final = "manifest.json"
"""The file that lists the others."""
SESSIONS: Final = "sessions"
"""The folder of the sessions, each with its subagents in a file of lines."""
TRANSCRIPTS: Final = "transcripts"
"""The folder of the archived transcripts."""
TRANSCRIPT_LIST: Final = f"transcripts{LINES}"
"""The file that says of each archived transcript where it was."""
OWN: Final = "own"
"""The folder of the files of the user."""
