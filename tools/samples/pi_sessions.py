"""Invented sessions of Pi: an edit with an error before it, a compaction and a branch; a fork of that session."""

from __future__ import annotations

from .clocks import Clock, Json, as_lines

_SHOP = "019a8f10-3a52-7c11-9d0e-5b7f2c61a001"
_FORK = "019a8f3d-77e0-7a44-8b21-0c9d4e52b002"
_FOLDER = "pi/agent/sessions/--home-ana-code-shop-api--"
_SHOP_FILE = f"{_FOLDER}/2026-11-03T08-12-00-000Z_{_SHOP}.jsonl"
_MODEL = "claude-sonnet-4-5"


class PiScript:
    """Collects the entries of a session of Pi; each one follows the one before."""

    def __init__(self, session: str, start: str, cwd: str, **header: str) -> None:
        self.clock = Clock(start)
        fields = {"version": 3, "id": session, "timestamp": self.clock.iso(0), "cwd": cwd}
        self.entries: list[Json] = [{"type": "session", **fields, **header}]
        self.leaf: str | None = None
        self._mark = session[-4:]

    def add(self, kind: str, seconds: int = 4, **fields: object) -> str:
        """Add an entry and return its id."""
        name = f"{self._mark}{len(self.entries):04x}"
        entry = {"type": kind, "id": name, "parentId": self.leaf, "timestamp": self.clock.iso(seconds), **fields}
        self.entries.append(entry)
        self.leaf = name
        return name

    def message(self, seconds: int = 4, **message: object) -> str:
        """Add a message."""
        return self.add("message", seconds, message={**message, "timestamp": self.clock.milliseconds(0)})

    def user(self, text: str) -> str:
        """Add a prompt."""
        return self.message(50, role="user", content=[{"type": "text", "text": text}])

    def answer(self, *parts: Json | str, thinking: str = "", stop: str = "stop") -> str:
        """Add an answer of texts and calls."""
        content: list[Json] = [{"type": "thinking", "thinking": thinking}] if thinking else []
        content += [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        size = sum(len(str(part)) for part in content)
        tokens = {"input": 12, "output": size // 4, "cacheRead": 9000 + 10 * size, "cacheWrite": size}
        about = {"api": "anthropic-messages", "provider": "anthropic", "model": _MODEL, "stopReason": stop}
        return self.message(9, role="assistant", content=content, usage=tokens, **about)

    def result(self, tool_id: str, tool: str, text: str, *, failed: bool = False, **fields: object) -> str:
        """Add the result of a call."""
        content = [{"type": "text", "text": text}]
        return self.message(
            2, role="toolResult", toolCallId=tool_id, toolName=tool, content=content, isError=failed, **fields
        )


def call(tool_id: str, name: str, **arguments: object) -> Json:
    """Return the part of an answer that calls a tool."""
    return {"type": "toolCall", "id": tool_id, "name": name, "arguments": arguments}


def _idempotent() -> PiScript:
    script = PiScript(_SHOP, "2026-11-03T08:12:00+00:00", "/home/ana/code/shop-api")
    script.add("model_change", provider="anthropic", modelId=_MODEL)
    script.add("thinking_level_change", thinkingLevel="medium")
    script.user("The payment provider sends every webhook twice. Make POST /webhooks/payment idempotent.")
    script.answer(
        "I will read the handler and its tests first.",
        call("toolu_p01", "read", path="src/webhooks.py"),
        call("toolu_p02", "bash", command="pytest -q tests/test_webhooks.py"),
        thinking="The provider sends an event id in a header. A table of ids that were handled should do.",
        stop="toolUse",
    )
    script.result(
        "toolu_p01",
        "read",
        "def handle(event: Event) -> None:\n    order = orders.find(event.order)\n    order.pay(event.amount)\n",
    )
    script.result("toolu_p02", "bash", "1 failed, 6 passed\nE   AssertionError: order was paid twice", failed=True)
    old, new = "    order.pay(event.amount)\n", "    if events.first_time(event.id):\n        order.pay(event.amount)\n"
    script.answer(call("toolu_p03", "edit", path="src/webhooks.py", oldText=old, newText=new), stop="toolUse")
    diff = (
        "   1 def handle(event: Event) -> None:\n   2     order = orders.find(event.order)\n"
        "-  3     order.pay(event.amount)\n+  3     if events.first_time(event.id):\n"
        "+  4         order.pay(event.amount)"
    )
    script.result("toolu_p03", "edit", "Successfully replaced text in src/webhooks.py.", details={"diff": diff})
    store = "def first_time(event_id: str) -> bool:\n    return db.insert_ignore('events', id=event_id) == 1\n"
    script.answer(call("toolu_p04", "write", path="src/events.py", content=store), stop="toolUse")
    script.result("toolu_p04", "write", "Successfully wrote 98 bytes to src/events.py")
    script.answer(call("toolu_p05", "bash", command="pytest -q tests/test_webhooks.py"), stop="toolUse")
    script.result("toolu_p05", "bash", "7 passed")
    script.answer("Each event id is stored when it is handled, so a repeated webhook changes nothing. All tests pass.")
    return script


def _with_branch() -> PiScript:
    script = _idempotent()
    kept = script.user("How long do we keep the ids?")
    script.answer("For ever, so far. The provider repeats an event for at most three days.")
    script.message(30, role="bashExecution", command="git diff --stat", output=" 2 files changed", exitCode=0)
    summary = (
        "## Goal\nPOST /webhooks/payment is idempotent.\n\n## Done\n- src/events.py stores handled ids\n"
        "- src/webhooks.py pays an order only for a new id\n\n## Open\nDelete ids after three days."
    )
    script.add("compaction", 20, summary=summary, firstKeptEntryId=kept, tokensBefore=48210)
    before = script.user("Delete the ids with a cron job.")
    script.answer("A cron job needs a host that runs it. I would rather delete old ids when a new one is stored.")
    script.leaf = kept
    script.add("branch_summary", fromId=before, summary="A cron job was considered and not written.")
    script.user("Delete ids older than three days whenever one is stored.")
    script.answer("Done: `first_time` deletes ids older than three days before it stores the new one.")
    script.add("label", targetId=kept, label="before the deletion")
    script.add("session_info", name="Idempotent payment webhooks")
    return script


def _fork(origin: PiScript) -> PiScript:
    script = PiScript(_FORK, "2026-11-03T09:02:00+00:00", "/home/ana/code/shop-api", parentSession=f"/{_SHOP_FILE}")
    copied = origin.entries[1:]
    script.entries += copied
    script.leaf = copied[-1]["id"]
    script.user("Write the same for POST /webhooks/refund.")
    script.answer("The refund handler now asks `events.first_time` as well.")
    return script


def build() -> dict[str, str]:
    """Return each file with its text."""
    shared = _idempotent()
    return {
        _SHOP_FILE: as_lines(_with_branch().entries),
        f"{_FOLDER}/2026-11-03T09-02-00-000Z_{_FORK}.jsonl": as_lines(_fork(shared).entries),
    }
