"""The filters with a fixed set of values: `in:`, `role:`, `is:` and `has:`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from memtui_core.model import OBSERVATION_TYPES, SessionState
from memtui_core.queries.turns import IS_DECISION
from memtui_core.search.filters.filter import (
    Condition,
    Filter,
    FilterContext,
    FilterNotApplied,
    ObservationTest,
    fixed_values,
)
from memtui_core.store.tables import key_condition

ARCHIVED: Final = "is:archived"
"""The only filter that finds archived sessions by what they are; `session:` finds one by its name."""


def _choice_filter(
    name: str,
    leaves: str,
    choices: Mapping[str, Condition | Callable[[FilterContext], Condition]],
    *,
    observations: Callable[[str, FilterContext], ObservationTest | None] | None = None,
    conjunctive: bool = False,
) -> Filter:
    """A filter for turns by its values, each with its condition, or what makes it."""

    def turns(value: str, context: FilterContext) -> Condition:
        # The first choice that starts with the value, so that the filter applies while it is typed.
        condition = next((own for choice, own in choices.items() if choice.startswith(value.lower())), None)
        if condition is None:
            raise FilterNotApplied(f"{name}:{value} is not one of {', '.join(choices)}")
        return condition(context) if callable(condition) else condition

    return Filter(
        name=name,
        leaves=leaves,
        examples=tuple(choices),
        turns=turns,
        observations=observations,
        completions=fixed_values(*choices),
        conjunctive=conjunctive,
    )


def _block(kind: str) -> str:
    """The condition that a turn has a block of a kind."""
    return f"EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = '{kind}')"


def _at(*states: SessionState) -> Callable[[FilterContext], Condition]:
    """What makes the condition that the session of a turn is at one of some states now."""

    def condition(context: FilterContext) -> Condition:
        ends = context.unfinished(context.now)
        return Condition(key_condition("s.key", [key for key, end in ends.items() if end.state(context.now) in states]))

    return condition


def annotated(condition: str) -> str:
    """The condition that a turn, or its session, has an annotation that meets a condition."""
    return (
        "EXISTS (SELECT 1 FROM annotations a WHERE a.session = s.key AND (a.turn IS NULL OR a.turn = t.id)"
        f" AND {condition})"
    )


def _observations_of_type(value: str, context: FilterContext) -> ObservationTest | None:
    observation_type = value.lower()
    if observation_type not in OBSERVATION_TYPES:
        return None
    return lambda one: one.content.type == observation_type


IN = _choice_filter(
    "in",
    "words in that part of a turn only; notes that only the model got are searched by `in:note` alone",
    {
        "user": Condition("t.user_text <> '' AND t.kind <> 'compaction'", fields=("user",)),
        "assistant": Condition(_block("text"), fields=("assistant",)),
        "thinking": Condition(_block("thinking"), fields=("thinking",)),
        "tool": Condition("t.tool_calls > 0", fields=("call", "output")),
        "note": Condition(_block("note"), fields=("notes", "asides")),
        "title": Condition("s.title <> ''", fields=("title",)),
    },
)
ROLE = _choice_filter(
    "role",
    "turns of that kind; `turn` is each kind but the summary of a compaction",
    {
        "turn": Condition("t.kind <> 'compaction'"),
        "compaction_summary": Condition("t.kind = 'compaction'"),
        "human": Condition("t.kind = 'human'"),
        "command": Condition("t.kind = 'command'"),
        "agent": Condition("t.kind = 'agent'"),
    },
)
IS = _choice_filter(
    "is",
    "compactions; turns of subagents, of main sessions, of forks; slash commands; sessions that run, that wait for your"
    " answer (`is:live`: either), or that an error ended; what you have pinned; turns in which something was decided;"
    " archived sessions, which are left out otherwise",
    {
        "compaction": Condition("t.kind = 'compaction'"),
        "subagent": Condition("s.parent IS NOT NULL"),
        "main": Condition("s.parent IS NULL"),
        "fork": Condition("s.forked_from IS NOT NULL"),
        "command": Condition("t.kind = 'command'"),
        "live": _at("running", "waiting"),
        "running": _at("running"),
        "waiting": _at("waiting"),
        "failed": _at("failed"),
        "pinned": Condition(annotated("a.kind = 'pin'")),
        "decision": Condition(
            f"EXISTS (SELECT 1 FROM facts f WHERE f.turn = t.id AND {IS_DECISION})", quotes="decision"
        ),
        "archived": Condition("s.key IN (SELECT session FROM annotations WHERE kind = 'archive')"),
    },
    observations=_observations_of_type,
    conjunctive=True,
)
HAS = _choice_filter(
    "has",
    "turns with such a thing; `has:pr`: the sessions with a pull request; `has:note` and `has:tag`: what you have added"
    " to a turn or its session",
    {
        "error": Condition("t.errors > 0"),
        "edit": Condition("EXISTS (SELECT 1 FROM file_mentions m WHERE m.turn = t.id AND m.kind = 'edited')"),
        "tool": Condition("t.tool_calls > 0"),
        "thinking": Condition(_block("thinking")),
        "image": Condition(_block("image")),
        "pr": Condition("s.key IN (SELECT session FROM pr_links)"),
        "commit": Condition("t.id IN (SELECT turn FROM facts WHERE kind = 'commit')"),
        "note": Condition(annotated("a.kind = 'note'")),
        "tag": Condition(annotated("a.kind = 'tag'")),
    },
    conjunctive=True,
)
