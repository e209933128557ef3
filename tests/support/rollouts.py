"""Rollouts of Codex for tests, an entry a call, with times that count up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memtui_core.readers.agents.codex.reader import Codex
from memtui_core.readers.base import START as START_OF_FILE
from memtui_core.readers.base import Cursor, Reading, Transcript

START = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
THREAD = "019f1f6f-0000-7000-8000-000000000001"
OTHER = "019f1f6f-0000-7000-8000-000000000002"
CHILD = "019f1f6f-0000-7000-8000-000000000003"
CWD = "/home/ana/code/shop"


class Rollout:
    """A rollout under construction. Every text is written as an item and as an event, as most versions do."""

    def __init__(self, thread: str = THREAD, *, meta: bool = True, cwd: str = CWD, **fields: Any) -> None:
        self.lines: list[bytes] = []
        self.thread = thread
        self.calls = 0
        if meta:
            payload = {"id": thread, "timestamp": self.time(), "cwd": cwd, "cli_version": "0.142.0", "source": "cli"}
            self.add("session_meta", **payload | fields)

    def time(self) -> str:
        return (START + timedelta(seconds=len(self.lines))).isoformat().replace("+00:00", "Z")

    def add(self, kind: str, /, **payload: Any) -> None:
        self.raw({"timestamp": self.time(), "type": kind, "payload": payload})

    def raw(self, entry: Any) -> None:
        self.lines.append(orjson.dumps(entry))

    def item(self, kind: str, /, **payload: Any) -> None:
        self.add("response_item", **{"type": kind, **payload})

    def event(self, kind: str, /, **payload: Any) -> None:
        self.add("event_msg", **{"type": kind, **payload})

    def finished(self, kind: str, /, **item: Any) -> None:
        self.event("item_completed", thread_id=self.thread, item={"type": kind, **item})

    def turn(self, turn: str = "t1", model: str = "gpt-5.5", cwd: str = CWD) -> None:
        self.add("turn_context", turn_id=turn, cwd=cwd, model=model)

    def user_item(self, *texts: str) -> None:
        self.item("message", role="user", content=[{"type": "input_text", "text": text} for text in texts])

    def user(self, text: str) -> None:
        self.user_item(text)
        self.event("user_message", message=text, images=[])

    def answer_item(self, text: str) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def answer(self, text: str) -> None:
        self.event("agent_message", message=text)
        self.answer_item(text)

    def think(self, *sections: str) -> None:
        for section in sections:
            self.event("agent_reasoning", text=section)
        summary = [{"type": "summary_text", "text": section} for section in sections]
        self.item("reasoning", summary=summary, encrypted_content="gAAA")

    def call(self, name: str, arguments: Any) -> str:
        self.calls += 1
        call = f"call_{self.calls}"
        self.item("function_call", name=name, arguments=orjson.dumps(arguments).decode(), call_id=call)
        return call

    def custom(self, name: str, text: str) -> str:
        self.calls += 1
        call = f"call_{self.calls}"
        self.item("custom_tool_call", name=name, input=text, call_id=call, status="completed")
        return call

    def output(self, call: str, output: Any, kind: str = "function_call_output") -> None:
        self.item(kind, call_id=call, output=output)

    def shell(self, command: str, output: str = "", code: int = 0) -> None:
        call = self.call("exec_command", {"cmd": command, "workdir": CWD})
        self.output(call, f"Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}")

    def tokens(self, total: int, fresh: int, cached: int, output: int) -> None:
        last = {"input_tokens": fresh + cached, "cached_input_tokens": cached, "output_tokens": output}
        self.event("token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": last})

    @property
    def name(self) -> str:
        return f"rollout-2026-07-01T09-00-00-{self.thread}.jsonl"

    @property
    def content(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, home: Path, name: str = "", folder: str = "sessions/2026/07/01") -> Path:
        """Write the rollout into a folder of Codex."""
        path = home / folder / (name or self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.content)
        return path


def opened(path: Path, cursor: Cursor = START_OF_FILE) -> Reading:
    """A rollout, to be read from a cursor on."""
    return Codex().read(Transcript("codex", path, path.stat().st_size, 0), cursor)
