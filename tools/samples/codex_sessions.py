"""Sessions of Codex: a refund that is paid once, its reviewer, and a nightly backup.

The first is written as versions up to 0.142 do, with every text as an item and as an event; the last as newer ones do,
whose tools are called by scripts.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

REFUND = "019f2d10-4c5e-7a31-9b02-6d1f0a9c3e41"
REVIEWER = "019f2d18-90b7-7c44-8a65-2f7be1d04c92"
BACKUP = "019f5a73-1e08-7d29-b4c6-93a5507e2f18"
SHOP, INFRA = "/home/ana/code/shop-api", "/home/ana/code/infra"

PATCH = """*** Begin Patch
*** Update File: src/shop/refunds.py
@@ def refund(order: Order, amount: Cents) -> Refund:
-    payment = gateway.refund(order.payment_id, amount)
+    key = f"refund-{order.id}-{amount}"
+    payment = gateway.refund(order.payment_id, amount, idempotency_key=key)
     return Refund(order.id, payment.id, amount)
*** End Patch"""
DIFF = """@@ -21,4 +21,5 @@
 def refund(order: Order, amount: Cents) -> Refund:
-    payment = gateway.refund(order.payment_id, amount)
+    key = f"refund-{order.id}-{amount}"
+    payment = gateway.refund(order.payment_id, amount, idempotency_key=key)
     return Refund(order.id, payment.id, amount)
"""
SOURCE = """     1\tfrom shop.money import Cents
     2\tfrom shop.orders import Order
    21\tdef refund(order: Order, amount: Cents) -> Refund:
    22\t    payment = gateway.refund(order.payment_id, amount)
    23\t    return Refund(order.id, payment.id, amount)
