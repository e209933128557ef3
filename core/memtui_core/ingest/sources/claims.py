"""Which of two transcripts owns the entries that both have, whatever was read first.

Of copies of one session it is the transcript with more entries, or else the larger one. A session that a transcript
names as the one that it repeats owns what both have, and so does what that one names, and so on. Of other sessions it
is the one whose other entries start earlier, or that has no others because it ended there; for a session that goes back
to another one by name, that one is compared. So all sessions that share an entry have one order, and the first owns it.
What no transcript names is never guessed for this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest.discover import COPY, KnownSource, sources_with, transcript_of
from memtui_core.ingest.sources.entries import EntryKey, entry_key
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_of

if TYPE_CHECKING:
    from memtui_core.ingest.sources.batch import Batch

_MOST_CLAIMS: Final = 4
"""The most claims of transcripts that are kept, because the next transcripts may be compared with the same ones."""
_NEVER: Final = (sys.maxsize, 0)
"""Comes after every entry in the order of time."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The properties of a transcript that decide whether it owns the entries that it shares with another one."""

    agent: str
    session_id: str
    name: str
    entries: set[EntryKey]
    size: int
    """As `Transcript.size`: of two copies with the same entries, one may have more of the last entry."""
    forked_from: str | None = None
    """The session that it repeats, if it says so."""


def claim_of_transcript(transcript: Transcript) -> Claim:
    """The claim of a transcript, which is read completely to find it.

    Raises SourceUnreadable, and LookupError if there is no reader for its agent.
    """
    reader = reader_of(transcript.agent)
    if reader is None:
        raise LookupError(f"no reader of {transcript.agent}")
    reading = reader.read(transcript, START)
    keys = {
        key
        for record in reading
        if isinstance(record, Message) and record.blocks and (key := entry_key(record)) is not None
    }
    session_id, forked_from = reading.identity().session_id, reading.facts.forked_from
    return Claim(transcript.agent, session_id, transcript.name, keys, transcript.size, forked_from)


def newcomer_owns(batch: Batch, newcomer: Claim, rival: int) -> bool:
    """Whether shared entries belong to a new transcript, and not to the source that has them so far."""
    [source] = sources_with(batch.work, [rival])
    holder = _claim_of(batch, source)
    if newcomer.session_id == holder.session_id:
        return _copy_rank(newcomer) < _copy_rank(holder)
    ours, theirs = _lineage(batch, newcomer), _lineage(batch, holder)
    is_fork, is_origin = holder.session_id in ours, newcomer.session_id in theirs
    if is_fork != is_origin:
        return is_origin
    common = next((place for place, (our, their) in enumerate(zip(ours, theirs, strict=False)) if our != their), 0)
    # A session that has no other entries ended where the other one goes on, unless both repeat a third one.
    end = [_NEVER] if common else []
    ranks = [_session_rank(batch, *one, end) for one in ((newcomer, ours[common:]), (holder, theirs[common:]))]
    return ranks[0] < ranks[1]


def _lineage(batch: Batch, claim: Claim) -> list[str]:
    """The session that a transcript goes back to by name, and so on, down to its own session."""
    sessions = [claim.session_id]
    named = claim.forked_from
    while named is not None and named not in sessions:
        sessions.append(named)
        named = named_origin(batch, claim.agent, named)
    return sessions[::-1]


def named_origin(batch: Batch, agent: str, session_id: str) -> str | None:
    """The session that the transcripts of another one name as the one that it repeats."""
    key = agent, session_id
    if key not in batch.named_origins:
        claims = _claims_of_session(batch, agent, session_id)
        batch.named_origins[key] = next((claim.forked_from for claim in claims if claim.forked_from), None)
    return batch.named_origins[key]


def _claims_of_session(batch: Batch, agent: str, session_id: str) -> list[Claim]:
    session = batch.sessions.find((agent, session_id, None))
    if session is None:
        return []
    rows = batch.work.connection.execute(
        "SELECT id FROM sources WHERE session = ? AND state <> ?", [session.key, COPY]
    ).fetchall()
    claims = [_claim_of(batch, source) for source in sources_with(batch.work, [number for (number,) in rows])]
    return [claim for claim in claims if claim.session_id == session_id]


def _claim_of(batch: Batch, source: KnownSource) -> Claim:
    """The claim of a source; if its transcript is gone, by what the index has of it."""
    transcript = transcript_of(source)
    if transcript is not None:
        with suppress(SourceUnreadable, LookupError):
            return _kept_claim(transcript)
    entries = batch.work.connection.execute(
        "SELECT DISTINCT b.entry, coalesce(epoch_us(b.at_time), 0) FROM blocks b JOIN turns t ON t.id = b.turn"
        " WHERE t.source = ? AND b.entry IS NOT NULL",
        [source.id],
    ).fetchall()
    session = batch.sessions.rows.get(source.session) if source.session is not None else None
    session_id, forked_from = (session.session_id, session.forked_from) if session is not None else ("", None)
    return Claim(source.agent, session_id, source.name, set(entries), source.size, forked_from)


_kept_claim = lru_cache(_MOST_CLAIMS)(claim_of_transcript)


def _copy_rank(claim: Claim) -> tuple[int, int, str]:
    """Sorts the most complete copy of a session first."""
    return -len(claim.entries), -claim.size, claim.name


def _session_rank(
    batch: Batch, claim: Claim, lineage: list[str], end: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int]], str]:
    """Sorts the session first whose entries start first, from the first entry on that it does not share.

    The first session of the lineage that is in the index decides. `end` stands for what comes after the last entry.
    """
    for session_id in lineage:
        claims = _claims_of_session(batch, claim.agent, session_id)
        if session_id == claim.session_id:
            claims.append(claim)
        if claims:
            return [*sorted({(at, entry) for claim in claims for entry, at in claim.entries}), *end], session_id
    raise AssertionError("a lineage ends with the session of its claim")
