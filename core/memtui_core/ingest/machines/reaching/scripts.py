"""What runs on the other machine: scripts for any POSIX shell, of Linux, macOS, BSD or busybox.

A script is given on standard input, so that neither the login shell of the user nor a limit of the command line has a
say in it. It is one function that is called in its last line: a script that arrived in part does nothing, and no
program reads the rest of it. What the login shell prints before is skipped, up to a mark.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Final
from urllib.parse import quote

MARK: Final = b"\nmemtui: this is the answer\n"
_PLAIN: Final = re.compile(r"[A-Za-z0-9._/*-]")
_TAR_BYTES: Final = 60_000
"""Bytes of names in one call of tar: systems limit the length of a command line."""

_FRAME: Final = """main() {{
LC_ALL=C; export LC_ALL
unset CDPATH GIT_DIR GIT_WORK_TREE
umask 077
cd "$HOME" || exit 9
printf '\\nmemtui: this is the answer\\n'
{body}
}}
main </dev/null 2>/dev/null
"""

_LISTING: Final = """
home=$(pwd -P)
for program in rsync sqlite3 python3; do
  if command -v $program >/dev/null; then printf 'program %s//\\n' $program; fi
done
if stat -c %s . >/dev/null; then
  form='f %s %Y %n//'
  case $(stat -c %.9Y .) in *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]) form='f %s %.9Y %n//';; esac
  list() { find "$1" -type f -exec stat -c "$form" {} +; }
else
  list() { find "$1" -type f -exec stat -f 'f %z %Fm %N//' {} +; }
