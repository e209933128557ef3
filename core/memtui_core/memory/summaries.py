"""Short summaries of sessions, made without a model.

A summary is the agent's own summary of its last compaction; without a compaction it consists of the first and the last
request, the last answer and the edited files. Of a request that begins like others, it says what differs, as titles do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.compaction.outline import outline, sentences, summary_body
from memtui_core.compaction.statements.phrases import LONGEST_SINGLE_REQUEST, decisions, typed_text
from memtui_core.model import Annotations
from memtui_core.queries.names import MAX_REQUEST, telling_request
from memtui_core.store.marks.snapshot_annotations import NONE
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.summary import cut

MAX_LENGTH = 2000
"""Maximum characters of a summary."""
_MAX_ANSWER = 300
"""Maximum characters of an answer in an extract."""
_LIST_MARKER = 6
"""Maximum characters of a list marker before the first sentence."""
_DECISION = 160
_MAX_DECISIONS = 5
_LAST_TEXTS = 300
"""How many texts at the end of a session are searched for decisions: later ones replace earlier ones."""
_MAX_FILES = 5


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a session was about."""

    session_id: str
    text: str
    """At most MAX_LENGTH characters, on several lines."""
    kind: Literal["compaction", "extract"]
    """Whether the text is from the agent's last compaction or an extract of the session."""
    key_decisions: tuple[str, ...] = ()
    """One line each: saved decisions first, then those found in the session's texts, oldest first."""
    added: Annotations = NONE
    """What the user has added to the session."""


def summary_of(
    snapshot: Snapshot, key: int, session_id: str, saved_decisions: Sequence[str] = ()
) -> SessionSummary | None:
    """The summary of a session; None for a session without text.

    `saved_decisions` are the titles of the decisions that were saved as observations in the session.
    """
    compaction = snapshot.cached(f"compaction summary {key}", lambda: _compaction_summary(snapshot, key))
    text = compaction or snapshot.cached(f"extract {key}", lambda: _extract(snapshot, key))
    if not text:
        return None
    decisions_in_text = snapshot.cached(f"decisions {key}", lambda: _decisions(snapshot, key))
    key_decisions = dict.fromkeys((*saved_decisions[-_MAX_DECISIONS:], *decisions_in_text))
    kind: Literal["compaction", "extract"] = "compaction" if compaction else "extract"
    added = snapshot.annotations.current.sessions.get(key, NONE)
    return SessionSummary(session_id, text, kind, tuple(key_decisions)[:_MAX_DECISIONS], added)


def _compaction_summary(snapshot: Snapshot, key: int) -> str:
    rows = snapshot.rows(
        "SELECT user_text FROM turns WHERE session = ? AND kind = 'compaction' AND user_text <> ''"
        " ORDER BY number DESC LIMIT 1",
        [key],
    )
    return _shortened(_without_preamble(plain(rows[0][0]))) if rows else ""


def _without_preamble(text: str) -> str:
    """A compaction's summary without the agent's frame and without the analysis before the summary."""
    summary = summary_body(text)
    section = next((item for item in outline(summary) if item.level == 1 and item.title.lower() == "summary"), None)
    if section is not None:
        summary = summary[section.span.start : section.span.end].partition("\n")[2]
    first = next(iter(sentences(summary)), None)
    if first is None:
        return summary.strip()
    marker = summary[summary.rfind("\n", 0, first.start) + 1 : first.start]
    start = first.start - len(marker) if len(marker) <= _LIST_MARKER else first.start
    return summary[start:].strip().removeprefix("Summary:").lstrip()


def _extract(snapshot: Snapshot, key: int) -> str:
    prompts = snapshot.rows(
        "SELECT id, user_text FROM turns WHERE session = ? AND kind IN ('human', 'agent') AND user_text <> ''"
        " ORDER BY number",
        [key],
    )
    own_turn, own_words = telling_request(snapshot, key) or (None, "")
    shown = [own_words if turn == own_turn else one_line(prompt, MAX_REQUEST) for turn, prompt in prompts]
    requests = [text for text in shown if text]
    answers = snapshot.rows(
        "SELECT b.text FROM blocks b JOIN turns t ON t.id = b.turn WHERE t.session = ? AND b.kind = 'text'"
        " AND NOT b.is_error AND b.text <> '' ORDER BY t.number DESC, b.seq DESC LIMIT 1",
        [key],
    )
    lines = _extract_lines(requests, [one_line(text, _MAX_ANSWER) for (text,) in answers], _edited_files(snapshot, key))
    return "\n".join(lines)


def _extract_lines(requests: Sequence[str], answers: Sequence[str], files: Sequence[str]) -> Iterator[str]:
    if requests:
        yield f"Asked: {requests[0]}"
    if len(requests) > 1:
        yield f"Asked last, of {len(requests)} times: {requests[-1]}"
    yield from (f"Answered last: {answer}" for answer in answers)
    if files:
        more = f" and {len(files) - _MAX_FILES} more" if len(files) > _MAX_FILES else ""
        yield f"Edited: {', '.join(files[:_MAX_FILES])}{more}"


def _edited_files(snapshot: Snapshot, key: int) -> list[str]:
    """The files that a session edited, the most often edited first."""
    rows = snapshot.rows(
        "SELECT path FROM file_mentions WHERE session = ? AND kind = 'edited' AND NOT is_dir"
        " GROUP BY path ORDER BY count(*) DESC, path",
        [key],
    )
    return [one_line(path) for (path,) in rows]


def _decisions(snapshot: Snapshot, key: int) -> list[str]:
    """The last sentences of the user or the agent that state a decision, oldest first."""
    rows = snapshot.rows(
        "SELECT b.kind, b.text FROM blocks b JOIN turns t ON t.id = b.turn WHERE t.session = ?"
        " AND t.kind <> 'compaction' AND b.kind IN ('user', 'text') AND NOT b.is_error"
        f" ORDER BY t.number DESC, b.seq DESC LIMIT {_LAST_TEXTS}",
        [key],
    )
    newest_first: dict[str, None] = {}
    for kind, text in rows:
        spoken = typed_text(text) if kind == "user" else text
        # A long prompt is a pasted plan, in which every other sentence is an instruction.
        by_user = kind == "user" and len(spoken) <= LONGEST_SINGLE_REQUEST
        for sentence in reversed(list(decisions(spoken, by_user=by_user))):
            newest_first.setdefault(one_line(sentence, _DECISION))
        if len(newest_first) >= _MAX_DECISIONS:
            break
    return list(newest_first)[:_MAX_DECISIONS][::-1]


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else cut(text, MAX_LENGTH - 2).rstrip() + " …"
