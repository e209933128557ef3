"""What a session was about, in a few lines; no model is asked.

It is the agent's own summary of its last compaction, else what was asked first and last and what was answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.compaction.outline import body, outline, sentences
from memtui_core.compaction.phrases import WHOLE, decisions, said
from memtui_core.store.reader import Snapshot
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.summary import cut

LONGEST = 2000
"""Characters of a summary."""
_REQUEST = 300
"""Characters of a request or an answer in a summary that is extracted."""
_SIGN = 6
"""Characters of a list's sign before its first sentence."""
_DECISION = 160
_MOST_DECISIONS = 5
_TEXTS = 300
"""Last texts of a session that are looked through for decisions: those at its end stand."""
_FILES = 5


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a session was about."""

    session_id: str
    text: str
    """At most LONGEST characters, on several lines."""
    kind: Literal["compaction", "extract"]
    """The agent's own words at its last compaction, or what the session itself tells."""
    key_decisions: tuple[str, ...] = ()
    """What was written down as a decision, then what was said to be one; the newest last, a line each."""


def summary_of(snapshot: Snapshot, key: int, session_id: str, written: Sequence[str] = ()) -> SessionSummary | None:
    """The summary of a session; None for one in which nothing was said.

    `written` are the titles of the decisions that were saved in it: they stand before those that its text tells.
    """
    compaction = snapshot.cached(f"compaction summary {key}", lambda: _compaction(snapshot, key))
    text = compaction or snapshot.cached(f"extract {key}", lambda: _extract(snapshot, key))
    if not text:
        return None
    told = snapshot.cached(f"decisions {key}", lambda: _decisions(snapshot, key))
    chosen = list(dict.fromkeys((*written[-_MOST_DECISIONS:], *told)))[:_MOST_DECISIONS]
    return SessionSummary(session_id, text, "compaction" if compaction else "extract", tuple(chosen))


def _compaction(snapshot: Snapshot, key: int) -> str:
    rows = snapshot.rows(
        "SELECT user_text FROM turns WHERE session = ? AND kind = 'compaction' AND user_text <> ''"
        " ORDER BY number DESC LIMIT 1",
        [key],
    )
    return _shortened(_without_head(plain(rows[0][0]))) if rows else ""


def _without_head(text: str) -> str:
    """A summary without what the agent's program writes round it, and without the analysis before it."""
    told = body(text)
    section = next((one for one in outline(told) if one.level == 1 and one.title.lower() == "summary"), None)
    if section is not None:
        told = told[section.span.start : section.span.end].partition("\n")[2]
    first = next(iter(sentences(told)), None)
    if first is None:
        return told.strip()
    sign = told[told.rfind("\n", 0, first.start) + 1 : first.start]
    begin = first.start - len(sign) if len(sign) <= _SIGN else first.start
    return told[begin:].strip().removeprefix("Summary:").lstrip()


def _extract(snapshot: Snapshot, key: int) -> str:
    asked = snapshot.rows(
        "SELECT user_text FROM turns WHERE session = ? AND kind IN ('human', 'agent') AND user_text <> ''"
        " ORDER BY number",
        [key],
    )
    requests = [text for (row,) in asked if (text := one_line(row, _REQUEST))]
    answers = snapshot.rows(
        "SELECT b.text FROM blocks b JOIN turns t ON t.id = b.turn WHERE t.session = ? AND b.kind = 'text'"
        " AND NOT b.is_error AND b.text <> '' ORDER BY t.number DESC, b.seq DESC LIMIT 1",
        [key],
    )
    return "\n".join(_told(requests, [one_line(text, _REQUEST) for (text,) in answers], _edited(snapshot, key)))


def _told(requests: Sequence[str], answers: Sequence[str], files: Sequence[str]) -> Iterator[str]:
    if requests:
        yield f"Asked: {requests[0]}"
    if len(requests) > 1:
        yield f"Asked last, of {len(requests)} times: {requests[-1]}"
    yield from (f"Answered last: {answer}" for answer in answers)
    if files:
        more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
        yield f"Edited: {', '.join(files[:_FILES])}{more}"


def _edited(snapshot: Snapshot, key: int) -> list[str]:
    rows = snapshot.rows(
        "SELECT path FROM file_mentions WHERE session = ? AND kind = 'edited' AND NOT is_dir"
        " GROUP BY path ORDER BY count(*) DESC, path",
        [key],
    )
    return [one_line(path) for (path,) in rows]


def _decisions(snapshot: Snapshot, key: int) -> list[str]:
    """The last sentences, by person or agent, that say what shall be done and what not."""
    rows = snapshot.rows(
        "SELECT b.kind, b.text FROM blocks b JOIN turns t ON t.id = b.turn WHERE t.session = ?"
        " AND t.kind <> 'compaction' AND b.kind IN ('user', 'text') AND NOT b.is_error"
        f" ORDER BY t.number DESC, b.seq DESC LIMIT {_TEXTS}",
        [key],
    )
    found: dict[str, None] = {}
    for kind, text in rows:
        spoken = said(text) if kind == "user" else text
        # A long prompt is a pasted plan, of which every other sentence orders something.
        by_person = kind == "user" and len(spoken) <= WHOLE
        for sentence in reversed(list(decisions(spoken, by_person=by_person))):
            found.setdefault(one_line(sentence, _DECISION))
        if len(found) >= _MOST_DECISIONS:
            break
    return list(found)[:_MOST_DECISIONS][::-1]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else cut(text, LONGEST - 2).rstrip() + " …"
