"""The sample sessions of OpenCode, and of Kilo, which has the same tables.

OpenCode's database has a session of version 1, its subagent, and one of version 2.
"""

from __future__ import annotations

import json
from typing import Any

DATABASE = "opencode/opencode.db"
KILO_DATABASE = "kilo/kilo.db"
SHOP, SITE = "/home/ana/code/shop-api", "/home/ana/code/site"
START = 1_786_003_200_000
"""2026-08-06 08:00 UTC, in milliseconds."""

_TABLES = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer, time_updated integer);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
 directory text NOT NULL, title text NOT NULL, version text NOT NULL, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer, time_updated integer,
 data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer,
 time_updated integer, data text NOT NULL);
CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, fork_session_id text,
 slug text NOT NULL, directory text NOT NULL, title text, version text NOT NULL, time_created integer,
 time_updated integer);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
 time_created integer, time_updated integer, data text NOT NULL);
INSERT INTO project VALUES ('shop', '/home/ana/code/shop-api', 1786003200000, 1786003200000);
INSERT INTO project VALUES ('site', '/home/ana/code/site', 1786003200000, 1786003200000);
"""
_DIFF = f"""Index: {SHOP}/shop/cart.py
===================================================================
--- {SHOP}/shop/cart.py
+++ {SHOP}/shop/cart.py
@@ -14,3 +14,3 @@
 def discounted(total: int, percent: int) -> int:
     \"\"\"The total after a discount, in cents.\"\"\"
-    return int(total * (1 - percent / 100))
+    return total - round_half_up(total * percent, 100)
"""
_PATCH = """*** Begin Patch
*** Update File: shop/money.py
@@
+def round_half_up(value: int, divisor: int) -> int:
+    \"\"\"The quotient rounded to the nearest integer; halves are rounded up.\"\"\"
+    return (2 * value + divisor) // (2 * divisor)
+
+
 def as_text(cents: int) -> str:
