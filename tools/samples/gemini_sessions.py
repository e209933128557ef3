"""Sessions of Gemini CLI: a cache in `site` with a subagent, a compression and a step back, and an older document."""

from __future__ import annotations

import hashlib
import json
from typing import Any

Json = dict[str, Any]
ROOT = "/home/ana/code/site"
HASH = hashlib.sha256(ROOT.encode()).hexdigest()
CACHE = "3f6a1c52-7d0e-4b8a-9c41-5e2b7a90d314"
FEED = "a41d9e07-26c3-4f15-8b7e-90c3d2e1f586"
CHILD = "b7c20d4e-5a11-4e0f-a3d8-6c1f0e9b2a75"
MODEL = "gemini-3-pro"
PAGES = "gemini/tmp/site/chats"
_DIFF = (
    "Index: headers.toml\n--- headers.toml\tCurrent\n+++ headers.toml\tProposed\n@@ -4,3 +4,4 @@\n [assets]\n"
    '-cache = "no-store"\n+cache = "public, max-age=31536000, immutable"\n+fingerprint = true\n compress = true\n'
)


def build() -> dict[str, str]:
    """The content of every file by its path."""
    return {
        "gemini/tmp/site/.project_root": ROOT,
        f"{PAGES}/session-2026-07-14T08-02-{CACHE[:8]}.jsonl": _lines(_cache()),
        f"{PAGES}/{CACHE}/{CHILD}.jsonl": _lines(_child()),
        f"gemini/tmp/{HASH}/chats/session-2026-01-20T15-40-{FEED[:8]}.json": json.dumps(_feed(), indent=2),
    }


def _lines(entries: list[Json]) -> str:
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries)


def _at(minute: int, second: int) -> str:
    return f"2026-07-14T08:{minute:02}:{second:02}.000Z"


def _message(session: str, number: int, kind: str, content: Any, at: str, **more: Any) -> Json:
    return {
        "id": f"{session[:8]}-0000-4000-8000-{number:012}",
        "timestamp": at,
        "type": kind,
        "content": content,
        **more,
    }


def _call(tool_id: str, name: str, arguments: Json, output: str, at: str, **more: Any) -> Json:
    failed = more.get("status") == "error"
    response = {"error": output} if failed else {"output": output}
    result = [{"functionResponse": {"id": tool_id, "name": name, "response": response}}]
    known = {"id": tool_id, "name": name, "args": arguments, "result": result, "status": "success"}
    return {**known, "timestamp": at, **more}


def _tokens(given: int, cached: int, written: int, thought: int) -> Json:
    total = given + written + thought
    return {"input": given, "output": written, "cached": cached, "thoughts": thought, "tool": 0, "total": total}


def _header(session: str, kind: str) -> Json:
    times = {"startTime": _at(2, 0), "lastUpdated": _at(2, 0)}
    return {"sessionId": session, "projectHash": HASH, **times, "kind": kind}


