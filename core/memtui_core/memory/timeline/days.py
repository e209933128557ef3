"""The timeline as a diary: sessions by day, those that ask nearly the same as one entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from memtui_core.memory.timeline.model import SessionOutcome, TimelineSession
from memtui_core.text.characters import lowered
from memtui_core.text.markdown.plain import plain_line
from memtui_core.text.names import SKIPPED, TITLE_LENGTH, without_role

_FEWEST: Final = 3
"""Sessions of a day that are folded: two are not more than a reader takes in."""
_SIMILAR: Final = 0.8
"""The share of words that two texts have in common if they are nearly the same."""
_LONG: Final = 30
"""Words from which on two sessions do not start with nearly the same prompt by chance."""
_WORD: Final = re.compile(r"\w+")
_NOTHING: Final = SessionOutcome()


@dataclass(frozen=True, slots=True)
class SimilarSessions:
    """Sessions of one day and project that were asked nearly the same."""

    sessions: tuple[TimelineSession, ...]
    """The newest first."""

    @property
    def name(self) -> str:
        """The words with which their titles begin, and `…` if they go on differently; else the newest title.

        Where titles say only what differs, the words with which their prompts begin, without the role of the agent.
        """
        titles = [session.name for session in self.sessions]
        if len(set(titles)) == 1:
            return titles[0]
        prompts = [without_role(" ".join(_outcome(session).prompt.split())) for session in self.sessions]
        return _beginning(titles) or _beginning(prompts) or titles[0]


DiaryEntry = TimelineSession | SimilarSessions


@dataclass(frozen=True, slots=True)
class DiaryDay:
    """The sessions in which there was work on one day."""

    on: date | None
    """In the time zone of this machine; None for sessions without a time."""
    entries: tuple[DiaryEntry, ...]
    """The newest first; similar sessions stand where the newest of them would."""

    @property
    def sessions(self) -> tuple[TimelineSession, ...]:
        """All sessions, also those that are folded."""
        return tuple(session for entry in self.entries for session in sessions_of(entry))


@dataclass(frozen=True, slots=True)
class OutcomeSum:
    """What came out of several sessions of one day together."""

    sessions: int
    seconds: float
    added: int
    removed: int
    files: int
    """Different files."""
    commits: int
    pull_requests: tuple[int, ...]
    compactions: int


def diary_days(sessions: Iterable[TimelineSession]) -> list[DiaryDay]:
    """The days of rows, which are the newest first."""
    return [DiaryDay(on, tuple(_folded(list(own)))) for on, own in groupby(sessions, key=lambda session: session.day)]


def sessions_of(entry: DiaryEntry) -> tuple[TimelineSession, ...]:
    """The session of an entry, or all similar ones."""
    return entry.sessions if isinstance(entry, SimilarSessions) else (entry,)


def sum_of(sessions: Sequence[TimelineSession]) -> OutcomeSum:
    """What came out of sessions together, as far as it has been read."""
    outcomes = [_outcome(session) for session in sessions]
    files = {(session.root, path) for session, own in zip(sessions, outcomes, strict=True) for path in own.files}
    requests = {number for own in outcomes for number in own.pull_requests}
    return OutcomeSum(
        len(sessions),
        sum(own.active.total_seconds() for own in outcomes),
        sum(own.added for own in outcomes),
        sum(own.removed for own in outcomes),
        len(files),
        sum(len(own.commits) for own in outcomes),
        tuple(sorted(requests)),
        sum(own.compactions for own in outcomes),
    )


def _outcome(session: TimelineSession) -> SessionOutcome:
    return session.outcome or _NOTHING


def _folded(sessions: Sequence[TimelineSession]) -> Iterator[DiaryEntry]:
    groups: list[tuple[_Likeness, list[TimelineSession]]] = []
    for session in sessions:
        likeness = _Likeness.of(session)
        known = next((own for first, own in groups if likeness.is_similar(first)), None)
        if known is not None:
            known.append(session)
        else:
            groups.append((likeness, [session]))
    folded = {own[0].session_id: SimilarSessions(tuple(own)) for _, own in groups if len(own) >= _FEWEST}
    hidden = {session.session_id for similar in folded.values() for session in similar.sessions}
    for session in sessions:
        if similar := folded.get(session.session_id):
            yield similar
        elif session.session_id not in hidden:
            yield session


@dataclass(frozen=True, slots=True)
class _Likeness:
    """By what a session is compared with others of its day."""

    root: str
    alone: bool
    """Whether it is never folded: the user has pinned it, or nothing is known of it."""
    title: frozenset[str]
    """The words of the title, or of the prompt if the title is what the prompt says that others do not."""
    prompt: frozenset[str]

    @classmethod
    def of(cls, session: TimelineSession) -> _Likeness:
        indexed, prompt = session.session, _outcome(session).prompt
        is_telling = session.name.startswith(SKIPPED)
        alone = indexed is None or indexed.pinned
        return cls(session.root, alone, _words(prompt if is_telling else session.name), _words(prompt))

    def is_similar(self, other: _Likeness) -> bool:
        if self.alone or other.alone or self.root != other.root:
            return False
        is_long = min(len(self.prompt), len(other.prompt)) >= _LONG
        return _are_similar(self.title, other.title) or (is_long and _are_similar(self.prompt, other.prompt))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(lowered(text)))


def _are_similar(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= _SIMILAR * max(len(one), len(other))


def _beginning(texts: Sequence[str]) -> str:
    """The words with which all texts begin, with `…`; empty for less than two.

    What all of them skip first is skipped.
    """
    lead = SKIPPED if all(text.startswith(SKIPPED) for text in texts) else ""
    shared: list[str] = []
    for words in zip(*(text.removeprefix(lead).split() for text in texts), strict=False):
        if len(set(words)) > 1 or words[0].startswith("…"):
            break
        shared.append(words[0])
    return plain_line(f"{lead}{' '.join(shared).rstrip(',;:…')} …", TITLE_LENGTH) if len(shared) > 1 else ""
