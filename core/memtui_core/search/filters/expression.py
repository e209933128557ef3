"""The filter by a regular expression: `re:"time(d )?out"`."""

from __future__ import annotations

from typing import Final

from memtui_core.search.filters.filter import (
    Condition,
    Filter,
    FilterContext,
    FilterNotApplied,
    ObservationTest,
    fixed_values,
)
from memtui_core.store.lexicon import expressions
from memtui_core.store.lexicon.fields import ASIDE_TOOLS, ASIDES, kinds_in
from memtui_core.store.observation import Observation

_TEXT: Final = (
    "CASE WHEN b.kind = 'tool_call' THEN concat_ws(' ', b.tool, CASE WHEN json_valid(b.text)"
    " THEN array_to_string(json_extract_string(b.text, '$.*'), chr(10)) ELSE b.text END) ELSE b.text END"
)
"""The text of a block: of a tool call its tool and the values of its input, one per line."""
_ASIDE: Final = f"b.kind = 'note' AND coalesce(b.tool, '') IN ({', '.join(map(repr, sorted(ASIDE_TOOLS)))})"


def _turns(value: str, context: FilterContext) -> Condition:
    pattern = _pattern(value)
    fields = context.fields
    if "title" in fields:
        return Condition("regexp_matches(s.title, ?)", [pattern])
    kinds = [*(["user"] if "user" in fields else []), *kinds_in(fields)]
    among = f"b.kind IN ({', '.join(map(repr, kinds))})" if fields else "b.kind <> 'image'"
    aside = "" if ASIDES in fields else f" AND NOT ({_ASIDE})"
    return Condition(
        f"t.id IN (SELECT b.turn FROM blocks b WHERE {among}{aside} AND regexp_matches({_TEXT}, ?))", [pattern]
    )


def _pattern(value: str) -> str:
    if reason := expressions.problem(value):
        raise FilterNotApplied(f"re:{value} {reason}")
    return expressions.normalized(value)


def _observation_test(value: str, context: FilterContext) -> ObservationTest:
    compiled = expressions.compiled(_pattern(value))

    def test(one: Observation) -> bool:
        content = one.content
        texts = (content.title, content.subtitle, content.narrative, *content.facts, *content.concepts)
        return any(compiled.search(text) is not None for text in texts)

    return test


RE = Filter(
    name="re",
    leaves=(
        "turns with a text that a regular expression matches (RE2, line by line), in quotes if it has blanks; with"
        " capitals or without, unless it has one; with `in:` in that part only"
    ),
    examples=('"time(d )?out"',),
    turns=_turns,
    observations=_observation_test,
    completions=fixed_values(),
    conjunctive=True,
)
