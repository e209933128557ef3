"""An invented session of Kimi Code: an edit, a failed command, a subagent, and a compaction by hand."""

from __future__ import annotations

import json

from .clocks import Clock, Json, as_lines

_SESSION = "session_3f6a1c20-5b7d-4e88-9a10-6c2d8e4f7b05"
_FOLDER = f"kimi/sessions/wd_site_4be1c0a97d52/{_SESSION}"
_CWD = "/home/ana/code/site"
_MODEL = "moonshot-ai/kimi-k2.7-code"


class _Script:
    def __init__(self, agent: str, start: str) -> None:
        self.agent = agent
        self.clock = Clock(start)
        self.records: list[Json] = []
        self.add("metadata", 0, protocol_version="1.4", app_version="0.14.0", created_at=self.clock.milliseconds(0))
        self.add("config.update", 0, cwd=_CWD, modelAlias=_MODEL, thinkingEffort="on")

    def add(self, kind: str, seconds: int = 2, **fields: object) -> None:
        self.records.append({"type": kind, **fields, "time": self.clock.milliseconds(seconds)})

    def user(self, text: str, origin: Json | None = None) -> None:
        origin = origin or {"kind": "user"}
        content = [{"type": "text", "text": text}]
        self.add("turn.prompt", 70, input=content, origin=origin)
        message = {"role": "user", "content": content, "toolCalls": [], "origin": origin}
        self.add("context.append_message", 0, message=message)

    def event(self, kind: str, seconds: int = 3, **fields: object) -> None:
        name = f"{self.agent}-{len(self.records):04d}"
        self.add("context.append_loop_event", seconds, event={"type": kind, "uuid": name, "turnId": "0", **fields})

    def part(self, kind: str, **fields: object) -> None:
        self.event("content.part", part={"type": kind, **fields})

    def call(self, tool_id: str, name: str, **arguments: object) -> None:
        self.event("tool.call", uuid=tool_id, toolCallId=tool_id, name=name, args=arguments)

    def result(self, tool_id: str, output: str, *, failed: bool = False) -> None:
        result: Json = {"output": output} | ({"isError": True} if failed else {})
        self.event("tool.result", parentUuid=tool_id, toolCallId=tool_id, result=result)

    def step(self) -> None:
        size = sum(len(json.dumps(record)) for record in self.records[-6:])
        usage = {"inputOther": 300, "output": size // 8, "inputCacheRead": 14000 + size, "inputCacheCreation": 0}
        self.event("step.end", 1, usage=usage, finishReason="end_turn")
        self.add("usage.record", 0, model=_MODEL, usage=usage, usageScope="turn")


def _links() -> _Script:
    script = _Script("main", "2026-11-06T16:05:00+00:00")
    script.user("Check all links between our pages and repair the broken ones.")
    script.part("think", think="A build with a link checker finds them. A subagent can list the pages meanwhile.")
    script.call("Bash_0", "Bash", command="npm run build && npx linkinator dist --silent")
    script.result("Bash_0", "404 /guides/instal/\nCommand failed with exit code: 1.", failed=True)
    asked = {"description": "Find the misspelled link", "subagent_type": "explore", "prompt": "Who links to instal?"}
    script.call("Agent_1", "Agent", **asked)
    script.result("Agent_1", "agent_id: agent-0\nstatus: completed\n\n[summary]\nsrc/pages/index.md, line 12.")
    old, new = "[Install](/guides/instal/)", "[Install](/guides/install/)"
    script.call("Edit_2", "Edit", path="src/pages/index.md", old_string=old, new_string=new)
    script.result("Edit_2", "Replaced 1 occurrence in src/pages/index.md")
    script.part("text", text="One link was misspelled, in src/pages/index.md. The checker finds nothing more.")
    script.step()
    script.add("full_compaction.begin", 30, source="manual")
    summary = "All links were checked. The link to /guides/install/ in src/pages/index.md was repaired."
    script.add("context.apply_compaction", 9, summary=summary, compactedCount=9, tokensBefore=15900, tokensAfter=640)
    script.add("full_compaction.complete", 0)
    script.user("Run the checker in the CI as well.")
    script.part("text", text="The workflow runs `npx linkinator dist` after the build now.")
    script.step()
    return script


def _explorer() -> _Script:
    script = _Script("agent-0", "2026-11-06T16:06:30+00:00")
    script.user("Who links to instal?", {"kind": "system_trigger", "name": "subagent"})
    script.call("Grep_0", "Grep", pattern="guides/instal/", path=f"{_CWD}/src", output_mode="content")
    script.result("Grep_0", "src/pages/index.md:12:[Install](/guides/instal/)")
    script.part("text", text="src/pages/index.md, line 12.")
    script.step()
    return script


def build() -> dict[str, str]:
    """Return each file with its text."""
    agents = {"main": {"type": "main", "parentAgentId": None}, "agent-0": {"type": "sub", "parentAgentId": "main"}}
    state = {"title": "Repair broken links", "isCustomTitle": False, "workDir": _CWD, "agents": agents}
    return {
        f"{_FOLDER}/state.json": json.dumps(state, indent=2) + "\n",
        f"{_FOLDER}/agents/main/wire.jsonl": as_lines(_links().records),
        f"{_FOLDER}/agents/agent-0/wire.jsonl": as_lines(_explorer().records),
    }