def _cache() -> list[Json]:
    def user(number: int, text: str, at: str) -> Json:
        return _message(CACHE, number, "user", [{"text": text}], at)

    look = _call(
        "invoke_agent-1",
        "invoke_agent",
        {"agent_name": "codebase_investigator", "prompt": "Find where the cache headers of the pages are set."},
        "They are set in headers.toml, section [assets].",
        _at(3, 20),
        agentId=CHILD,
    )
    edit = _call(
        "replace-1",
        "replace",
        {
            "file_path": f"{ROOT}/headers.toml",
            "old_string": 'cache = "no-store"',
            "new_string": 'cache = "public, max-age=31536000, immutable"\nfingerprint = true',
        },
        f"Successfully modified file: {ROOT}/headers.toml (1 replacements).",
        _at(4, 2),
        resultDisplay={"fileDiff": _DIFF, "fileName": "headers.toml", "diffStat": {"model_added_lines": 2}},
    )
    check = _call(
        "shell-1",
        "run_shell_command",
        {"command": "npm run build && npm run check-headers", "description": "Build, then check the headers."},
        "Output: 41 pages\nError: feed.xml: no fingerprint\nExit Code: 1",
        _at(4, 40),
    )
    asked = user(1, "The assets are loaded again on every visit. Can browsers keep them?", _at(2, 5))
    thought = {"subject": "Finding the headers", "description": "The headers come first.", "timestamp": _at(2, 9)}
    answers = [
        _message(
            CACHE, 2, "gemini", "I look where the headers are set.", _at(2, 10), thoughts=[thought],
            tokens=_tokens(11_840, 0, 40, 96), model=MODEL, toolCalls=[look],
        ),
        _message(
            CACHE, 3, "gemini", "Assets can be kept for a year if their names change with their content.", _at(4, 0),
            thoughts=[], tokens=_tokens(12_310, 11_264, 118, 51), model=MODEL, toolCalls=[edit, check],
        ),
        _message(
            CACHE, 4, "gemini", "The feed has no fingerprint, because readers expect a fixed name. I leave it out.",
            _at(5, 1), thoughts=[], tokens=_tokens(12_905, 11_264, 64, 0), model=MODEL,
        ),
    ]  # fmt: skip
    summary = (
        "<state_snapshot>\n<overall_goal>Let browsers keep the assets of the site.</overall_goal>\n<key_knowledge>"
        "headers.toml sets the cache; feed.xml keeps its name.</key_knowledge>\n</state_snapshot>"
    )
    history = [_message(CACHE, 8, "user", [{"text": summary}], _at(9, 0)), answers[-1]]
    wrong = user(5, "Then rename the feed as well.", _at(6, 0))
    return [
        _header(CACHE, "main"),
        asked,
        {"$set": {"lastUpdated": _at(2, 5)}},
        answers[0] | {"toolCalls": []},
        *answers,
        wrong,
        _message(CACHE, 6, "gemini", "Renaming it breaks every subscription.", _at(6, 9), model=MODEL),
        {"$rewindTo": wrong["id"]},
        user(7, "Write down why the feed is left out.", _at(7, 0)),
        _message(CACHE, 9, "info", "Chat history compressed.", _at(8, 59)),
        {"$set": {"messages": history}},
        _message(
            CACHE, 10, "gemini", "The reason is now a comment in headers.toml.", _at(9, 30), model=MODEL,
            tokens=_tokens(3_020, 0, 25, 0), thoughts=[],
        ),
        {"$set": {"summary": "Let browsers keep the assets of the site", "lastUpdated": _at(9, 31)}},
    ]  # fmt: skip


def _child() -> list[Json]:
    found = _call(
        "grep-1", "grep_search", {"pattern": "cache", "dir_path": "."}, 'headers.toml:5: cache = "no-store"', _at(2, 40)
    )
    return [
        _header(CHILD, "subagent") | {"directories": [ROOT]},
        _message(CHILD, 1, "user", "Find where the cache headers of the pages are set.", _at(2, 12)),
        _message(CHILD, 2, "gemini", "", _at(2, 40), model="gemini-3-flash", toolCalls=[found], thoughts=[]),
        _message(CHILD, 3, "gemini", "They are set in headers.toml, section [assets].", _at(3, 18), thoughts=[]),
    ]


def _feed() -> Json:
    at = "2026-01-20T15:4{}:00.000Z".format
    read = _call("read_file-1", "read_file", {"file_path": "src/feed.ts"}, "File not found.", at(1), status="error")
    write = _call(
        "write_file-1",
        "write_file",
        {"file_path": f"{ROOT}/src/feed.ts", "content": "export const entries = 20;\n"},
        f"Successfully created and wrote to new file: {ROOT}/src/feed.ts.",
        at(2),
    )
    messages = [
        _message(FEED, 1, "user", "Add an Atom feed with the last 20 posts", at(0)),
        _message(FEED, 2, "gemini", "", at(1), toolCalls=[read, write], model="gemini-2.5-pro", thoughts=[]),
        _message(FEED, 3, "gemini", "The feed is in src/feed.ts.", at(3), model="gemini-2.5-pro", thoughts=[]),
        _message(FEED, 4, "warning", "Gemini CLI update available.", at(4)),
    ]
    return {"sessionId": FEED, "projectHash": HASH, "startTime": at(0), "lastUpdated": at(4), "messages": messages}
