"""What came out of sessions, read for many at once: files, lines, commits, pull requests, and how they ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final

from memtui_core.memory.timeline.model import SLOT, SessionOutcome
from memtui_core.model import Block
from memtui_core.queries.activity.endings import read_ends
from memtui_core.queries.activity.working_time import Times, read_times
from memtui_core.queries.file_history.touches import edited_lines, edits_shown
from memtui_core.queries.names import MAX_REQUEST, first_prompts, telling_request
from memtui_core.queries.statistics.usage import with_subagents
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import label
from memtui_core.text.markdown.plain import plain_line
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.git_commits import commits_made

_NO_TIMES: Final[Times] = (None, None)
_LONGEST_PROMPT: Final = 1000
"""Characters of a request that are kept, to find others like it."""
_Turns = Mapping[tuple[int, int], list[Block]]
"""The blocks of turns, by the key of the session and the id of the turn, in order."""


def read_outcomes(snapshot: Snapshot, sessions: Collection[int]) -> dict[int, SessionOutcome]:
    """What came out of the sessions with these keys, by their keys."""
    top = with_subagents(snapshot, sessions)
    every = key_condition("session", top)
    asked = _requests(snapshot, sessions)
    files = _files(snapshot, every, top)
    lines = _lines(snapshot, every, top)
    commits = _commits(snapshot, every, top)
    pull_requests: dict[int, set[int]] = defaultdict(set)
    for session, number in snapshot.rows(f"SELECT session, number FROM pr_links WHERE {every}"):
        pull_requests[top[session]].add(number)
    times = read_times(snapshot, sessions)
    ends = read_ends(snapshot, sessions)
    return {
        key: SessionOutcome(
            *asked.get(key, ("", "")),
            tuple(files.get(key, ())),
            *lines.get(key, (0, 0)),
            tuple(commits.get(key, ())),
            tuple(sorted(pull_requests.get(key, ()))),
            times.get(key, _NO_TIMES)[1] or timedelta(),
            ends.get(key),
        )
        for key in sessions
    }


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


def _requests(snapshot: Snapshot, sessions: Collection[int]) -> dict[int, tuple[str, str]]:
    """What the first request of each session says that others like it do not, and the beginning of the request."""
    telling = {key: request[1] for key in sessions if (request := telling_request(snapshot, key)) is not None}
    prompts = first_prompts(snapshot, sessions, _LONGEST_PROMPT)
    return {key: (plain_line(telling.get(key) or prompt, MAX_REQUEST), prompt) for key, (_, prompt) in prompts.items()}


def _files(snapshot: Snapshot, every: str, top: Mapping[int, int]) -> dict[int, list[str]]:
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for session, path, count in snapshot.rows(
        f"SELECT session, path, count(*) FROM file_mentions WHERE {every} AND kind = 'edited' AND NOT is_dir"
        " GROUP BY session, path"
    ):
        counts[top[session]][path] += count
    return {
        session: [label(path) for path in sorted(own, key=lambda path: (path.startswith("/"), -own[path], path))]
        for session, own in counts.items()
    }


def _lines(snapshot: Snapshot, every: str, top: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """The lines that the edits of each session added and removed, counted as in the history of a file."""
    turns = _blocks(
        snapshot,
        "WITH edited AS (SELECT DISTINCT session, turn, tool FROM file_mentions m"
        f" WHERE {every} AND {edits_shown('m')})"
        " SELECT e.session, b.turn, b.seq, b.kind, b.tool, b.tool_id, b.is_error, b.detail,"
        " CASE b.kind WHEN 'tool_call' THEN b.text ELSE '' END FROM edited e JOIN blocks b ON b.turn = e.turn"
        " WHERE b.kind IN ('tool_call', 'tool_result') AND b.tool = e.tool ORDER BY b.turn, b.seq",
    )
    counts: dict[int, tuple[int, int]] = {}
    for (session, _), blocks in turns.items():
        for call in paired(blocks):
            if call.is_error or call.interrupted:
                continue
            added, removed = edited_lines(call)
            before = counts.get(top[session], (0, 0))
            counts[top[session]] = before[0] + added, before[1] + removed
    return counts


def _commits(snapshot: Snapshot, every: str, top: Mapping[int, int]) -> dict[int, list[str]]:
    """The subjects of the commits of each session; an amended one counts once."""
    turns = _blocks(
        snapshot,
        f"WITH own AS (SELECT id, session FROM turns WHERE {every}), calls AS (SELECT DISTINCT b.turn, b.tool_id"
        " FROM own JOIN blocks b ON b.turn = own.id WHERE b.kind = 'tool_call' AND contains(b.text, 'commit')"
        " AND contains(b.text, 'git'))"
        " SELECT own.session, b.turn, b.seq, b.kind, b.tool, b.tool_id, b.is_error, b.detail, b.text FROM own"
        " JOIN blocks b ON b.turn = own.id JOIN calls c ON c.turn = b.turn AND c.tool_id IS NOT DISTINCT FROM b.tool_id"
        " WHERE b.kind IN ('tool_call', 'tool_result') ORDER BY b.turn, b.seq",
    )
    subjects: dict[int, list[str]] = defaultdict(list)
    for (session, _), blocks in turns.items():
        own = subjects[top[session]]
        for call in paired(blocks):
            if call.result is None or not call.command:
                continue
            failed = call.is_error or bool(call.exit_code)
            for commit in commits_made(call.command, call.result.text, failed=failed):
                if commit.amends and own:
                    own.pop()
                own.append(commit.subject)
    return subjects


def _blocks(snapshot: Snapshot, sql: str) -> _Turns:
    turns: dict[tuple[int, int], list[Block]] = defaultdict(list)
    for session, turn, seq, kind, tool, tool_id, is_error, detail, text in snapshot.rows(sql):
        turns[session, turn].append(Block(seq, 0, kind, text, tool, tool_id, is_error, detail=detail))
    return turns
