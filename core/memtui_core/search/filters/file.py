"""The filter by touched files: `file:ci.yml`, `file:src/`, `file:*.rs`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memtui_core.model import TouchKind
from memtui_core.search.filters.filter import Condition, Filter, FilterContext, selected_values
from memtui_core.search.path_search import path_condition
from memtui_core.store.observation import Observation
from memtui_core.text.paths import normalize, suffix_match

_MAX_OFFERED = 5000
"""Most names of files that completion offers."""


def _turns(value: str, context: FilterContext) -> Condition:
    resolved = context.resolve_file(value)
    files = resolved.paths or (value,)
    conditions, parameters = zip(*map(path_condition, files), strict=True)
    return Condition(
        f"EXISTS (SELECT 1 FROM file_mentions m WHERE m.turn = t.id AND ({' OR '.join(conditions)}))",
        [parameter for own in parameters for parameter in own],
        files=files,
        note=resolved.note,
    )


def matching_file(observation: Observation, path: str) -> tuple[TouchKind, str] | None:
    """The first file of an observation that a path names, and how it was touched; None if there is none.

    A path that ends with a slash is a folder and names all files in it.
    """
    relative = _relative(path, observation.root)
    kinds: tuple[tuple[TouchKind, Sequence[str]], ...] = (
        ("edited", observation.content.files_modified),
        ("read", observation.content.files_read),
    )
    for kind, files in kinds:
        for file in files:
            if _matches(file, relative):
                return kind, file
    return None


@lru_cache(256)
def _relative(path: str, root: str) -> str:
    """A path relative to a root, if it is below the root; a slash at its end stays."""
    relative = normalize(path, root, root) if root else None
    return path if relative is None else f"{relative}/" if path.endswith("/") else relative


def _matches(file: str, path: str) -> bool:
    if path.endswith("/"):
        return f"/{path.strip('/').lower()}/" in f"/{file.lower()}/"
    return suffix_match(file, path)


FILE = Filter(
    name="file",
    leaves="turns that touched such a file",
    examples=("ci.yml", "src/", "*.rs"),
    turns=_turns,
    observations=lambda value, context: lambda one: matching_file(one, value) is not None,
    completions=selected_values(
        "SELECT parse_filename(m.path, 'forward_slash') AS name FROM file_mentions m JOIN turns t ON t.id = m.turn"
        " WHERE NOT m.is_dir GROUP BY name ORDER BY max(credible(t.started_at)) DESC NULLS LAST, name"
        f" LIMIT {_MAX_OFFERED}"
    ),
)
