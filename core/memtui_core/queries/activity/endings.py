"""How sessions ended, by the last entry of each: whether one still runs, waits for the user, or failed.

Only the last block of each session is read, and its text only where the verdict or the quote needs it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from memtui_core.model import CLOCK_TOLERANCE, WAITS, EndKind, SessionEnd
from memtui_core.queries.columns import utc
from memtui_core.queries.sessions import OF_SOURCES
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.text.controls import one_line
from memtui_core.tools.call import object_of
from memtui_core.tools.vocabulary import text_of, vocabulary

_LONGEST_QUOTE: Final = 240
_TAIL: Final = 1_200
"""Characters at the end of a text in which a question is looked for."""
_FEW: Final = 50
"""Up to so many turns are read by ranges of ids, more with one list."""
_MOST_BLOCKS: Final = 1_000_000
"""More than the blocks of a turn."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])[*_`\"'”’)]*\s+|(?<=[。！？])")
_OFFER: Final = re.compile(
    r"\W*(?:want me|want to|would you|do you want|shall (?:i|we)|should (?:i|we)|which|ready to)\b", re.IGNORECASE
)
"""How questions to the user begin that other sentences may follow, such as what the agent would do."""
_DECORATION: Final = " \t*_`\"'”’)"


class _LastTurn(NamedTuple):
    """The last turn of a session."""

    id: int
    session: int
    is_main: bool
    has_only_prompts: bool
    number: int
    kind: str
    at: datetime | None


class _Last(NamedTuple):
    """The last turn of a session with the last block in it that is no note, or a note that says how it ended."""

    turn: _LastTurn
    seq: int
    line: int
    kind: str
    tool: str
    is_error: bool

    @property
    def end(self) -> EndKind:
        """How the session ended, as far as the kind of the block tells: a text may be a question, too."""
        if not self.kind or self.turn.has_only_prompts:
            return "unknown"
        if self.kind == "note":
            return "interrupted" if self.tool == "interrupt" else "error"
        if self.kind == "text":
            return "error" if self.is_error else "clean"
        if self.kind == "user":
            return "unanswered" if self.turn.kind == "human" else "unknown"
        asks = self.kind == "tool_call" and self.turn.is_main and vocabulary().asks_user(self.tool)
        return "question" if asks else "stopped"


def read_ends(snapshot: Snapshot, keys: Collection[int]) -> dict[int, SessionEnd]:
    """How some sessions ended, by key; those without turns are left out."""
    return _ends(snapshot, _last_blocks(snapshot, _last_turns(snapshot, key_condition("t.session", keys))))


def unfinished(snapshot: Snapshot, now: datetime) -> dict[int, SessionEnd]:
    """The sessions, without subagents, that run, wait or have failed at a time, by key."""
    # What is kept for a day may have more than what is unfinished at some time of it.
    since = now - WAITS - CLOCK_TOLERANCE
    ends = snapshot.cached(f"unfinished since {since.date()}", lambda: _ends_since(snapshot, since))
    return {key: end for key, end in ends.items() if end.state(now) != "ended"}


def _ends_since(snapshot: Snapshot, since: datetime) -> dict[int, SessionEnd]:
    """The ends of the sessions that wrote after some time, or that an error ended."""
    found = _last_blocks(snapshot, _last_turns(snapshot, "s.parent IS NULL"))
    return _ends(snapshot, [one for one in found if one.end == "error" or (one.turn.at and one.turn.at > since)])


def _last_turns(snapshot: Snapshot, condition: str) -> list[_LastTurn]:
    rows = snapshot.rows(
        "SELECT max_by(t.id, t.number), t.session, any_value(s.parent) IS NULL, any_value(g.only_prompts) IS TRUE,"
        " max(t.number), max_by(t.kind, t.number), greatest(max(credible(t.ended_at)), any_value(c.at))"
        f" FROM turns t JOIN sessions s ON s.key = t.session LEFT JOIN ({OF_SOURCES}) g ON g.session = t.session"
        " LEFT JOIN (SELECT parent, max(credible(ended_at)) AS at FROM sessions JOIN turns ON session = key"
        " WHERE parent IS NOT NULL GROUP BY parent) c ON c.parent = t.session"
        f" WHERE NOT s.hidden AND {condition} GROUP BY t.session"
    )
    return [_LastTurn._make(row)._replace(at=utc(row[-1])) for row in rows]


