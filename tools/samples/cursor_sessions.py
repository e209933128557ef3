"""A chat of Cursor's program for the terminal: a disk alarm in `infra`, with a subagent."""

from __future__ import annotations

import hashlib
import json
from typing import Any

Json = dict[str, Any]
ROOT = "/home/ana/code/infra"
ALARM = "c2d41f70-8a3b-4e96-b5d7-1f0a2c3e4d58"
CHILD = "d3e52081-9b4c-4fa7-86e8-20b1d3f4e569"
TRANSCRIPTS = f"cursor/projects/home-ana-code-infra/agent-transcripts/{ALARM}"
_TASK = "Which disks of the last month were more than 90 % full?"


def build() -> dict[str, str]:
    """The content of every file by its path."""
    workspace = hashlib.md5(ROOT.encode(), usedforsecurity=False).hexdigest()
    about = {"cwd": ROOT, "title": "Disk alarm at 90 %"}
    return {
        f"cursor/chats/{workspace}/{ALARM}/meta.json": json.dumps(about),
        f"{TRANSCRIPTS}/{ALARM}.jsonl": _lines(_alarm()),
        f"{TRANSCRIPTS}/subagents/{CHILD}.jsonl": _lines(_child()),
    }


def _lines(entries: list[Json]) -> str:
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries)


def _entry(role: str, *parts: Json | str) -> Json:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": role, "message": {"content": content}}


def _use(name: str, arguments: Json) -> Json:
    return {"type": "tool_use", "name": name, "input": arguments}


def _prompt(text: str, time: str) -> Json:
    zone = f"<timestamp>Monday, Aug 10, 2026, {time} (UTC+2)</timestamp>"
    return _entry("user", f"{zone}\n<user_query>\n{text}\n</user_query>")


def _alarm() -> list[Json]:
    edit = {
        "path": f"{ROOT}/alerts/disk.yml",
        "old_string": "threshold: 98",
        "new_string": "threshold: 90",
    }
    return [
        _prompt("The alarm about the full disk came too late. Warn earlier.", "9:12 AM"),
        _entry(
            "assistant",
            {"type": "thinking", "thinking": "The threshold decides; first see how often it would have fired."},
            "I look how often an earlier alarm would have fired.",
            _use("Task", {"subagent_type": "explore", "description": "Count full disks", "prompt": _TASK}),
            _use("Read", {"path": f"{ROOT}/alerts/disk.yml"}),
        ),
        _entry("assistant", "Twice in a month, so 90 % is not too noisy.", _use("StrReplace", edit)),
        _entry("assistant", _use("Shell", {"command": "promtool check rules alerts/disk.yml"})),
        _entry("assistant", "The alarm fires at 90 % now."),
        {"type": "turn_ended", "status": "success"},
        _prompt("And delete the old rule file.", "9:20 AM"),
        _entry("assistant", _use("Delete", {"path": f"{ROOT}/alerts/disk-old.yml"}), "It is deleted."),
        {"type": "turn_ended", "status": "success"},
    ]


def _child() -> list[Json]:
    return [
        _entry("user", f"<user_query>\n{_TASK}\n</user_query>"),
        _entry("assistant", _use("Shell", {"command": "./tools/disk-report --days 31 --above 90"})),
        _entry("assistant", "Two: db-2 on July 19th and ci-1 on August 4th."),
        {"type": "turn_ended", "status": "success"},
    ]
