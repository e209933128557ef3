"""Where secrets were replaced: the turns with placeholders, and the transcripts that still contain the secrets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import label

_TURNS: Final = """
    SELECT s.agent, s.session_id, s.project, t.number, f.path, f.gone_at IS NULL,
        min(b.line), flatten(list(regexp_extract_all(b.text, '\\[redacted:([a-z0-9-]+)\\]', 1)))
    FROM blocks b JOIN turns t ON t.id = b.turn JOIN sessions s ON s.key = t.session JOIN sources f ON f.id = t.source
    WHERE contains(b.text, '[redacted:')
    GROUP BY ALL ORDER BY s.project, s.session_id, t.number
"""


class RedactedTurn(NamedTuple):
    """A turn in which secrets were replaced."""

    agent: str
    session_id: str
    project: str
    turn: int
    kinds: Mapping[str, int]
    """How many secrets of each kind."""
    transcript: str
    line: int
    """The 0-based line of the first one in the transcript."""
    is_there: bool
    """Whether the transcript was still there when memtui looked last."""


def redacted_turns(snapshot: Snapshot) -> list[RedactedTurn]:
    """The turns with placeholders, by project and session."""
    return [
        RedactedTurn(agent, label(session), label(project), turn, _counted(kinds), label(path), line, is_there)
        for agent, session, project, turn, path, is_there, line, kinds in snapshot.rows(_TURNS)
        if kinds
    ]


def _counted(kinds: list[str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds).items()))
