"""Databases of agents that keep one row for each message, or one document for each session."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from support.databases import Program, made
from support.protobuf import message

START = 1_790_000_000
"""The time of the first message in seconds, 2026-09-21 14:13:20 UTC."""


class AgentDatabase(ABC):
    """The database of an agent, to which messages are added. `file` is its path in the home folder."""

    agent: str
    file: str
    schema: str
    document: tuple[str, str]
    """The table and the column with JSON."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = made(home / self.file, self.schema)
        self.clock = START

    @abstractmethod
    def session(self, program: Program, name: str, /, **values: Any) -> None:
        """Add a session with the title `Round the prices`."""

    @abstractmethod
    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        """Add a message; a string is a part with text."""

    def insert(self, program: Program, table: str, row: dict[str, Any]) -> None:
        """Add a row, or replace that with the same key."""
        places = ", ".join("?" * len(row))
        program.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))

    def tick(self) -> int:
        """The time of the next message."""
        self.clock += 1
        return self.clock


class GooseDatabase(AgentDatabase):
    agent, file, document = "goose", "goose/sessions/sessions.db", ("messages", "content_json")
    schema = """
    CREATE TABLE schema_version (version INTEGER);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name INTEGER, working_dir TEXT,
     created_at TEXT, updated_at TEXT, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER,
     model_config_json TEXT, parent_session_id TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
     content_json TEXT, created_timestamp INTEGER, timestamp TEXT, tokens TEXT, metadata_json TEXT);
    """

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        row = {"id": name, "name": name, "description": "Round the prices", "user_set_name": 0}
        row |= {"working_dir": "/home/ana/code/shop-api", "created_at": "2026-09-21 14:13:20"}
        row |= {"updated_at": "2026-09-21 14:13:20", "model_config_json": '{"model_name":"gpt-5"}'}
        self.insert(program, "sessions", row | values)

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        at = self.tick()
        row = {"message_id": f"msg_{at}", "session_id": session, "role": role, "content_json": json.dumps(content)}
        metadata = json.dumps(values) if values else None
        self.insert(program, "messages", {**row, "created_timestamp": at, "metadata_json": metadata})


