"""Databases of OpenCode: the tables, and sessions that are written row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.databases import Program, made

FIRST = """
CREATE TABLE project (id text PRIMARY KEY, worktree text);
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text, title text,
 version text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
 data text);
"""
SECOND = """
CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text, parent_id text, fork_session_id text, directory text,
 title text, version text, time_created integer, time_updated integer);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, time_created integer,
 time_updated integer, data text);
"""
START = 1_790_000_000_000
"""The time of the first message, 2026-09-21 14:13:20 UTC."""
Part = dict[str, Any]


class Store:
    """The program with its database, in which every message is a second after the one before."""

    def __init__(self, path: Path, program: Program) -> None:
        self.path = path
        self.program = program
        self.clock = START
        self._number = 0

    def session(self, name: str, title: str = "Round the prices", parent: str | None = None, **values: Any) -> None:
        """Add a session of version 1."""
        row: Part = {"id": name, "parent_id": parent, "directory": "/home/ana/code/shop-api", "title": title}
        row |= {"version": "1.18.5", "time_created": self.clock, "time_updated": self.clock}
        self._insert("session", row | values)

    def second(self, name: str, **values: Any) -> None:
        """Add a session of version 2."""
        row: Part = {
            "id": name,
            "directory": "/home/ana/code/shop-api",
            "title": "Round the prices",
            "version": "2.0.12",
        }
        row |= {"time_created": self.clock, "time_updated": self.clock}
        self._insert("session_v2", row | values)

    def say(self, session: str, role: str, *parts: Part | str, at: int | None = None, **info: Any) -> str:
        """Add a message of version 1; a string is a text part. Return the id of the message."""
        self.clock = self.clock + 1000 if at is None else at
        number = self._next()
        message = f"msg_{number}"
        times = {"time_created": self.clock, "time_updated": self.clock}
        data = {"role": role, "time": {"created": self.clock}, **info}
        self._insert("message", {"id": message, "session_id": session, "data": json.dumps(data), **times})
        for part in parts:
            data = {"type": "text", "text": part} if isinstance(part, str) else part
            row = {"id": f"prt_{self._next()}", "message_id": message, "session_id": session}
            self._insert("part", {**row, "data": json.dumps(data), **times})
        return message

    def add(self, session: str, kind: str, **data: Any) -> None:
        """Add a message of version 2."""
        self.clock += 1000
        number = self._next()
        row = {"id": f"msg_{number}", "session_id": session, "type": kind, "seq": int(number)}
        times = {"time_created": self.clock, "time_updated": self.clock}
        data = {"time": {"created": self.clock}} | data
        self._insert("session_message", {**row, **times, "data": json.dumps(data)})

    def _next(self) -> str:
        self._number += 1
        return f"{self._number:04}"

    def _insert(self, table: str, row: dict[str, Any]) -> None:
        places = ", ".join("?" * len(row))
        self.program.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))


def tool(name: str, call: str, arguments: Any, output: Any = "", **state: Any) -> Part:
    """A tool part whose call is completed, unless `state` says otherwise."""
    whole = {"status": "completed", "input": arguments, "output": output, "title": "", "metadata": {}} | state
    return {"type": "tool", "tool": name, "callID": call, "state": whole}


def empty(path: Path, *schemas: str) -> Path:
    """A database with the tables of both versions, or with others."""
    return made(path, "".join(schemas or (FIRST, SECOND)))
