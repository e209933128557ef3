"""Short summaries of sessions, made without a model.

A summary is the agent's own summary of its last compaction; without a compaction it consists of the first and the last
request, the last answer and the edited files. Of a request that begins like others, it says what differs, as titles do.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memtui_core.compaction.outline import outline, sentences, summary_body
from memtui_core.compaction.statements.phrases import LONGEST_SINGLE_REQUEST, decisions, typed_text
from memtui_core.model import Annotations
from memtui_core.queries.names import MAX_REQUEST, telling_request
from memtui_core.store.marks.snapshot_annotations import NONE
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
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
_MOST_KEPT = 500
"""Sessions of which what was read is kept: two megabytes."""


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


class _Read(NamedTuple):
    """What a summary has from the texts of a session."""

    text: str
    is_compaction: bool
    decisions: Sequence[str]


class Summaries:
    """Makes summaries, and keeps those of sessions that a newer snapshot has unchanged.

    A session that grows makes a snapshot a second: ten other summaries would take 70 ms of each answer otherwise.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[Hashable, _Read]] = OrderedDict()
        """By the keys of the sessions, with what tells whether their turns are the same."""

    def of(
        self, snapshot: Snapshot, sessions: Mapping[int, str], saved: Mapping[str, Sequence[str]]
    ) -> Iterator[SessionSummary]:
        """The summaries of sessions, which are ids by key; sessions without text have none.

        `saved` are the titles of the decisions that were saved as observations, by the ids of the sessions.
        """
        states = _states(snapshot, sessions)
        for key, session_id in sessions.items():
            # Texts that are redacted again, or of which less is kept, stay in the same turns, in another base.
            state = (snapshot.data, snapshot.manifest.base, session_id, states.get(key))
            before, found = self._kept.pop(key, (None, None))
            if found is None or before != state:
                found = _read(snapshot, key)
            self._kept[key] = state, found
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
            if (summary := _made(snapshot, key, session_id, found, saved.get(session_id, ()))) is not None:
                yield summary


def summary_of(
    snapshot: Snapshot, key: int, session_id: str, saved_decisions: Sequence[str] = ()
) -> SessionSummary | None:
    """The summary of a session; None for a session without text.

    `saved_decisions` are the titles of the decisions that were saved as observations in the session.
    """
    read = snapshot.cached(f"summary {key}", lambda: _read(snapshot, key))
    return _made(snapshot, key, session_id, read, saved_decisions)


def _made(snapshot: Snapshot, key: int, session_id: str, read: _Read, saved: Sequence[str]) -> SessionSummary | None:
    if not read.text:
        return None
    key_decisions = dict.fromkeys((*saved[-_MAX_DECISIONS:], *read.decisions))
    kind: Literal["compaction", "extract"] = "compaction" if read.is_compaction else "extract"
    added = snapshot.annotations.current.sessions.get(key, NONE)
    return SessionSummary(session_id, read.text, kind, tuple(key_decisions)[:_MAX_DECISIONS], added)


def _read(snapshot: Snapshot, key: int) -> _Read:
    compaction = _compaction_summary(snapshot, key)
    text = compaction or _extract(snapshot, key)
    return _Read(text, bool(compaction), _decisions(snapshot, key) if text else ())


def _states(snapshot: Snapshot, keys: Collection[int]) -> dict[int, Hashable]:
    """Values of sessions that are equal in two snapshots only if their turns are the same."""
    rows = snapshot.rows(
        "SELECT session, count(*), max(batch), max(id) FROM turns"
        f" WHERE {key_condition('session', keys)} GROUP BY session"
    )
    return {key: tuple(state) for key, *state in rows}


def _compaction_summary(snapshot: Snapshot, key: int) -> str:
    rows = snapshot.rows(
        f"SELECT user_text FROM turns WHERE session = {key} AND kind = 'compaction' AND user_text <> ''"
        " ORDER BY number DESC LIMIT 1"
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
        f"SELECT id, user_text FROM turns WHERE session = {key} AND kind IN ('human', 'agent') AND user_text <> ''"
        " ORDER BY number"
    )
    own_turn, own_words = telling_request(snapshot, key) or (None, "")
    shown = [own_words if turn == own_turn else one_line(prompt, MAX_REQUEST) for turn, prompt in prompts]
    requests = [text for text in shown if text]
    answers = snapshot.rows(
        f"SELECT b.text FROM blocks b JOIN turns t ON t.id = b.turn WHERE t.session = {key} AND b.kind = 'text'"
        " AND NOT b.is_error AND b.text <> '' ORDER BY t.number DESC, b.seq DESC LIMIT 1"
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
        f"SELECT path FROM file_mentions WHERE session = {key} AND kind = 'edited' AND NOT is_dir"
        " GROUP BY path ORDER BY count(*) DESC, path"
    )
    return [one_line(path) for (path,) in rows]


def _decisions(snapshot: Snapshot, key: int) -> list[str]:
    """The last sentences of the user or the agent that state a decision, oldest first."""
    rows = snapshot.rows(
        f"SELECT b.kind, b.text FROM blocks b JOIN turns t ON t.id = b.turn WHERE t.session = {key}"
        " AND t.kind <> 'compaction' AND b.kind IN ('user', 'text') AND NOT b.is_error"
        f" ORDER BY t.number DESC, b.seq DESC LIMIT {_LAST_TEXTS}"
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