class CrushDatabase(AgentDatabase):
    agent, file, document = "crush", "shop-api/.crush/crush.db", ("messages", "parts")
    schema = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER,
     completion_tokens INTEGER, cost REAL, created_at INTEGER, updated_at INTEGER);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER,
     updated_at INTEGER, finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0);
    CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT);
    """

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        row = {"id": name, "title": "Round the prices", "created_at": self.clock, "updated_at": self.clock}
        self.insert(program, "sessions", row | values)

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        content = [{"type": "text", "data": {"text": part}} if isinstance(part, str) else part for part in parts]
        at = self.tick()
        row: dict[str, Any] = {"id": f"msg_{at}", "session_id": session, "role": role, "parts": json.dumps(content)}
        row |= {"created_at": at, "updated_at": at, "model": "gpt-5" if role == "assistant" else None}
        self.insert(program, "messages", row | values)


class ZedDatabase(AgentDatabase):
    agent, file, document = "zed", "zed/threads/threads.db", ("threads", "data")
    schema = """
    CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, parent_id TEXT,
     folder_paths TEXT, folder_paths_order TEXT, created_at TEXT);
    """

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._threads: dict[str, list[Any]] = {}
        self._values: dict[str, dict[str, Any]] = {}

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        self._threads[name] = []
        self._values[name] = values
        self._write(program, name)

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        content = [{"Text": part} if isinstance(part, str) else part for part in parts]
        self.tick()
        message: Any = {"User": {"id": f"u{self.clock}", "content": content}}
        if role == "assistant":
            message = {"Agent": {"content": content, "tool_results": values}}
        self._threads[session].append(message)
        self._write(program, session)

    def _write(self, program: Program, name: str) -> None:
        at = f"2026-09-21T14:{self.clock % 3600 // 60:02}:{self.clock % 60:02}Z"
        thread: dict[str, Any] = {"version": "0.3.0", "title": "Round the prices", "messages": self._threads[name]}
        thread |= {"model": {"provider": "zed.dev", "model": "gpt-5"}}
        row = {"id": name, "summary": "Round the prices", "updated_at": at, "data_type": "json"}
        row |= {"folder_paths": "/home/ana/code/shop-api", "folder_paths_order": "0"}
        row |= {"created_at": "2026-09-21T14:13:20Z"}
        values = dict(self._values[name])
        thread |= values.pop("thread", {})
        self.insert(program, "threads", {**row, "data": json.dumps(thread), **values})


class KiroDatabase(AgentDatabase):
    agent, file, document = "kiro", "kiro-cli/data.sqlite3", ("conversations_v2", "value")
    schema = """
    CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, created_at INTEGER, updated_at INTEGER,
     PRIMARY KEY (key, conversation_id));
    CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT);
    """
    milliseconds = 0
    """The milliseconds of the times of its messages."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._histories: dict[str, list[Any]] = {}
        self._values: dict[str, dict[str, Any]] = {}

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        self._histories[name] = []
        self._values[name] = values
        self._write(program, name)

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        at = f"2026-09-21T14:{self.tick() % 3600 // 60:02}:{self.clock % 60:02}.{self.milliseconds:03}Z"
        (part,) = parts
        history = self._histories[session]
        if role == "user":
            content = {"Prompt": {"prompt": part}} if isinstance(part, str) else part
            history.append({"user": {"timestamp": at, "content": content}})
        else:
            said = {"Response": {"message_id": f"m{self.clock}", "content": part}} if isinstance(part, str) else part
            history[-1]["assistant"] = said
            history[-1]["request_metadata"] = {"stream_end_timestamp_ms": self.clock * 1000 + self.milliseconds}
        self._write(program, session)

    def _write(self, program: Program, name: str) -> None:
        value = {"conversation_id": name, "history": self._histories[name], **self._values[name]}
        row = {"key": "/home/ana/code/shop-api", "conversation_id": name, "value": json.dumps(value)}
        times = {"created_at": START * 1000, "updated_at": self.clock * 1000}
        self.insert(program, "conversations_v2", row | times)


class AmazonQDatabase(KiroDatabase):
    agent, file = "amazonq", "amazon-q/data.sqlite3"
    milliseconds = 500


class WarpDatabase(AgentDatabase):
    agent, file, document = "warp", "warp-terminal/warp.sqlite", ("agent_tasks", "task")
    schema = """
    CREATE TABLE agent_conversations (id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL UNIQUE,
     conversation_data TEXT NOT NULL, last_modified_at TIMESTAMP NOT NULL);
    CREATE TABLE agent_tasks (id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL, task_id TEXT NOT NULL UNIQUE,
     task BLOB NOT NULL, last_modified_at TIMESTAMP NOT NULL);
    CREATE TABLE ai_queries (id INTEGER PRIMARY KEY, exchange_id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL,
     start_ts TIMESTAMP NOT NULL, input TEXT NOT NULL, working_directory TEXT, output_status TEXT NOT NULL,
     model_id TEXT NOT NULL);
    """

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._messages: dict[str, list[Any]] = {}

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        self._messages[name] = []
        row = {"conversation_id": name, "conversation_data": json.dumps({"run_id": name, **values})}
        self.insert(program, "agent_conversations", {**row, "last_modified_at": self._at()})
        row = {"exchange_id": f"e-{name}", "conversation_id": name, "start_ts": self._at(), "model_id": "gpt-5"}
        row |= {"working_directory": "/home/ana/code/shop-api", "output_status": "Completed", "input": "[]"}
        self.insert(program, "ai_queries", row)

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        (part,) = parts
        self.add(program, session, {2 if role == "user" else 3: {1: part}})

    def add(self, program: Program, session: str, said: Any) -> None:
        """Add a message by the numbers of its fields, or as bytes, to the conversation with the user."""
        self._messages[session].append(self._timed(session, said))
        self._write(program, session, f"task-{session}", {2: "Round the prices", 5: self._messages[session]})

    def task(self, program: Program, session: str, name: str, messages: list[Any], parent: str) -> None:
        """Add the task of a subagent."""
        timed = [self._timed(name, said) for said in messages]
        self._write(program, session, name, {3: {1: parent}, 5: timed})

    def _timed(self, task: str, said: Any) -> Any:
        at = self.tick()
        return said if isinstance(said, bytes) else {1: f"{task}-{at}", **said, 14: {1: at}}

    def _write(self, program: Program, session: str, task: str, fields: dict[int, Any]) -> None:
        program.execute("DELETE FROM agent_tasks WHERE task_id = ?", [task])
        # The values of statements are JSON, which has no bytes.
        raw = message({1: task, **fields}).hex()
        columns = "conversation_id, task_id, task, last_modified_at"
        sql = f"INSERT INTO agent_tasks ({columns}) VALUES (?, ?, X'{raw}', ?)"
        program.execute(sql, [session, task, self._at()])

    def _at(self) -> str:
        return f"2026-09-21 14:{self.clock % 3600 // 60:02}:{self.clock % 60:02}"


