"""Take the turns of a source out again, before they are read anew or because the file was rewritten."""

from __future__ import annotations

from memtui_core.store.work import Work


def forget_turns(work: Work, source: int, from_line: int, batch: int) -> set[int]:
    """Drop all that stands at or after a line of a source, and what hangs on it (SPEC S4.11).

    The keys of the sessions that lost turns.
    """
    connection = work.connection
    where = "source = ? AND line >= ?"
    parameters = [source, from_line]
    touched = connection.execute(f"SELECT DISTINCT session FROM turns WHERE {where}", parameters).fetchall()
    connection.execute(f"INSERT INTO dropped_turns SELECT id, ? FROM turns WHERE {where}", [batch, *parameters])
    for table in ("blocks", "file_mentions", "agent_calls", "chunks"):
        connection.execute(f"DELETE FROM {table} WHERE turn IN (SELECT id FROM turns WHERE {where})", parameters)
    connection.execute(f"DELETE FROM turns WHERE {where}", parameters)
    connection.execute(f"DELETE FROM bad_lines WHERE {where}", parameters)
    connection.execute(f"DELETE FROM compactions WHERE {where}", parameters)
    if from_line == 0:
        connection.execute("DELETE FROM titles WHERE source = ?", [source])
    return {session for (session,) in touched}
