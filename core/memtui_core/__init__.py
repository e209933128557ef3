"""The index of coding-agent transcripts, and the search over it, as a library.

    from memtui_core import open_index

    for hit in open_index().search("retry upload", limit=3).hits:
        print(hit.title, hit.snippet)

Names are imported when they are first used, so that `import memtui_core` alone takes almost no time.
"""

from __future__ import annotations

from importlib import import_module

from memtui_core import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from memtui_core.errors import (
        BadAnnotation,
        BadObservation,
        CompactionUnknown,
        IndexBroken,
        IndexerBusy,
        IndexMissing,
        IndexTooNew,
        MachineBusy,
        MachineRefused,
        MachineUnknown,
        MachineUnreachable,
        MemtuiError,
        ModelUnavailable,
        NoOwnTurns,
        NoteUnknown,
        NotForgotten,
        NothingBefore,
        NothingSelected,
        ObservationUnknown,
        PricesInvalid,
        RecordDamaged,
        SessionUnknown,
        SourceUnreadable,
        SqlFailed,
    )
    from memtui_core.index.index import Index
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.model import (
        Annotations,
        Block,
        Compaction,
        Example,
        FileTouch,
        Hit,
        HitGroup,
        Passage,
        PrLink,
        Progress,
        Project,
        SearchResult,
        SelectedSessions,
        Session,
        SessionEnd,
        SessionsToForget,
        Span,
        Stats,
        Turn,
        UserNote,
        Variety,
    )
    from memtui_core.tools.profile import Profile

    __version__: str

__all__ = [
    "Annotations",
    "BadAnnotation",
    "BadObservation",
    "Block",
    "Compaction",
    "CompactionUnknown",
    "Example",
    "FileTouch",
    "Hit",
    "HitGroup",
    "Index",
    "IndexBroken",
    "IndexMissing",
    "IndexTooNew",
    "Indexer",
    "IndexerBusy",
    "MachineBusy",
    "MachineRefused",
    "MachineUnknown",
    "MachineUnreachable",
    "MemtuiError",
    "ModelUnavailable",
    "NoOwnTurns",
    "NotForgotten",
    "NoteUnknown",
    "NothingBefore",
    "NothingSelected",
    "ObservationUnknown",
    "Passage",
    "PrLink",
    "PricesInvalid",
    "Progress",
    "Project",
    "RecordDamaged",
    "SearchResult",
    "SelectedSessions",
    "Session",
    "SessionEnd",
    "SessionUnknown",
    "SessionsToForget",
    "SourceUnreadable",
    "Span",
    "SqlFailed",
    "Stats",
    "Turn",
    "UserNote",
    "Variety",
    "__version__",
    "open_index",
]
_MODULES = ("errors", "model", "index.index", "ingest.indexer")
"""The modules that define these names, in the order in which they are searched: those that import least come first."""


def _profiles_of_agents() -> Iterator[Profile]:
    from memtui_core.readers.registry import profiles

    return profiles()


tools.profiles_of_agents = _profiles_of_agents


def open_index(data_dir: Path | str | None = None) -> Index:
    """Open the index of a data folder, by default the one that the command `memtui` uses.

    Raises IndexMissing, IndexBroken or IndexTooNew.
    """
    from pathlib import Path

    from memtui_core.index.index import Index
    from memtui_core.system import locations

    return Index.open(locations.data_dir(Path(data_dir) if data_dir is not None else None))


if not TYPE_CHECKING:  # a type checker knows the names above, and reports all others

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "__version__":
            from importlib.metadata import version

            value = version("memtui")
        else:
            modules = (import_module(f"{__name__}.{module}") for module in _MODULES)
            value = next(getattr(module, name) for module in modules if hasattr(module, name))
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