class HermesDatabase(AgentDatabase):
    agent, file, document = "hermes", "hermes/state.db", ("messages", "tool_calls")
    schema = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, model_config TEXT, parent_session_id TEXT,
     started_at REAL, ended_at REAL, end_reason TEXT, input_tokens INTEGER, output_tokens INTEGER,
     cache_read_tokens INTEGER, cache_write_tokens INTEGER, cwd TEXT, git_branch TEXT, title TEXT, title_source TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,
     tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, finish_reason TEXT, reasoning TEXT,
     _compressed_summary INTEGER DEFAULT 0, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0, display_kind TEXT);
    """

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        row = {"id": name, "source": "cli", "model": "gpt-5", "started_at": self.clock, "title": "Round the prices"}
        self.insert(program, "sessions", {**row, "cwd": "/home/ana/code/shop-api", **values})

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        row = {"session_id": session, "role": role, "content": parts[0] if parts else None, "timestamp": self.tick()}
        self.insert(program, "messages", row | values)


class OpenClawDatabase(AgentDatabase):
    agent, file = "openclaw", "openclaw/agents/main/agent/openclaw-agent.sqlite"
    document = ("transcript_events", "event_json")
    schema = """
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);
    CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT);
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
     PRIMARY KEY (session_id, seq));
    """

    def session(self, program: Program, name: str, /, **values: Any) -> None:
        key = values.pop("key", f"agent:main:{name}")
        entry = json.dumps({"sessionId": name, "label": "Round the prices"} | values)
        row = {"session_key": key, "current_session_id": name, "entry_json": entry}
        self.insert(program, "session_nodes", row)
        self.insert(program, "session_windows", {"session_id": name, "session_key": key})
        self.event(program, name, {"type": "session", "id": name, "version": 3, "cwd": "/home/ana/code/shop-api"})

    def say(self, program: Program, session: str, role: str, *parts: Any, **values: Any) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        self.event(program, session, {"type": "message", "message": {"role": role, "content": content, **values}})

    def event(self, program: Program, session: str, entry: dict[str, Any]) -> None:
        """Add an entry with its time."""
        at = self.tick() if entry["type"] != "session" else self.clock
        time = f"2026-09-21T14:{at % 3600 // 60:02}:{at % 60:02}Z"
        event = json.dumps({"id": f"{session}-{at}", "timestamp": time, **entry})
        row = {"session_id": session, "seq": 0 if entry["type"] == "session" else at, "event_json": event}
        self.insert(program, "transcript_events", {**row, "created_at": at * 1000})


AGENT_DATABASES = (
    *(GooseDatabase, CrushDatabase, ZedDatabase, KiroDatabase, AmazonQDatabase, WarpDatabase),
    *(HermesDatabase, OpenClawDatabase),
)
