"""The texts in which the memory tools answer; they are fixed, because agents know their form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from memtui_core.memory.memory_search import MemorySearchResult
from memtui_core.memory.summaries import SessionSummary
from memtui_core.memory.timeline.last_sessions import SessionOverview
from memtui_core.model import Hit
from memtui_core.store.observation import Observation
from memtui_core.text.controls import one_line

NO_MATCH = "No matching observations or session summaries found."
NO_SESSIONS = "No past sessions found for this project."
_MAX_SUMMARY = 600
"""Maximum characters of a summary in a timeline, where it takes one line."""
_NOTE_LENGTH = 200
"""Maximum characters of a note of the user beside a turn."""


def memory_search_text(result: MemorySearchResult) -> str:
    """The result of `mem-search`; with a requested type, a note if the hits are not observations."""
    if result.source == "nothing":
        return _with_notes(NO_MATCH, result.note)
    if result.source == "observations":
        return _with_notes(observations_text([hit.observation for hit in result.observations]), result.note)
    if result.source == "summaries":
        text, note = summaries_text(result.summaries), _untyped_note(result, "session summaries")
    else:
        texts = [turns_text(result.turns), *([summaries_text(result.summaries)] if result.summaries else [])]
        text, note = "\n\n".join(texts), _untyped_note(result, "turns of transcripts")
    return _with_notes(text, note, result.note)


def observations_text(observations: Sequence[Observation]) -> str:
    """A list of observations."""
    lines = [f"Found {len(observations)} observation(s):\n"]
    for observation in observations:
        lines += _observation_lines(observation)
    return "\n".join(lines)


def summaries_text(summaries: Sequence[SessionSummary]) -> str:
    """A list of session summaries."""
    lines = [f"Found {len(summaries)} session summary(ies):\n"]
    for summary in summaries:
        lines += [f"## Session: {summary.session_id}", summary.text, *_key_decision_lines(summary)]
        own = summary.added
        if added := added_text(own.tags, [note.text for note in own.notes], pinned=own.pinned):
            lines.append(added)
        lines.append("---")
    return "\n".join(lines)


def turns_text(turns: Sequence[Hit]) -> str:
    """A list of turns, each with its `SESSION:TURN`."""
    lines = [f"Found {len(turns)} turn(s) in transcripts:\n"]
    for hit in turns:
        title = f"## Turn: {hit.session_id}:{hit.turn}"
        facts = " · ".join(filter(None, (utc_text(hit.started_at), hit.member, hit.machine)))
        lines += [title, one_line(hit.title), hit.snippet, f"\n*{facts}*"]
        if added := added_text(hit.tags, hit.notes, pinned=hit.pinned):
            lines.append(added)
        lines.append("---")
    return "\n".join(lines)


def added_text(tags: Sequence[str], notes: Sequence[str], *, pinned: bool) -> str:
    """What the user has added, in one line: the notes quoted and cut; empty if there is nothing."""
    facts = [
        "pinned" if pinned else "",
        f"tags {', '.join(tags)}" if tags else "",
        *(f"note “{one_line(note, _NOTE_LENGTH)}”" for note in notes),
    ]
    return f"From the user: {'; '.join(filter(None, facts))}" if any(facts) else ""


def saved_text(observation: Observation) -> str:
    """The confirmation of `mem-save`."""
    return f"Saved observation: {_citation(observation)}"


def confirm_text(observation: Observation) -> str:
    """The question of `mem-forget` before it forgets an observation."""
    return f"This would forget: {_citation(observation)}. To do it, call mem-forget again with confirm set to true."


def forgotten_text(observation: Observation) -> str:
    """The confirmation of `mem-forget`."""
    return f"Forgot observation: {_citation(observation)}. With restore set to true mem-forget brings it back."


def restored_text(observation: Observation) -> str:
    """The confirmation of `mem-forget` with `restore`."""
    return f"Restored observation: {_citation(observation)}"


def timeline_text(sessions: Sequence[SessionOverview]) -> str:
    """A list of the sessions of a project with their summaries."""
    if not sessions:
        return NO_SESSIONS
    lines = [f"# Session Timeline ({len(sessions)} sessions)\n"]
    for session in sessions:
        lines += [
            f"## Session: {session.session_id}",
            f"- **Started**: {utc_text(session.started_at)}",
            *_status_lines(session),
        ]
        if session.summary is not None:
            lines.append(f"- **Summary**: {one_line(session.summary.text, _MAX_SUMMARY)}")
            if session.summary.key_decisions:
                lines.append(f"- **Key decisions**: {'; '.join(session.summary.key_decisions)}")
        lines.append("")
    return "\n".join(lines)


def detail_text(session: SessionOverview) -> str:
    """One session with its summary and its observations."""
    ended = "Active" if session.ended_at is None else utc_text(session.ended_at)
    lines = [f"# Session Detail: {session.session_id}\n", f"- **Started**: {utc_text(session.started_at)}"]
    lines += [f"- **Ended**: {ended}", *_status_lines(session)]
    if session.summary is not None:
        lines += [f"\n## Summary\n{session.summary.text}", *_key_decision_lines(session.summary)]
    if session.observations:
        lines.append("\n## Observations")
        for observation in session.observations:
            content = observation.content
            lines += [f"\n### [{content.type.upper()}] {content.title}", content.narrative]
            if content.concepts:
                lines.append(f"*Concepts: {', '.join(content.concepts)}*")
    return "\n".join(lines)


def utc_text(at: datetime | None) -> str:
    """A time as ISO 8601 in UTC, to the second; `unknown` for None."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else "unknown"


def _observation_lines(observation: Observation) -> Iterator[str]:
    content = observation.content
    yield f"## [{content.type.upper()}] {content.title}"
    if content.subtitle:
        yield f"*{content.subtitle}*"
    yield f"\n{content.narrative}"
    if content.facts:
        yield "\n**Facts:**"
        yield from (f"- {fact}" for fact in content.facts)
    if content.concepts:
        yield f"\n**Concepts:** {', '.join(content.concepts)}"
    if content.files_modified:
        yield f"**Files modified:** {', '.join(content.files_modified)}"
    if content.files_read:
        yield f"**Files read:** {', '.join(content.files_read)}"
    yield f"\n*Session: {observation.session_id} | {utc_text(observation.created_at)}*"
    yield "---"


def _key_decision_lines(summary: SessionSummary) -> Iterator[str]:
    if summary.key_decisions:
        yield "\n**Key decisions:**"
        yield from (f"- {decision}" for decision in summary.key_decisions)


def _status_lines(session: SessionOverview) -> list[str]:
    machine = [f"- **Machine**: {session.machine}"] if session.machine else []
    return [f"- **Status**: {session.status}", *machine, f"- **Observations**: {len(session.observations)}"]


def _citation(observation: Observation) -> str:
    return f'[{observation.content.type}] "{observation.content.title}" (ID: {observation.id})'


def _untyped_note(result: MemorySearchResult, hits: str) -> str:
    if result.type is None:
        return ""
    return f"No observation of the type {result.type} matches; these are {hits}, which have no type."


def _with_notes(text: str, *notes: str) -> str:
    return "\n".join([text, *(f"Note: {note}" for note in notes if note)])
