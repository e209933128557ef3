"""Pull requests and the sessions that worked on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memtui_core.model import PrLink, Project, Turn
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.names import project_name, session_title
from memtui_core.queries.sessions import in_project
from memtui_core.queries.turns import turns_with_blocks
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.text import controls
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.pull_requests import PrFact, PrState, pr_facts


@dataclass(frozen=True, slots=True)
class PrRow:
    """A pull request and one of its sessions, with the turn that linked them."""

    number: int
    url: str
    repository: str
    session: int
    turn: int | None
    title: str
    project: str
    at: datetime | None
    branch: str | None = None


class PrSource(NamedTuple):
    """The turn in which something about a pull request is said."""

    session: int
    """`Session.key`."""
    session_id: str
    turn: int

    def __str__(self) -> str:
        return f"{self.session_id}:{self.turn}"


@dataclass(frozen=True, slots=True)
class PrStory:
    """What the transcripts of its sessions say of a pull request; empty and None where they do not say."""

    title: str = ""
    title_source: PrSource | None = None
    state: PrState | None = None
    """The last one that is known: it may have changed since."""
    state_source: PrSource | None = None


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request with what is known of it and its sessions, the last one first."""

    number: int
    url: str
    repository: str
    story: PrStory
    sessions: tuple[PrRow, ...]

    @property
    def last(self) -> PrRow:
        """The session that worked on it last."""
        return self.sessions[0]


_PR_ROW = Columns(
    PrRow,
    number="p.number",
    url=label("p.url"),
    repository=label("p.repository"),
    session="p.session",
    turn="(SELECT max(t.number) FROM turns t WHERE t.session = p.session AND t.line <= p.line)",
    title=session_title(),
    project=project_name(),
    at=timestamp("credible(p.at_time)"),
    branch=label("s.branch"),
)
_PR_LINK = Columns(
    PrLink,
    session_id=label("s.session_id"),
    number="p.number",
    url=label("p.url"),
    repository=label("p.repository"),
    at=timestamp("p.at_time"),
    line="p.line",
    title=session_title(untitled=""),
    project=project_name(),
)


_TELLING = (
    "(kind = 'tool_call' AND contains(text, 'gh pr '))"
    " OR (kind = 'tool_result' AND (contains(text, 'Merge pull request #') OR regexp_matches(text, '\\(#\\d+\\)')))"
)
"""The condition that a block may say something of a pull request."""


def list_pull_requests(snapshot: Snapshot, project: Project | None = None) -> list[PrRow]:
    """Every pull request with its sessions, the last worked on first; of the sessions of a project, or of all."""
    where, parameters = in_project(project) if project is not None else ("TRUE", [])
    return _PR_ROW.select(
        snapshot,
        f"FROM pr_links p JOIN sessions s ON s.key = p.session WHERE NOT s.hidden AND {where}"
        " ORDER BY max(credible(p.at_time)) OVER (PARTITION BY p.url) DESC NULLS LAST, p.url,"
        " credible(p.at_time) DESC NULLS LAST, p.session",
        parameters,
    )


def pull_requests(snapshot: Snapshot, project: Project | None = None) -> list[PullRequest]:
    """Every pull request once, the last worked on first; with its sessions of a project, or of all."""
    by_url: dict[str, list[PrRow]] = {}
    for row in list_pull_requests(snapshot, project):
        by_url.setdefault(row.url, []).append(row)
    stories = snapshot.cached("pull requests", lambda: _stories(snapshot))
    return [
        PullRequest(rows[0].number, url, rows[0].repository, stories.get(controls.stored(url), PrStory()), tuple(rows))
        for url, rows in by_url.items()
    ]


def _stories(snapshot: Snapshot, number: int | None = None, session: int | None = None) -> dict[str, PrStory]:
    """What is known of pull requests, by their addresses, from the calls of their own sessions."""
    stories: dict[str, PrStory] = {}
    for url, branch, fact, source in told_facts(snapshot, number, session):
        stories[url] = _told(stories.get(url, PrStory()), fact, branch, source)
    return stories


