"""The schema as numbered SQL migrations.

A released migration is never edited: a new one is added below it. Text columns are compressed with zstd, which reduces
the file to a fifth of its size and is as fast to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui_core.errors import IndexTooNew
from memtui_core.system.fault_points import fault_point

if TYPE_CHECKING:
    import duckdb

MIGRATIONS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE sources (
        id INTEGER NOT NULL, path VARCHAR NOT NULL, agent VARCHAR NOT NULL, state VARCHAR NOT NULL,
        session INTEGER, size BIGINT NOT NULL, mtime BIGINT NOT NULL,
        cursor_offset BIGINT NOT NULL, cursor_line INTEGER NOT NULL, lines INTEGER NOT NULL,
        head_hash VARCHAR NOT NULL, head_size INTEGER NOT NULL, gone_at TIMESTAMP, error VARCHAR, indexed_at TIMESTAMP
    );
    CREATE TABLE bad_lines (source INTEGER NOT NULL, line INTEGER NOT NULL, reason VARCHAR NOT NULL);
    CREATE TABLE sessions (
        key INTEGER NOT NULL, agent VARCHAR NOT NULL, session_id VARCHAR NOT NULL, parent_id VARCHAR,
        parent INTEGER, parent_tool_id VARCHAR, agent_type VARCHAR,
        project VARCHAR NOT NULL, root VARCHAR NOT NULL, worktree VARCHAR, cwd VARCHAR NOT NULL,
        branch VARCHAR, version VARCHAR, title VARCHAR NOT NULL, title_rank INTEGER NOT NULL,
        forked_from VARCHAR, hidden BOOLEAN NOT NULL
    );
    CREATE TABLE turns (
        id INTEGER NOT NULL, session INTEGER NOT NULL, source INTEGER NOT NULL, number INTEGER NOT NULL,
        line INTEGER NOT NULL, end_line INTEGER NOT NULL, kind VARCHAR NOT NULL, segment INTEGER NOT NULL,
        user_text VARCHAR USING COMPRESSION zstd, tool_summary VARCHAR[], models VARCHAR[],
        started_at TIMESTAMP, ended_at TIMESTAMP,
        input_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL,
        cache_read_tokens BIGINT NOT NULL, cache_write_tokens BIGINT NOT NULL,
        tool_calls INTEGER NOT NULL, errors INTEGER NOT NULL, provisional BOOLEAN NOT NULL, batch INTEGER NOT NULL
    );
    CREATE TABLE blocks (
        turn INTEGER NOT NULL, seq INTEGER NOT NULL, line INTEGER NOT NULL, kind VARCHAR NOT NULL,
        text VARCHAR USING COMPRESSION zstd, tool VARCHAR, tool_id VARCHAR, is_error BOOLEAN NOT NULL,
        at_time TIMESTAMP, detail VARCHAR USING COMPRESSION zstd, entry BIGINT
    );
    CREATE TABLE compactions (
        session INTEGER NOT NULL, source INTEGER NOT NULL, line INTEGER NOT NULL, segment INTEGER NOT NULL,
        at_time TIMESTAMP, trigger VARCHAR, tokens_before BIGINT
    );
    CREATE TABLE pr_links (
        session INTEGER NOT NULL, number INTEGER NOT NULL, url VARCHAR NOT NULL, repository VARCHAR NOT NULL,
        at_time TIMESTAMP, line INTEGER NOT NULL, PRIMARY KEY (session, number)
    );
    CREATE TABLE file_mentions (
        session INTEGER NOT NULL, turn INTEGER NOT NULL, line INTEGER NOT NULL, path VARCHAR NOT NULL,
        tool VARCHAR NOT NULL, kind VARCHAR NOT NULL, is_dir BOOLEAN NOT NULL
    );
    CREATE TABLE agent_calls (
        session INTEGER NOT NULL, turn INTEGER NOT NULL, tool_id VARCHAR NOT NULL, agent_id VARCHAR,
        agent_type VARCHAR, description VARCHAR, prompt_hash BIGINT
    );
    CREATE TABLE titles (source INTEGER NOT NULL, leaf BIGINT NOT NULL, title VARCHAR NOT NULL);
    CREATE TABLE dropped_turns (turn INTEGER NOT NULL, batch INTEGER NOT NULL);
    CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);
    INSERT INTO meta VALUES ('batch', '0');
    """,
    """
    CREATE TABLE chunks (
        turn INTEGER NOT NULL, seq INTEGER NOT NULL, hash BIGINT, text VARCHAR USING COMPRESSION zstd
    );
    """,
    # Vectors are in files of their own (`vector_files.move_table_to_files` has moved them). A chunk is a range
    # of the conversation of its turn, not a copy of the text; older chunks keep their copy.
    """
    DROP TABLE IF EXISTS vectors;
    ALTER TABLE chunks ADD COLUMN first INTEGER;
    ALTER TABLE chunks ADD COLUMN last INTEGER;
    """,
    # A separate table: the rows of `compactions` in published files cannot get new columns.
    """
    CREATE TABLE compaction_reviews (
        source INTEGER NOT NULL, line INTEGER NOT NULL, weight_kept DOUBLE NOT NULL, weight_total DOUBLE NOT NULL
    );
    """,
    # What a review lists instead of two figures: making it takes longer than opening it may take.
    """
    DROP TABLE compaction_reviews;
    CREATE TABLE reviews (
        source INTEGER NOT NULL, line INTEGER NOT NULL, rules INTEGER NOT NULL, by_meaning BOOLEAN NOT NULL
    );
    CREATE TABLE review_items (
        source INTEGER NOT NULL, line INTEGER NOT NULL, is_lost BOOLEAN NOT NULL, rank INTEGER NOT NULL,
        kind VARCHAR NOT NULL, text VARCHAR USING COMPRESSION zstd, session INTEGER NOT NULL, turn INTEGER NOT NULL,
        turns VARCHAR NOT NULL, item_line INTEGER NOT NULL, times INTEGER NOT NULL, weight DOUBLE NOT NULL,
        dropped_at INTEGER
    );
    CREATE TABLE forks (session INTEGER NOT NULL, until TIMESTAMP NOT NULL);
    """,
    """
    CREATE TABLE unknown_entries (
        source INTEGER NOT NULL, line INTEGER NOT NULL, kind VARCHAR NOT NULL, raw VARCHAR USING COMPRESSION zstd
    );
    """,
    """
    CREATE TABLE facts (
        session INTEGER NOT NULL, turn INTEGER NOT NULL, seq INTEGER NOT NULL, kind VARCHAR NOT NULL,
        name VARCHAR NOT NULL, number BIGINT NOT NULL, text VARCHAR NOT NULL
    );
    """,
)
"""The migration at index n upgrades the schema from number n to n + 1."""