*** End Patch"""
_MODEL = {"modelID": "claude-sonnet-4-5", "providerID": "anthropic", "mode": "build", "agent": "build"}
_COMPACTION = {**_MODEL, "mode": "compaction", "agent": "compaction", "summary": True}
Part = dict[str, Any]


class Script:
    """The statements that make the database; every message is half a minute after the one before."""

    def __init__(self) -> None:
        self._lines = [_TABLES.strip()]
        self._clock = START
        self._number = 0

    def session(self, name: str, title: str, parent: str | None = None) -> None:
        """Add a session of version 1."""
        times = (self._clock, self._clock + 600_000)
        self._insert("session", name, "shop", parent, name.removeprefix("ses_"), SHOP, title, "1.18.10", *times)

    def say(self, session: str, role: str, *parts: Part, tokens: tuple[int, int, int] = (0, 0, 0), **info: Any) -> None:
        """Add a message; `tokens` are those of the input, the output and the cache."""
        self._clock += 30_000
        time = {"created": self._clock, **({"completed": self._clock + 20_000} if role == "assistant" else {})}
        data: Part = {"role": role, "time": time, **info}
        if role == "assistant":
            counts = {"input": tokens[0], "output": tokens[1], "reasoning": 0, "cache": {"read": tokens[2], "write": 0}}
            data |= {"path": {"cwd": SHOP, "root": SHOP}, "cost": 0, "tokens": counts}
        message = self._id("msg")
        self._insert("message", message, session, self._clock, self._clock, compact(data))
        for part in parts:
            self._insert("part", self._id("prt"), message, session, self._clock, self._clock, compact(part))

    def second(self, name: str, title: str) -> None:
        """Add a session of version 2."""
        times = (self._clock, self._clock + 600_000)
        self._insert("session_v2", name, "site", None, None, name.removeprefix("ses_"), SITE, title, "2.0.12", *times)

    def add(self, session: str, kind: str, **data: Any) -> None:
        """Add a message of version 2."""
        self._clock += 30_000
        whole = {"time": {"created": self._clock}, **data}
        row = (self._id("msg"), session, kind, self._number, self._clock, self._clock, compact(whole))
        self._insert("session_message", *row)

    def text(self) -> str:
        """The whole script."""
        return "\n".join(self._lines) + "\n"

    def _id(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}_f9a2{self._number:04}001KqTz"

    def _insert(self, table: str, *values: Any) -> None:
        self._lines.append(f"INSERT INTO {table} VALUES ({', '.join(map(literal, values))});")


def build() -> dict[str, str]:
    """The scripts of the databases, by their paths."""
    script, kilo = Script(), Script()
    _round_discounts(script)
    _link_checker(script)
    _currency_names(kilo)
    return {DATABASE: script.text(), KILO_DATABASE: kilo.text()}


def _round_discounts(script: Script) -> None:
    """A session with thinking, a subagent, an edit, a patch, a failed command, a compaction and an interruption."""
    session, child = "ses_0657a1f2affeQm81", "ses_0657a0c44ffeTb02"
    script.session(session, "Round discounts to the nearest cent")
    script.say(session, "user", _text("The total of a cart with a 15 % discount is one cent too low. Can you mend it?"))
    task = {
        "description": "Find where discounts are computed",
        "prompt": "Find every place in shop/ where a discount is subtracted from a total.",
        "subagent_type": "explore",
    }
    script.say(
        session,
        "assistant",
        _thinking("One cent too low sounds like int() cutting off. I should look for all places first."),
        _text("I look for the places where discounts are computed."),
        _tool("task", 1, task, "Only shop/cart.py, line 16.", metadata={"sessionId": child}),
        _tool("todowrite", 2, {"todos": [{"content": "Round half up", "status": "in_progress"}]}, "1 todo"),
        tokens=(5210, 320, 0),
        **_MODEL,
    )
    edit = {
        "filePath": f"{SHOP}/shop/cart.py",
        "oldString": "    return int(total * (1 - percent / 100))",
        "newString": "    return total - round_half_up(total * percent, 100)",
    }
    script.say(
        session,
        "assistant",
        _tool("read", 3, {"filePath": f"{SHOP}/shop/cart.py"}, "14: def discounted(total: int, percent: int) -> int:"),
        _tool("edit", 4, edit, "Edit applied successfully.", metadata={"diff": _DIFF}),
        _tool("bash", 5, {"command": "pytest -q tests/test_cart.py"}, _FAILED, metadata={"exit": 1}),
        tokens=(880, 260, 5210),
        **_MODEL,
    )
    script.say(
        session,
        "assistant",
        _text("The helper is missing. I add it to shop/money.py."),
        _tool("apply_patch", 6, {"patchText": _PATCH}, "Success. Updated the following files:\nM shop/money.py"),
        _tool("bash", 7, {"command": "pytest -q"}, "48 passed in 2.31s", metadata={"exit": 0}),
        _text("Discounts are now rounded to the nearest cent, and halves up. All 48 tests pass."),
        tokens=(640, 210, 6090),
        **_MODEL,
    )
    script.session(child, "Find where discounts are computed (@explore subagent)", session)
    script.say(child, "user", _text(task["prompt"]))
    script.say(
        child,
        "assistant",
        _tool("grep", 8, {"pattern": "discount|percent", "path": f"{SHOP}/shop"}, "Found 1 match\nshop/cart.py:\n  16"),
        _text("Only shop/cart.py, line 16."),
        tokens=(1900, 60, 0),
        **{**_MODEL, "mode": "explore", "agent": "explore"},
    )
    script.say(session, "user", {"type": "compaction", "auto": False})
    script.say(session, "assistant", _text(_SUMMARY), tokens=(7400, 240, 0), **_COMPACTION)
    script.say(session, "user", _text("Does the invoice use the same function?"))
    aborted = {"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    script.say(session, "assistant", _text("I check shop/invoice.py."), tokens=(900, 30, 0), error=aborted, **_MODEL)


def _link_checker(script: Script) -> None:
    """A session of version 2 with a command of the user."""
    session = "ses_0661c83d1ffeWy77"
    script.second(session, "Check the links of the site")
    model = {"id": "gpt-5.1-codex", "providerID": "openai"}
    script.add(session, "user", text="Some links in content/ are dead. Write a small checker.")
    written = {"filePath": f"{SITE}/tools/links.py", "content": _CHECKER}
    script.add(
        session,
        "assistant",
        agent="build",
        model=model,
        tokens={"input": 3100, "output": 410, "reasoning": 90, "cache": {"read": 0, "write": 0}},
        content=[
            {"type": "reasoning", "id": "r1", "text": "Only relative links can be checked without the network."},
            {
                "type": "tool",
                "id": "call_21",
                "name": "write",
                "state": _completed(written, "Wrote file successfully."),
            },
            {"type": "text", "id": "t1", "text": "tools/links.py lists the relative links that lead nowhere."},
        ],
    )
    script.add(session, "shell", command="python tools/links.py", output="content/about.md: ../team.md", exit=1)
    script.add(session, "user", text="That page was renamed to people.md, please change the link.")
    changed = {"filePath": f"{SITE}/content/about.md", "oldString": "../team.md", "newString": "../people.md"}
    script.add(
        session,
        "assistant",
        agent="build",
        model=model,
        tokens={"input": 420, "output": 80, "reasoning": 0, "cache": {"read": 3100, "write": 0}},
        content=[
            {"type": "tool", "id": "call_22", "name": "edit", "state": _completed(changed, "Edit applied.")},
            {"type": "text", "id": "t2", "text": "content/about.md now links to people.md."},
        ],
    )


def _currency_names(script: Script) -> None:
    """A short session of Kilo."""
    session = "ses_0644f0b7bffeKl31"
    script.session(session, "Name the currencies in messages")
    script.say(session, "user", _text("Error messages say EUR, but customers should read 'euro'. Where is that made?"))
    script.say(
        session,
        "assistant",
        _tool("grep", 31, {"pattern": "EUR", "path": f"{SHOP}/shop"}, "Found 1 match\nshop/errors.py:\n  9"),
        _text("shop/errors.py, line 9, writes the code of the currency. NAMES in shop/money.py already has the names."),
        tokens=(2100, 90, 0),
        **_MODEL,
    )


_FAILED = """E   NameError: name 'round_half_up' is not defined
FAILED tests/test_cart.py::test_discount - NameError: name 'round_half_up' is not defined
1 failed, 11 passed in 0.42s"""
_SUMMARY = """## Goal
The total of a cart with a discount must be right to the cent.
## Done
- shop/cart.py uses round_half_up, which is in shop/money.py; all 48 tests pass.
## Next
- Check whether shop/invoice.py computes discounts itself."""
_CHECKER = '''"""List the relative links that lead nowhere."""

import re
from pathlib import Path

for page in sorted(Path("content").rglob("*.md")):
    for link in re.findall(r"\\]\\(([^):#]+)", page.read_text()):
        if not (page.parent / link).exists():
            print(f"{page}: {link}")
'''


def _text(text: str) -> Part:
    return {"type": "text", "text": text}


def _thinking(text: str) -> Part:
    return {"type": "reasoning", "text": text}


def _tool(name: str, number: int, arguments: Any, output: str, **state: Any) -> Part:
    return {"type": "tool", "tool": name, "callID": f"call_{number:02}", "state": _completed(arguments, output) | state}


def _completed(arguments: Any, output: str) -> Part:
    return {"status": "completed", "input": arguments, "output": output, "title": "", "metadata": {}}


def compact(value: Any) -> str:
    """A value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def literal(value: Any) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"
