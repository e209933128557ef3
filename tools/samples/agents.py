"""Subagents: the call in the parent, and the child's own transcript."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from .blocks import Json, Outcome, Stage
from .prose import prose
from .story import Story
from .transcript import Files, project_folder, stamp


@dataclass
class Subagent:
    """A Task or Agent call; the child tells its own story when the call is played."""

    parent: Story
    kind: str
    """`subagent_type`."""
    description: str
    prompt: str
    tell: Callable[[Story], str]
    """Tells the child's story and returns its last words."""
    files: Files
    """Where the child's transcript is put."""
    sibling: bool = False
    """Beside the session, as the first versions with files of their own did."""
    written: Story | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The tool's name: Task until 2.1.59, then Agent."""
        return "Agent" if self.parent.since(2, 1, 78) else "Task"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return {"description": self.description, "prompt": prose(self.prompt), "subagent_type": self.kind}

    def play(self, stage: Stage) -> Outcome:
        """Let the child work and return what it says at the end."""
        parent = self.parent
        agent = stage.ids.agent(short=not parent.since(2, 1, 59))
        began = (parent.batch or parent.now).replace(tzinfo=None)
        child = Story(
            parent.repo,
            f"{parent.seed}/{agent}",
            parent.version,
            began.isoformat(),
            branch=parent.branch,
            cwd=parent.cwd,
            slug=parent.slug,
            session=parent.session,
            agent=agent,
            model="claude-haiku-4-5-20251001" if self.kind == "Explore" else parent.model,
            cached=9_100,
        )
        child.prompt = parent.prompt
        child.user(prose(self.prompt))
        last = prose(self.tell(child))
        self.files[self.path(agent)] = child.text()
        self.written = child
        spent = int((child.now.replace(tzinfo=None) - began).total_seconds() * 1000)
        parent.now = max(parent.now, child.now)
        uses = sum('"type":"tool_use"' in line for line in child.lines)
        total = f"<usage>total_tokens: {child.cached}\ntool_uses: {uses}\nduration_ms: {spent}</usage>"
        hint = f"agentId: {agent} (for resuming to continue this agent's work if needed)\n{total}"
        text = [{"type": "text", "text": last}]
        counts = {"input_tokens": 4, "cache_creation_input_tokens": 1201, "cache_read_input_tokens": child.cached}
        counts |= {"output_tokens": len(last) // 4, "service_tier": "standard"}  # type: ignore[dict-item]
        result: Json = {"status": "completed", "prompt": prose(self.prompt), "agentId": agent}
        result |= {"agentType": self.kind} if parent.newer else {}
        result |= {"content": text, "totalDurationMs": spent, "totalTokens": child.cached}
        return Outcome([*text, {"type": "text", "text": hint}], {**result, "totalToolUseCount": uses, "usage": counts})

    def path(self, agent: str) -> str:
        """Return where the child's transcript lies."""
        folder = project_folder(self.parent.cwd)
        inner = "" if self.sibling else f"{self.parent.session}/subagents/"
        return f"{folder}/{inner}agent-{agent}.jsonl"


def agent_progress(story: Story, child: Story, prompt: str, call: str) -> None:
    """Write the parent's copy of a child's messages, as versions up to 2.1.81 did."""
    for line in child.lines[:3]:
        value = json.loads(line)
        message = {key: value[key] for key in ("type", "message", "uuid", "timestamp")}
        data = {
            "message": message,
            "normalizedMessages": [],
            "type": "agent_progress",
            "prompt": prompt,
            "agentId": child.agent,
        }
        keys = {"type": "progress", "data": data, "toolUseID": f"agent_{child.agent}", "parentToolUseID": call}
        story.entry(keys, None, stamp(story.now))
