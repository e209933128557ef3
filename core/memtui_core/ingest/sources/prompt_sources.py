"""Sources that have only the prompts of a session: they count until another source has turns of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui_core.ingest.discover import PROMPTS, SUPERSEDED
from memtui_core.ingest.sources.turn_removal import remove_turns
from memtui_core.store.tables import COLUMNS, key_condition

if TYPE_CHECKING:
    from memtui_core.ingest.sources.batch import Batch

_KNOWN: Final = """
SELECT f.id FROM sources f WHERE f.state = ?
    AND EXISTS (SELECT 1 FROM turns t JOIN turns o ON o.session = t.session AND o.source <> t.source
        WHERE t.source = f.id)
"""


def superseded_prompts(batch: Batch) -> list[int]:
    """The sources with prompts of sessions of which another source has turns."""
    return [source for (source,) in batch.work.connection.execute(_KNOWN, [PROMPTS]).fetchall()]


def drop_prompts(batch: Batch, sources: list[int]) -> None:
    """Remove the turns of such sources and mark them, so that they are not read again."""
    batch.begin(own_transaction=True)
    rows = batch.work.rows("sources", key_condition("id", sources), [])
    batch.work.drop("sources", sources)
    for source in sources:
        batch.sessions.recount(remove_turns(batch.work, source, 0))
        batch.mark_uncertain(source)
    state = list(COLUMNS["sources"]).index("state")
    for row in rows:
        batch.put("sources", *row[:state], SUPERSEDED, *row[state + 1 :])
    batch.finish()
