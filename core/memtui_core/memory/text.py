"""Observations as agents read them: the formats of docs/spec.md S3.3-S3.5, S3.8 and S3.12-S3.14, to the letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from memtui_core.memory.fallback import Recalled
from memtui_core.memory.summaries import SessionSummary
from memtui_core.memory.timeline import Past
from memtui_core.memory.values import Observation
from memtui_core.model import Hit
from memtui_core.text.controls import one_line

NOTHING = "No matching observations or session summaries found."
NO_SESSIONS = "No past sessions found for this project."
_SUMMARY = 600
"""Characters of a summary in a timeline, where it is one line."""


def recalled_text(recalled: Recalled) -> str:
    """The answer to `mem-search`; where a type was asked for, what answered instead."""
    if recalled.source == "nothing":
        return _noted(NOTHING, recalled.note)
    if recalled.source == "observations":
        return _noted(found_text([found.observation for found in recalled.observations]), recalled.note)
    if recalled.source == "summaries":
        return _noted(summaries_text(recalled.summaries), _instead(recalled, "session summaries"), recalled.note)
    return _noted(turns_text(recalled.turns), _instead(recalled, "turns of transcripts"), recalled.note)


def found_text(observations: Sequence[Observation]) -> str:
    """Observations that were found."""
    lines = [f"Found {len(observations)} observation(s):\n"]
    for observation in observations:
        lines += _observation(observation)
    return "\n".join(lines)


def summaries_text(summaries: Sequence[SessionSummary]) -> str:
    """Session summaries that were found."""
    lines = [f"Found {len(summaries)} session summary(ies):\n"]
    for summary in summaries:
        lines += [f"## Session: {summary.session_id}", summary.text, *_key_decisions(summary), "---"]
    return "\n".join(lines)


def turns_text(turns: Sequence[Hit]) -> str:
    """Turns of transcripts that were found, each where it can be read up."""
    lines = [f"Found {len(turns)} turn(s) in transcripts:\n"]
    for hit in turns:
        title = f"## Turn: {hit.session_id}:{hit.turn}"
        lines += [title, one_line(hit.title), hit.snippet, f"\n*{moment(hit.started_at)}*", "---"]
    return "\n".join(lines)


def saved_text(observation: Observation) -> str:
    """The answer to `mem-save`."""
    content = observation.content
    return f'Saved observation: [{content.type}] "{content.title}" (ID: {observation.id})'


def confirm_text(observation: Observation) -> str:
    """What is asked before an observation is forgotten."""
    return f"This would forget: {_named(observation)}. To do it, call mem-forget again with confirm set to true."


def forgotten_text(observation: Observation) -> str:
    """The answer to `mem-forget`."""
    return f"Forgot observation: {_named(observation)}. With restore set to true mem-forget brings it back."


def restored_text(observation: Observation) -> str:
    """The answer to a restore."""
    return f"Restored observation: {_named(observation)}"


def timeline_text(sessions: Sequence[Past]) -> str:
    """The sessions of a project."""
    if not sessions:
        return NO_SESSIONS
    lines = [f"# Session Timeline ({len(sessions)} sessions)\n"]
    for past in sessions:
        lines += [f"## Session: {past.session_id}", f"- **Started**: {moment(past.started_at)}", *_state(past)]
        if past.summary is not None:
            lines.append(f"- **Summary**: {one_line(past.summary.text, _SUMMARY)}")
            if past.summary.key_decisions:
                lines.append(f"- **Key decisions**: {'; '.join(past.summary.key_decisions)}")
        lines.append("")
    return "\n".join(lines)


def detail_text(past: Past) -> str:
    """One session with what was written down in it."""
    ended = "Active" if past.ended_at is None else moment(past.ended_at)
    lines = [f"# Session Detail: {past.session_id}\n", f"- **Started**: {moment(past.started_at)}"]
    lines += [f"- **Ended**: {ended}", *_state(past)]
    if past.summary is not None:
        lines += [f"\n## Summary\n{past.summary.text}", *_key_decisions(past.summary)]
    if past.observations:
        lines.append("\n## Observations")
        for observation in past.observations:
            content = observation.content
            lines += [f"\n### [{content.type.upper()}] {content.title}", content.narrative]
            if content.concepts:
                lines.append(f"*Concepts: {', '.join(content.concepts)}*")
    return "\n".join(lines)


def moment(at: datetime | None) -> str:
    """A time in UTC to the second, as ISO 8601; `unknown` for none."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else "unknown"


def _observation(observation: Observation) -> Iterator[str]:
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
    yield f"\n*Session: {observation.session_id} | {moment(observation.created_at)}*"
    yield "---"


def _key_decisions(summary: SessionSummary) -> Iterator[str]:
    if summary.key_decisions:
        yield "\n**Key decisions:**"
        yield from (f"- {decision}" for decision in summary.key_decisions)


def _state(past: Past) -> list[str]:
    return [f"- **Status**: {past.status}", f"- **Observations**: {len(past.observations)}"]


def _named(observation: Observation) -> str:
    return f'[{observation.content.type}] "{observation.content.title}" (ID: {observation.id})'


def _instead(recalled: Recalled, what: str) -> str:
    if recalled.type is None:
        return ""
    return f"No observation of the type {recalled.type} matches; these are {what}, which have no type."


def _noted(text: str, *notes: str) -> str:
    told = [f"Note: {note}" for note in notes if note]
    return "\n".join([text, *told])
