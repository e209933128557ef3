"""Invented sessions of Copilot CLI: a patch, a failed command, a subagent, a compaction and the tokens at the end."""

from __future__ import annotations

import json

from .clocks import Clock, Json, as_lines

_INFRA = "7c1e0b52-44f0-4d8e-9b63-1f2a3c4d5e01"
_FOLDER = f"copilot/session-state/{_INFRA}"
_CWD = "/home/ana/code/infra"
_MODEL = "gpt-5.2-codex"


class _Script:
    def __init__(self) -> None:
        self.clock = Clock("2026-11-05T07:40:00+00:00")
        self.events: list[Json] = []

    def add(self, kind: str, seconds: int = 2, agent: str = "", **data: object) -> None:
        number = len(self.events)
        parent = self.events[-1]["id"] if self.events else None
        event: Json = {"type": kind, "data": data, "id": f"5b0d4c1e-0000-4000-8000-{number:012x}"}
        event |= {"timestamp": self.clock.iso(seconds), "parentId": parent}
        self.events.append(event | ({"agentId": agent} if agent else {}))

    def user(self, text: str) -> None:
        now = f"<current_datetime>2026-11-05</current_datetime>\n\n{text}"
        self.add("user.message", 60, content=text, transformedContent=now, attachments=[], delivery="idle")

    def answer(self, text: str, *requests: Json, agent: str = "") -> None:
        name = f"message-{len(self.events)}"
        tokens = (len(text) + len(json.dumps(requests))) // 4
        fields: Json = {"messageId": name, "apiCallId": f"call-{name}", "model": _MODEL, "outputTokens": tokens}
        self.add("assistant.message", 8, agent, content=text, toolRequests=list(requests), **fields)

    def run(self, request: Json, text: str, *, agent: str = "", failed: bool = False, detail: str = "") -> None:
        tool_id = request["toolCallId"]
        arguments = request["arguments"]
        self.add("tool.execution_start", 1, agent, toolCallId=tool_id, toolName=request["name"], arguments=arguments)
        outcome: Json = {"error": {"message": text, "code": "failure"}} if failed else {"result": {"content": text}}
        if detail:
            outcome["result"]["detailedContent"] = detail
        self.add("tool.execution_complete", 3, agent, toolCallId=tool_id, success=not failed, **outcome)


def _request(tool_id: str, name: str, arguments: object) -> Json:
    return {"toolCallId": tool_id, "name": name, "arguments": arguments, "type": "function"}


def _backups() -> _Script:
    script = _Script()
    context = {"cwd": _CWD, "gitRoot": _CWD, "branch": "main", "repository": "ana/infra"}
    about: Json = {"sessionId": _INFRA, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.77"}
    script.add("session.start", **about, startTime="2026-11-05T07:40:00.000Z", context=context)
    script.add("session.model_change", newModel=_MODEL, reasoningEffort="medium")
    script.add("system.message", role="system", content="You are the GitHub Copilot CLI.")
    script.user("The nightly backup of the database has been empty since Monday. Find out why and repair it.")
    task = _request("call_b01", "task", {"agent_type": "explore", "prompt": "Where is the nightly backup defined?"})
    script.answer("I will let a subagent look for the job while I read the logs.", task)
    script.add("tool.execution_start", toolCallId="call_b01", toolName="task", arguments=task["arguments"])
    names: Json = {"agentName": "explore", "agentDisplayName": "Find the backup job"}
    script.add("subagent.started", agent="agent-b1", toolCallId="call_b01", **names)
    search = _request("call_b02", "rg", {"pattern": "pg_dump", "paths": _CWD, "output_mode": "content"})
    script.answer("", search, agent="agent-b1")
    script.run(search, "ansible/backup.yml:14: pg_dump {{ db_name }}", agent="agent-b1")
    script.answer("The job is in ansible/backup.yml, line 14.", agent="agent-b1")
    script.add("subagent.completed", toolCallId="call_b01", **names, totalToolCalls=1)
    found: Json = {"content": "The job is in ansible/backup.yml, line 14."}
    script.add("tool.execution_complete", toolCallId="call_b01", success=True, result=found)
    dry = _request("call_b03", "bash", {"command": "ansible-playbook ansible/backup.yml --check", "description": "Try"})
    script.answer("", dry)
    script.run(dry, "fatal: 'db_name' is undefined", failed=True)
    patch = (
        "*** Begin Patch\n*** Update File: ansible/backup.yml\n@@\n   vars:\n"
        "-    database: shop\n+    db_name: shop\n*** End Patch"
    )
    edit = _request("call_b04", "apply_patch", patch)
    script.answer("The variable was renamed on Monday, but not here.", edit)
    diff = (
        "\ndiff --git a/ansible/backup.yml b/ansible/backup.yml\n--- a/ansible/backup.yml\n+++ b/ansible/backup.yml\n"
        "@@ -5,2 +5,2 @@\n   vars:\n-    database: shop\n+    db_name: shop\n"
    )
    script.run(edit, "Modified 1 file(s): ansible/backup.yml", detail=diff)
    script.answer("The backup reads `db_name` again, and the playbook runs. Tonight's dump will show it.")
    script.add("session.compaction_start", 400)
    summary = "The nightly backup was empty because ansible/backup.yml still set `database`. It sets `db_name` now."
    script.add("session.compaction_complete", 12, success=True, preCompactionTokens=61200, summaryContent=summary)
    script.user("Add a check that fails if the dump is smaller than 1 MB.")
    script.answer("The playbook now fails after a dump of less than 1 MB.")
    usage = {"inputTokens": 84210, "outputTokens": 640, "cacheReadTokens": 70400, "cacheWriteTokens": 0}
    script.add("session.shutdown", shutdownType="routine", modelMetrics={_MODEL: {"usage": usage}})
    return script


def build() -> dict[str, str]:
    """Return each file with its text."""
    about = f"id: {_INFRA}\ncwd: {_CWD}\ngit_root: {_CWD}\nbranch: main\nsummary: Repair the nightly backup\n"
    return {f"{_FOLDER}/events.jsonl": as_lines(_backups().events), f"{_FOLDER}/workspace.yaml": about}
