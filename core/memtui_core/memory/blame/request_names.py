"""The turns that named a pull request, in the sessions that are linked to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from memtui_core.model import Turn
from memtui_core.queries.pull_requests import PullRequest
from memtui_core.queries.turns import turns_with_blocks
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.text.controls import stored
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.pull_requests import named_requests

_SPEAKS: Final = frozenset({"user", "text", "tool_call"})
"""The kinds of blocks in which a turn names something: what only stands in an output, it did not name."""


def turns_naming(snapshot: Snapshot, request: PullRequest) -> Iterator[tuple[int, int]]:
    """The session and the number of each turn whose prompt, answers or calls name a pull request.

    That is by its address, by its repository and number, or as the number after `gh pr VERB`, unless a pull request of
    another repository with the same number is named in the session, too.
    """
    pattern = _named(request)
    turns = _turns_of_sessions(snapshot, request)
    several = _sessions_with_another(snapshot, request, {turn.session for turn in turns})
    for turn in turns:
        texts = [turn.user_text, *(block.text for block in turn.blocks if block.kind in _SPEAKS)]
        is_named = any(map(pattern.search, texts))
        repositories = {request.repository.casefold(), *([] if turn.session in several else [""])}
        if is_named or not repositories.isdisjoint(_repositories_in_commands(turn, request.number)):
            yield turn.session, turn.number


def _named(request: PullRequest) -> re.Pattern[str]:
    """`https://github.com/ana/shop/pull/41`, `ana/shop#41`, `repos/ana/shop/pulls/41`; not the number 410."""
    repository = re.escape(request.repository)
    ways = [re.escape(stored(request.url))] if request.url else []
    if repository:
        ways.append(rf"(?<![\w.-]){repository}(?:#|/pulls?/){request.number}")
    return re.compile(rf"(?:{'|'.join(ways) or '(?!)'})(?!\d)", re.IGNORECASE)


def _repositories_in_commands(turn: Turn, number: int) -> set[str]:
    """The repositories of which commands of `gh pr` name a pull request; an empty one is that of the folder."""
    named = (one for call in paired(turn.blocks) for one in named_requests(call.programs))
    return {repository.casefold() for own, repository in named if own == number}


def _turns_of_sessions(snapshot: Snapshot, request: PullRequest) -> list[Turn]:
    """The turns of the sessions of a pull request that may name it, with their blocks."""
    sessions = {row.session for row in request.sessions}
    may_name = rf"(#|/pulls?/){request.number}\b|\bgh\b.*\b{request.number}\b"
    own = dict(
        snapshot.rows(
            f"SELECT id, regexp_matches(user_text, ?) FROM turns WHERE {key_condition('session', sessions)}", [may_name]
        )
    )
    found = {turn for turn, is_in_prompt in own.items() if is_in_prompt}
    kinds = ", ".join(f"'{kind}'" for kind in sorted(_SPEAKS))
    for condition in key_ranges("turn", list(own)):
        rows = snapshot.rows(
            f"SELECT DISTINCT turn FROM blocks WHERE {condition} AND kind IN ({kinds}) AND regexp_matches(text, ?)",
            [may_name],
        )
        found |= {turn for (turn,) in rows}
    return turns_with_blocks(snapshot, found & own.keys())


def _sessions_with_another(snapshot: Snapshot, request: PullRequest, sessions: Collection[int]) -> set[int]:
    """Those of some sessions that have the address of a pull request of another repository with the same number."""
    if not sessions:
        return set()
    address = rf"([\w.-]+/[\w.-]+)/pull/{request.number}\b"
    rows = snapshot.rows(
        "SELECT DISTINCT t.session, unnest(regexp_extract_all(b.text, ?, 1)) FROM blocks b"
        f" JOIN turns t ON t.id = b.turn WHERE {key_condition('t.session', sessions)} AND contains(b.text, ?)",
        [address, f"/pull/{request.number}"],
    )
    return {session for session, repository in rows if repository.casefold() != request.repository.casefold()}