VERSION: Final = len(MIGRATIONS)


_NEWER_FORMAT: Final = "Trying to read a database file with version number"
"""What DuckDB says of a file with a format that it does not know."""


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the tables of the newest schema in the current schema of a connection, in a transaction of the caller."""
    connection.execute(";".join(MIGRATIONS))
    connection.execute(f"INSERT INTO meta VALUES ('schema', '{VERSION}')")


def meta_of(connection: duckdb.DuckDBPyConnection, database: str | None = None) -> dict[str, str]:
    """The values in the table `meta` of the current database, or of another one; empty for an empty file."""
    import duckdb

    table = "meta" if database is None else f"{database}.main.meta"
    try:
        return dict(connection.execute(f"SELECT key, value FROM {table}").fetchall())
    except duckdb.CatalogException:
        return {}


def version_of(connection: duckdb.DuckDBPyConnection) -> int:
    """The number of the schema; 0 for an empty file."""
    return int(meta_of(connection).get("schema", 0))


def too_new(schema: object) -> IndexTooNew:
    """The error for an index that a newer memtui wrote."""
    return IndexTooNew(f"The index has schema {schema}; this memtui knows {VERSION}. Update memtui.")


def refuse_newer(error: Exception) -> None:
    """Raise IndexTooNew if an error says that a newer DuckDB wrote the file."""
    if _NEWER_FORMAT in str(error):
        raise IndexTooNew(f"A newer DuckDB wrote the index: {str(error).splitlines()[0]} Update memtui.") from error


def migrate(connection: duckdb.DuckDBPyConnection) -> int:
    """Upgrade a file to the newest schema, in one transaction; the number of migrations.

    Raises IndexTooNew for a file that a newer memtui wrote.
    """
    current = version_of(connection)
    if current > VERSION:
        raise too_new(current)
    if current < VERSION:
        connection.execute("BEGIN")
        if current == 0:
            create_tables(connection)
        else:
            connection.execute(";".join(MIGRATIONS[current:]))
            connection.execute(f"UPDATE meta SET value = '{VERSION}' WHERE key = 'schema'")
            fault_point("schema-upgraded")
        connection.execute("COMMIT")
    return VERSION - current