def _last_blocks(snapshot: Snapshot, turns: Iterable[_LastTurn]) -> list[_Last]:
    by_id = {turn.id: turn for turn in turns}
    blocks = {
        turn: values
        for condition in _conditions("turn", by_id)
        for turn, *values in snapshot.rows(
            "SELECT turn, max(seq), max_by(line, seq), max_by(kind, seq), max_by(coalesce(tool, ''), seq),"
            f" max_by(is_error, seq) FROM blocks WHERE {condition} AND kind <> 'image'"
            " AND (kind <> 'note' OR tool IN ('interrupt', 'error')) GROUP BY turn"
        )
    }
    return [_Last(turn, *blocks.get(key, (0, 0, "", "", False))) for key, turn in by_id.items()]


def _conditions(column: str, keys: Collection[int]) -> Iterable[str]:
    """Conditions of which each key meets one."""
    return key_ranges(column, keys) if len(keys) <= _FEW else [key_condition(column, keys)]


def _ends(snapshot: Snapshot, found: Sequence[_Last]) -> dict[int, SessionEnd]:
    telling = {one.turn.id: one.turn.id * _MOST_BLOCKS + one.seq for one in found if one.end != "unknown"}
    texts = {
        turn: values
        for condition in _conditions("b.turn", telling)
        for turn, *values in snapshot.rows(
            "SELECT b.turn, CASE b.kind WHEN 'text' THEN right(b.text, $1) WHEN 'tool_result' THEN '' ELSE b.text END,"
            " t.user_text, coalesce(t.tool_summary[-1], '') FROM blocks b JOIN turns t ON t.id = b.turn"
            f" WHERE {condition} AND {key_condition(f'b.turn * {_MOST_BLOCKS}::BIGINT + b.seq', telling.values())}",
            [_TAIL],
        )
    }
    return {one.turn.session: _end(one, *texts.get(one.turn.id, ("", "", ""))) for one in found}


def _end(last: _Last, text: str, prompt: str, call: str) -> SessionEnd:
    kind, turn = last.end, last.turn
    quote = {"interrupted": prompt, "unanswered": prompt, "stopped": call or prompt, "error": text}.get(kind, "")
    if kind == "question":
        quote = _asked_by_tool(text)
    elif kind == "clean" and turn.is_main and (quote := asked_in(text)):
        kind = "question"
    return SessionEnd(turn.session, kind, turn.number, last.line, turn.at, one_line(quote, _LONGEST_QUOTE))


def _asked_by_tool(text: str) -> str:
    """The first question of a call, or the plan that it proposes."""
    fields = object_of(text)
    asked = fields.get("questions")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], dict) else fields
    return text_of(first, ("question", "plan"))


def asked_in(text: str) -> str:
    """The question to the user with which a text ends; empty if there is none.

    It is the last sentence of the last paragraph, or one before it that makes an offer: `Want me to fix it? I would
    begin with the parser.` Code and tables ask nothing.
    """
    paragraph = text.rstrip().rpartition("\n\n")[2].strip()
    if paragraph.endswith("```") or paragraph.startswith("|"):
        return ""
    sentences = [one.strip() for one in _SENTENCE_END.split(paragraph) if one.strip()]
    asked = [one for one in sentences if one.rstrip(_DECORATION).endswith(("?", "？"))]
    if not asked or (asked[-1] is not sentences[-1] and not _OFFER.match(asked[-1])):
        return ""
    return asked[-1].strip(_DECORATION)