"""
BACKUP_PATCH = """*** Begin Patch
*** Add File: backup/nightly.timer
+[Timer]
+OnCalendar=*-*-* 02:30:00
+Persistent=true
*** End Patch"""


class _Rollout:
    """A rollout under construction, one entry every few seconds."""

    def __init__(self, thread: str, start: datetime, cwd: str, version: str, branch: str, **fields: Any) -> None:
        self._lines: list[str] = []
        self._thread, self._at, self._cwd = thread, start, cwd
        self._turns = self._calls = self._total = 0
        self.name = f"sessions/{start:%Y/%m/%d}/rollout-{start:%Y-%m-%dT%H-%M-%S}-{thread}.jsonl"
        meta = {"id": thread, "timestamp": self._time(), "cwd": cwd, "originator": "codex_cli_rs"}
        git = {"commit_hash": "4f1c2e9d8b7a60513c2d4e5f60718293a4b5c6d7", "branch": branch}
        self.add("session_meta", {**meta, "cli_version": version, "source": "cli", "git": git, **fields})

    def _time(self) -> str:
        return self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def add(self, kind: str, payload: dict[str, Any], seconds: int = 3) -> None:
        entry = {"timestamp": self._time(), "type": kind, "payload": payload}
        self._lines.append(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
        self._at += timedelta(seconds=seconds)

    def item(self, kind: str, **payload: Any) -> None:
        self.add("response_item", {"type": kind, **payload})

    def event(self, kind: str, **payload: Any) -> None:
        self.add("event_msg", {"type": kind, **payload}, 0)

    def user(self, text: str, model: str) -> None:
        self._turns += 1
        turn = f"{self._thread[:-2]}{self._turns:02}"
        self.event("task_started", turn_id=turn, model_context_window=258400)
        if self._turns == 1:
            context = f"<environment_context>\n  <cwd>{self._cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
            self.item("message", role="user", content=[{"type": "input_text", "text": context}])
        self.item("message", role="user", content=[{"type": "input_text", "text": text}])
        self.event("user_message", message=text, images=[], local_images=[], text_elements=[])
        self.add("turn_context", {"turn_id": turn, "cwd": self._cwd, "approval_policy": "on-request", "model": model})

    def think(self, text: str) -> None:
        self.event("agent_reasoning", text=text)
        self.item("reasoning", summary=[{"type": "summary_text", "text": text}], encrypted_content="gAAAAABqRd0x")

    def say(self, text: str, phase: str = "commentary") -> None:
        self.event("agent_message", message=text, phase=phase)
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}], phase=phase)

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        self._calls += 1
        call = f"call_{self._thread[:4]}{self._thread[-4:]}{self._calls:04}"
        self.item("function_call", name=name, arguments=json.dumps(arguments), call_id=call)
        return call

    def custom(self, name: str, text: str) -> str:
        self._calls += 1
        call = f"call_{self._thread[:4]}{self._thread[-4:]}{self._calls:04}"
        self.item("custom_tool_call", status="completed", call_id=call, name=name, input=text)
        return call

    def shell(self, command: str, output: str, code: int = 0) -> None:
        call = self.call("exec_command", {"cmd": command, "workdir": self._cwd, "yield_time_ms": 10000})
        head = f"Chunk ID: {self._calls:06x}\nWall time: 0.4 seconds\nProcess exited with code {code}\nOutput:\n"
        self.item("function_call_output", call_id=call, output=head + output)

    def script(self, text: str, output: str) -> None:
        call = self.custom("exec", text)
        parts = [{"type": "input_text", "text": part} for part in ("Script completed\nWall time 0.6 seconds\n", output)]
        self.item("custom_tool_call_output", call_id=call, output=parts)

    def tokens(self, fresh: int, cached: int, output: int) -> None:
        self._total += fresh + cached + output
        last = {"input_tokens": fresh + cached, "cached_input_tokens": cached, "output_tokens": output}
        self.event("token_count", info={"total_token_usage": {"total_tokens": self._total}, "last_token_usage": last})

    def done(self, text: str) -> None:
        self.say(text, "final_answer")
        self.event("task_complete", last_agent_message=text)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)


def build() -> dict[str, str]:
    """The text of each file by its path in `sample_sessions`."""
    rollouts = [_refund(), _reviewer(), _backup()]
    names = {"id": BACKUP, "thread_name": "Nightly backup", "updated_at": "2026-07-13T08:20:00Z"}
    files = {f"codex/{rollout.name}": rollout.text for rollout in rollouts}
    return files | {"codex/session_index.jsonl": json.dumps(names) + "\n"}


def _refund() -> _Rollout:
    one = _Rollout(REFUND, datetime(2026, 7, 4, 13, 5, 12, tzinfo=UTC), SHOP, "0.142.0", "refund-once")
    one.user("A customer got her refund twice after a timeout. Find out why and fix it.", "gpt-5.5-codex")
    one.think("**Looking for the call of the gateway**")
    one.say("I look at how refunds reach the gateway.")
    one.shell(
        "rg -n 'gateway.refund' src", "src/shop/refunds.py:22:    payment = gateway.refund(order.payment_id, amount)\n"
    )
    one.shell("nl -ba src/shop/refunds.py | sed -n '1,40p'", SOURCE)
    one.tokens(9120, 4096, 310)
    one.think("**The call has no idempotency key**\n\nA repeated request is a new refund for the gateway.")
    one.say("The gateway takes a repeated request for a new refund, because no key is sent with it. I add one.")
    call = one.custom("apply_patch", PATCH)
    changes = {f"{SHOP}/src/shop/refunds.py": {"type": "update", "unified_diff": DIFF, "move_path": None}}
    one.event("patch_apply_end", call_id=call, success=True, changes=changes, status="completed")
    updated = "Exit code: 0\nOutput:\nSuccess. Updated the following files:\nM src/shop/refunds.py\n"
    one.item("custom_tool_call_output", call_id=call, output=updated)
    failed = "E   TypeError: refund() got an unexpected keyword argument 'idempotency_key'\n1 failed, 11 passed\n"
    one.shell("uv run pytest -q tests/test_refunds.py", failed, code=1)
    fake = "sed -i 's/def refund(self, payment_id, amount)/def refund(self, payment_id, amount, idempotency_key=None)/'"
    one.shell(f"{fake} tests/fakes.py && uv run pytest -q tests/test_refunds.py", "12 passed in 0.61s\n")
    one.tokens(3050, 13216, 540)
    one.done("Refunds carry an idempotency key now, so a repeated request pays once. All 12 tests pass.")
    one.event("thread_name_updated", thread_id=REFUND, thread_name="Refunds are paid once")
    one.user("Let another agent review it.", "gpt-5.5-codex")
    call = one.call("spawn_agent", {"agent_type": "reviewer", "message": "Review the change of src/shop/refunds.py."})
    one.item("function_call_output", call_id=call, output=json.dumps({"agent_id": REVIEWER, "nickname": "Noether"}))
    call = one.call("wait_agent", {"targets": [REVIEWER], "timeout_ms": 60000})
    found = "Two refunds of the same amount for one order share the key: the second would be dropped."
    done = {"status": {REVIEWER: {"completed": found}}}
    one.item("function_call_output", call_id=call, output=json.dumps(done))
    one.tokens(1210, 16400, 120)
    one.done(
        "The reviewer is right: two partial refunds of one amount share the key. It needs the number of the refund."
    )
    return one


def _reviewer() -> _Rollout:
    spawned = {"parent_thread_id": REFUND, "depth": 1, "agent_nickname": "Noether", "agent_role": "reviewer"}
    one = _Rollout(
        REVIEWER, datetime(2026, 7, 4, 13, 14, 2, tzinfo=UTC), SHOP, "0.142.0", "refund-once",
        source={"subagent": {"thread_spawn": spawned}}, agent_nickname="Noether", agent_role="reviewer",
    )  # fmt: skip
    one.user("Review the change of src/shop/refunds.py.", "gpt-5.5-codex")
    one.shell("git diff -- src/shop/refunds.py", DIFF)
    one.tokens(5200, 2048, 90)
    one.done("Two refunds of the same amount for one order share the key: the second would be dropped.")
    return one


def _backup() -> _Rollout:
    one = _Rollout(BACKUP, datetime(2026, 7, 13, 8, 1, 40, tzinfo=UTC), INFRA, "0.147.0", "main")
    one.user("Set up a nightly backup of the orders database, at half past two.", "gpt-5.6")
    one.script(
        'const r = await tools.exec_command({\n  cmd: "cat backup/README.md && ls backup",\n'
        f'  workdir: "{INFRA}"\n}});\ntext(r.output);\n',
        "# Backups\nRun `backup/run.sh` by hand.\nREADME.md\nrun.sh\n",
    )
    one.tokens(7040, 3072, 160)
    one.script(
        f"const patch = {json.dumps(BACKUP_PATCH)};\ntext(await tools.apply_patch(patch));\n",
        "Success. Updated the following files:\nA backup/nightly.timer\n",
    )
    one.tokens(800, 9900, 210)
    history = [{"type": "compaction", "encrypted_content": "gAAAAABqUe7x"}]
    one.add("compacted", {"message": "", "replacement_history": history, "window_number": 1})
    one.event("context_compacted")
    one.done("A timer starts the backup every night at 02:30, also after the machine was off.")
    one.user("Delete the old dumps as well.", "gpt-5.6")
    one.say("I look for dumps older than 30 days.")
    marker = "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>"
    one.item("message", role="user", content=[{"type": "input_text", "text": marker}])
    one.event("turn_aborted", reason="interrupted")
    return one
