"""Copies tables of an SQLite database into a new one.

It imports only the standard library: a machine without memtui runs this very text, by any Python from 3.6 on. All rows
are those of one moment, and other programs can write in the meantime.
"""

import json
import sqlite3
import sys
from collections.abc import Mapping


def copy_tables(source: sqlite3.Connection, target: sqlite3.Connection, tables: "Mapping[str, str]") -> None:
    """Copy some tables that exist, with their indexes, from one open connection to another one.

    `tables` has by name an SQL condition on the rows, empty for all. Raises sqlite3.Error.
    """
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    statements = source.execute("SELECT type, tbl_name, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    copied = set()
    for kind, _, name, sql in statements:
        if kind != "table" or name not in tables or sql[:12].upper() != "CREATE TABLE":
            continue
        target.execute(sql)
        # Without the columns that are computed.
        columns = [row[1] for row in source.execute("SELECT * FROM pragma_table_info(?)", (name,))]
        names = ", ".join('"{}"'.format(column.replace('"', '""')) for column in columns)
        condition = " WHERE " + tables[name] if tables[name] else ""
        rows = source.execute(f'SELECT {names} FROM "{name}"{condition}')
        values = ", ".join("?" * len(columns))
        target.executemany(f'INSERT INTO "{name}" ({names}) VALUES ({values})', rows)
        copied.add(name)
    for kind, table, _, sql in statements:
        if kind == "index" and table in copied:
            target.execute(sql)
    target.commit()


def main(arguments: "list[str]") -> None:
    """Copy a database by its URI to a new file, given the URI, the path and the tables as JSON."""
    uri, path, tables = arguments
    source = sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)
    source.execute("BEGIN")
    target = sqlite3.connect(path)
    copy_tables(source, target, json.loads(tables))
    target.close()


if __name__ == "__main__":
    main(sys.argv[1:])