fi
for place in PLACES; do
  if [ -d "$place" ]; then
    real=$(cd "$place" && pwd -P)
    case $real/ in "$home"/?*) list "$place/.";; *) printf 'outside %s//\\n' "$place";; esac
  elif [ -f "$place" ]; then
    real=$(cd "${place%/*}" && pwd -P)
    if [ -L "$place" ]; then printf 'outside %s//\\n' "$place"; continue; fi
    case $real/ in "$home"/*) list "$place";; *) printf 'outside %s//\\n' "$place";; esac
  fi
done
printf 'end//\\n'
"""

_DATABASE: Final = """
folder=$(mktemp -d "${TMPDIR:-/tmp}/memtui.XXXXXX") || exit 9
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT PIPE TERM
by_sqlite() {
  command -v sqlite3 >/dev/null || return 1
  sqlite3 -batch -bail -init /dev/null -cmd '.timeout 5000' URI SCHEMA >"$folder/schema" || return 1
  sqlite3 -batch -bail -init /dev/null "$folder/copy.db" <"$folder/schema" || return 1
  sqlite3 -batch -bail -init /dev/null -cmd '.timeout 5000' URI ROWS >"$folder/rows" || return 1
  { printf "ATTACH '%s' AS copy;\\nBEGIN;\\n" "$folder/copy.db"; cat "$folder/rows"; printf 'COMMIT;\\n'; } |
    sqlite3 -batch -bail -init /dev/null -cmd '.timeout 5000' URI >/dev/null
}
by_python() {
  command -v python3 >/dev/null || return 1
  python3 -c PROGRAM URI "$folder/copy.db" TABLES
}
state() {
  for file in PATH PATH-wal PATH-journal; do
    if [ -f "$file" ]; then stat -c '%s %y' "$file" || stat -f '%z %Fm' "$file"; fi
  done
}
by_copying() {
  ALLOWED || return 1
  for attempt in 1 2 3; do
    rm -f "$folder"/raw.db*
    before=$(state)
    cp PATH "$folder/raw.db" || return 1
    for suffix in -wal -journal; do
      if [ -f PATH$suffix ]; then cp PATH$suffix "$folder/raw.db$suffix" || return 1; fi
    done
    if [ "$before" = "$(state)" ]; then return 0; fi
  done
  return 1
}
if by_sqlite; then :; else
  rm -f "$folder"/copy.db*
  if by_python; then :; else rm -f "$folder"/copy.db*; by_copying || exit 8; fi
fi
rm -f "$folder/schema" "$folder/rows"
cd "$folder" && tar cf - *.db*
"""

_REPOSITORIES: Final = """
command -v git >/dev/null || exit 0
for folder in FOLDERS; do
  root=$(git -C "$folder" rev-parse --show-toplevel) || continue
  url=$(git -C "$folder" config --get remote.origin.url)
  printf '%s\\0%s\\0%s\\0' "$folder" "$root" "$url"
done
"""


def listing_script(patterns: Iterable[str]) -> bytes:
    """Lists the files in the places that exist, each record ended by `listing.END`, and `end` as the last one."""
    return _script(_LISTING.replace("PLACES", " ".join(f"./{_glob(pattern)}" for pattern in patterns)))


def tar_script(paths: Sequence[str]) -> bytes:
    """Prints archives with some files, one after the other; a file that was deleted meanwhile is missing."""
    calls, given, size = ["COPYFILE_DISABLE=1; export COPYFILE_DISABLE"], list[str](), 0
    for path in paths:
        given.append(_quoted(f"./{path}"))
        size += len(os.fsencode(given[-1])) + 1
        if size > _TAR_BYTES or path is paths[-1]:
            calls.append(f"tar cf - {' '.join(given)}")
            given, size = [], 0
    return _script("\n".join(calls))


def database_script(path: str, tables: Mapping[str, str], *, may_copy_files: bool) -> bytes:
    """Prints an archive with `copy.db`, which has the tables; or with `raw.db` and its log, if nothing reads tables."""
    uri = f"file:{quote(os.fsencode(f'./{path}'))}?mode=ro"
    names = ", ".join(f"'{name}'" for name in tables)
    schema = (
        "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND"
        f" (type = 'table' AND name IN ({names}) AND sql LIKE 'CREATE TABLE%'"
        f" OR type = 'index' AND tbl_name IN ({names})) ORDER BY type = 'index'"
    )
    conditions = " ".join(
        f"WHEN '{name}' THEN ' WHERE {_doubled(condition)}'" for name, condition in tables.items() if condition
    )
    columns = "(SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"') FROM pragma_table_info(m.name))"
    rows = (
        f"SELECT 'INSERT INTO copy.\"' || name || '\" (' || {columns} || ') SELECT ' || {columns}"
        f" || ' FROM main.\"' || name || '\"'{f' || CASE name {conditions} ELSE {_EMPTY} END' if conditions else ''}"
        f" || ';' FROM sqlite_master m WHERE type = 'table' AND name IN ({names}) AND sql LIKE 'CREATE TABLE%'"
    )
    values = {
        "URI": _quoted(uri),
        "SCHEMA": _quoted(schema),
        "ROWS": _quoted(rows),
        "PROGRAM": _quoted(files(__package__).joinpath("table_copy.py").read_text("utf-8")),
        "TABLES": _quoted(json.dumps(dict(tables))),
        "ALLOWED": "true" if may_copy_files else "false",
        "PATH": _quoted(f"./{path}"),
    }
    return _script(re.sub(rf"\b(?:{'|'.join(values)})\b", lambda found: values[found[0]], _DATABASE))


_EMPTY: Final = "''"


def repositories_script(folders: Iterable[str]) -> bytes:
    """Prints for each folder in a repository: the folder, the top folder, the URL of `origin`, each ended by NUL."""
    return _script(_REPOSITORIES.replace("FOLDERS", " ".join(map(_quoted, folders))))


def _script(body: str) -> bytes:
    return os.fsencode(_FRAME.format(body=body))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _doubled(text: str) -> str:
    return text.replace("'", "''")


def _glob(pattern: str) -> str:
    """A pattern as a word of the shell, in which only `*` has a meaning."""
    return "".join(each if _PLAIN.fullmatch(each) else f"\\{each}" for each in pattern)