def told_facts(
    snapshot: Snapshot, number: int | None = None, session: int | None = None
) -> Iterator[tuple[str, str, PrFact, PrSource]]:
    """What the calls of sessions say of their own pull requests, in order of time.

    Each with the address, the branch of the session, and the turn.
    """
    linked: dict[tuple[int, int], tuple[str, str]] = {}
    """The address and the branch by session and number."""
    for key, pr_number, url, branch in snapshot.rows(
        "SELECT p.session, p.number, p.url, s.branch FROM pr_links p JOIN sessions s ON s.key = p.session"
        " WHERE NOT s.hidden AND (?::INTEGER IS NULL OR p.number = ?)"
        " AND (?::INTEGER IS NULL OR p.url IN (SELECT url FROM pr_links WHERE session = ?))",
        [number, number, session, session],
    ):
        linked[key, pr_number] = url, branch or ""
    ids = dict(snapshot.rows("SELECT key, session_id FROM sessions")) if linked else {}
    for turn in _telling_turns(snapshot, {key for key, _ in linked}):
        source = PrSource(turn.session, controls.label(ids[turn.session]), turn.number)
        for call in paired(turn.blocks):
            if call.result is None or call.rejected:
                continue
            for fact in pr_facts(call.programs, call.result.text, failed=call.is_error or bool(call.exit_code)):
                url, branch = linked.get((turn.session, fact.number), ("", ""))
                if url and fact.url in {"", url} and f"{fact.repository}/pull/" in url:
                    yield url, branch, fact, source


def _told(story: PrStory, fact: PrFact, branch: str, source: PrSource) -> PrStory:
    """What is known of a pull request after one more fact; merged is the end."""
    title = controls.title(fact.title) if fact.title else ""
    if fact.is_commit and not (title and title == story.title) and not (branch and branch == fact.branch):
        return story
    if title:
        story = replace(story, title=title, title_source=source)
    is_known = story.state == "merged" or (story.state == "draft" and fact.state == "open" and fact.may_be_draft)
    if fact.state is None or is_known:
        return story
    return replace(story, state=fact.state, state_source=source)


def _telling_turns(snapshot: Snapshot, sessions: Collection[int]) -> list[Turn]:
    """The turns of sessions with calls that may say something of pull requests, with their blocks, in order of time."""
    if not sessions:
        return []
    own = [turn for (turn,) in snapshot.rows(f"SELECT id FROM turns WHERE {key_condition('session', sessions)}")]
    telling = (
        row
        for condition in key_ranges("turn", own)
        for row in snapshot.rows(f"SELECT DISTINCT turn FROM blocks WHERE {condition} AND ({_TELLING})")
    )
    return turns_with_blocks(snapshot, [turn for (turn,) in telling])


def select_pr_links(snapshot: Snapshot, number: int | None = None, session: int | None = None) -> list[PrLink]:
    """Pull requests and their sessions: all, those of one number, or those of one session ordered by number."""
    links = _PR_LINK.select(
        snapshot,
        "FROM pr_links p JOIN sessions s ON s.key = p.session"
        " WHERE (?::INTEGER IS NULL OR p.number = ?) AND (?::INTEGER IS NULL OR p.session = ?)"
        f" ORDER BY {'p.repository, ' if session is None else ''}p.number, p.at_time, s.session_id",
        [number, number, session, session],
    )
    stories = _stories(snapshot, number, session) if links else {}
    return [_with_story(link, stories.get(controls.stored(link.url), PrStory())) for link in links]


def _with_story(link: PrLink, story: PrStory) -> PrLink:
    return replace(
        link,
        pr_title=story.title,
        pr_title_turn=str(story.title_source or ""),
        state=story.state,
        state_turn=str(story.state_source or ""),
    )
