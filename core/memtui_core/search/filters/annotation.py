"""The filters by what the user has added to a turn or its session: `tag:` and `note:`."""

from __future__ import annotations

from memtui_core.search.filters.choices import annotated
from memtui_core.search.filters.filter import Condition, Filter, FilterContext, fixed_values, selected_values


def _tagged(value: str, context: FilterContext) -> Condition:
    return Condition(annotated("a.kind = 'tag' AND starts_with(a.text, ?)"), [value.lower().removeprefix("#")])


def _noted(value: str, context: FilterContext) -> Condition:
    return Condition(annotated("a.kind = 'note' AND contains(lower(a.text), ?)"), [value.lower()])


TAG = Filter(
    name="tag",
    leaves="turns with your tag, or of a session with it, by its beginning; `tag:=release`: by the whole tag",
    examples=("release",),
    turns=_tagged,
    whole_value=annotated("a.kind = 'tag' AND a.text = ?"),
    observations=None,
    completions=selected_values(
        "SELECT text FROM annotations WHERE kind = 'tag' GROUP BY text ORDER BY count(*) DESC, text"
    ),
    conjunctive=True,
)
NOTE = Filter(
    name="note",
    leaves="turns with your note, or of a session with it, by a part of the note; in quotes if it has blanks",
    examples=("deadline",),
    turns=_noted,
    observations=None,
    completions=fixed_values(),
    conjunctive=True,
)
