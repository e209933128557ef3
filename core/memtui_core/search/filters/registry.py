"""The list of filters, in the order in which help and documents show them."""

from __future__ import annotations

from memtui_core.search.filters.annotation import NOTE, TAG
from memtui_core.search.filters.choices import HAS, IN, IS, ROLE
from memtui_core.search.filters.expression import RE
from memtui_core.search.filters.file import FILE
from memtui_core.search.filters.filter import Filter
from memtui_core.search.filters.names import AGENT, BRANCH, COMMIT, MACHINE, MODEL, PR, PROJECT, SESSION, TOOL
from memtui_core.search.filters.times import AFTER, BEFORE

FILTERS: tuple[Filter, ...] = (
    PROJECT,
    AGENT,
    MACHINE,
    SESSION,
    BRANCH,
    TOOL,
    MODEL,
    FILE,
    PR,
    COMMIT,
    RE,
    IN,
    ROLE,
    IS,
    HAS,
    TAG,
    NOTE,
    AFTER,
    BEFORE,
)


def filters_by_name() -> dict[str, Filter]:
    """The filters by their names, in the order of the list."""
    return {query_filter.name: query_filter for query_filter in FILTERS}
