"""What came out of sessions, read for many at once: files, lines, commits, pull requests, and how they ended."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from memtui_core.memory.blame.session_commits import commits_of_sessions
from memtui_core.memory.blame.values import SessionCommit
from memtui_core.memory.timeline.day_parts import DayPart, DayParts
from memtui_core.memory.timeline.model import SLOT, SessionOutcome
from memtui_core.memory.timeline.worked_days import days_of
from memtui_core.model import Block
from memtui_core.queries.activity.endings import read_ends
from memtui_core.queries.activity.working_time import read_spans, read_times
from memtui_core.queries.file_history.touches import edited_lines, edits_shown
from memtui_core.queries.names import MAX_REQUEST, first_prompts, telling_request
from memtui_core.queries.statistics.usage import with_subagents
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import label
from memtui_core.text.markdown.plain import plain_line
from memtui_core.tools.pairing import paired

_LONGEST_PROMPT: Final = 1000
"""Characters of a request that are kept, to find others like it."""
_Turns = Mapping[tuple[int, int], list[Block]]
"""The blocks of turns, by the key of the session and the id of the turn, in order."""


def read_outcomes(snapshot: Snapshot, sessions: Mapping[int, Sequence[date]]) -> dict[int, tuple[SessionOutcome, ...]]:
    """What came out of the sessions with these keys, by their keys: one outcome for each of their days, at least one.

    What was done belongs to the day of its entry, else to that on which its turn began.
    """
    top = with_subagents(snapshot, sessions)
    every = key_condition("session", top)
    parts = DayParts(snapshot, sessions, top)
    prompts, asked = _requests(snapshot, sessions, parts)
    files = _files(snapshot, every, parts)
    lines = _lines(snapshot, every, parts)
    commits = _commits(snapshot, top, parts)
    pull_requests = _pull_requests(snapshot, every, parts)
    times = _active(snapshot, sessions, parts)
    compactions = _compactions(snapshot, sessions, parts)
    ends = read_ends(snapshot, sessions)
    outcomes: dict[int, tuple[SessionOutcome, ...]] = {}
    for key, days in sessions.items():
        own = [(key, place) for place in range(max(1, len(days)))]
        outcomes[key] = tuple(
            SessionOutcome(
                asked.get(part, ""),
                prompts.get(key, ""),
                tuple(files.get(part, ())),
                *lines.get(part, (0, 0)),
                tuple(commit.subject for commit in commits.get(part, ())),
                tuple(commit.id for commit in commits.get(part, ())),
                tuple(sorted(pull_requests.get(part, ()))),
                times.get(part, timedelta()),
                ends.get(key) if part == own[-1] else None,
                parts.turns[part],
                parts.first_turns.get(part),
                compactions[part],
            )
            for part in own
        )
    return outcomes


def turns_by_slot(snapshot: Snapshot, root: str | None) -> Mapping[int, int]:
    """The number of turns that began in each slot of time, see `TimelinePage.activity`; of one project or of all."""
    where, parameters = ("", []) if root is None else (" AND s.root = ?", [root])
    return snapshot.cached(
        f"turns by slot {root}",
        lambda: dict(
            snapshot.rows(
                f"SELECT (epoch(t.started_at) // {SLOT})::BIGINT AS slot, count(*) FROM turns t"
                " JOIN sessions s ON s.key = t.session"
                f" WHERE NOT s.hidden AND credible(t.started_at) IS NOT NULL{where} GROUP BY slot",
                parameters,
            )
        ),
    )


def _requests(
    snapshot: Snapshot, sessions: Collection[int], parts: DayParts
) -> tuple[dict[int, str], dict[DayPart, str]]:
    """The beginning of the first request of each session, and the first request of each part.

    Of that of the session what others like it do not say.
    """
    telling = {key: request for key in sessions if (request := telling_request(snapshot, key)) is not None}
    first = first_prompts(snapshot, sessions, _LONGEST_PROMPT)
    texts = dict(first.values())
    parts_of = {turn: part for part, turn in parts.prompts.items()}
    parts_of |= {turn: (key, 0) for key, (turn, _) in first.items() if key not in parts.of_several}
    texts |= snapshot.rows(
        f"SELECT id, left(user_text, {_LONGEST_PROMPT}) FROM turns"
        f" WHERE {key_condition('id', parts_of.keys() - texts.keys())}"
    )
    texts |= dict(telling.values())
    asked = {part: plain_line(texts[turn], MAX_REQUEST) for turn, part in parts_of.items()}
    return {key: prompt for key, (_, prompt) in first.items()}, asked


def _files(snapshot: Snapshot, every: str, parts: DayParts) -> dict[DayPart, list[str]]:
    counts: dict[DayPart, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    of_several = key_condition("session", parts.of_several)
    for session, path, turn, line, count in snapshot.rows(
        f"SELECT session, path, CASE WHEN {of_several} THEN turn END AS at_turn,"
        f" CASE WHEN {of_several} THEN line END AS at_line, count(*)"
        f" FROM file_mentions WHERE {every} AND kind = 'edited' AND NOT is_dir GROUP BY session, path, at_turn, at_line"
    ):
        counts[parts.of(session, turn, line)][path] += count
    return {
        part: [label(path) for path in sorted(own, key=lambda path: (path.startswith("/"), -own[path], path))]
        for part, own in counts.items()
    }


def _lines(snapshot: Snapshot, every: str, parts: DayParts) -> dict[DayPart, tuple[int, int]]:
    """The lines that the edits of each part added and removed, counted as in the history of a file."""
    turns = _blocks(
        snapshot,
        "WITH edited AS (SELECT DISTINCT session, turn, tool FROM file_mentions m"
        f" WHERE {every} AND {edits_shown('m')})"
        " SELECT e.session, b.turn, b.seq, b.line, b.kind, b.tool, b.tool_id, b.is_error, b.detail,"
        " CASE b.kind WHEN 'tool_call' THEN b.text ELSE '' END FROM edited e JOIN blocks b ON b.turn = e.turn"
        " WHERE b.kind IN ('tool_call', 'tool_result') AND b.tool = e.tool ORDER BY b.turn, b.seq",
    )
    counts: dict[DayPart, tuple[int, int]] = {}
    for (session, turn), blocks in turns.items():
        for call in paired(blocks):
            if call.is_error or call.interrupted:
                continue
            added, removed = edited_lines(call)
            part = parts.of(session, turn, call.line)
            before = counts.get(part, (0, 0))
            counts[part] = before[0] + added, before[1] + removed
    return counts


def _commits(snapshot: Snapshot, sessions: Collection[int], parts: DayParts) -> dict[DayPart, list[SessionCommit]]:
    """The commits of each part; one that was amended counts once, when it was amended last."""
    commits: dict[DayPart, list[SessionCommit]] = defaultdict(list)
    for commit in commits_of_sessions(snapshot, sessions):
        commits[parts.of(commit.session, commit.turn_id, commit.line)].append(commit)
    return commits


def _pull_requests(snapshot: Snapshot, every: str, parts: DayParts) -> dict[DayPart, set[int]]:
    numbers: dict[DayPart, set[int]] = defaultdict(set)
    for session, number, at in snapshot.rows(
        f"SELECT session, number, min(credible(at_time)) FROM pr_links WHERE {every} GROUP BY session, number"
    ):
        numbers[parts.at(session, at)].add(number)
    return numbers


def _compactions(snapshot: Snapshot, sessions: Collection[int], parts: DayParts) -> Counter[DayPart]:
    return Counter(
        parts.at(session, at)
        for session, at in snapshot.rows(
            f"SELECT session, credible(at_time) FROM compactions WHERE {key_condition('session', sessions)}"
        )
    )


def _active(snapshot: Snapshot, sessions: Mapping[int, Sequence[date]], parts: DayParts) -> dict[DayPart, timedelta]:
    """The time in which the agent itself worked."""
    times = read_times(snapshot, [key for key in sessions if key not in parts.of_several])
    active = {(key, 0): own or timedelta() for key, (_, own) in times.items()}
    several = [key for key in sessions if key in parts.of_several]
    for key, spans in read_spans(snapshot, several).items() if several else ():
        for on, (first, last) in days_of(spans):
            part = parts.on(key, on)
            active[part] = active.get(part, timedelta()) + timedelta(seconds=last - first)
    return active


def _blocks(snapshot: Snapshot, sql: str) -> _Turns:
    turns: dict[tuple[int, int], list[Block]] = defaultdict(list)
    for session, turn, seq, line, kind, tool, tool_id, is_error, detail, text in snapshot.rows(sql):
        turns[session, turn].append(Block(seq, line, kind, text, tool, tool_id, is_error, detail=detail))
    return turns
