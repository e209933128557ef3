"""A session told as a story: what the person typed, and what the agent thought, said and did."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from .blocks import Block, Call, Json, Think
from .prose import prose
from .tools_other import Cut
from .transcript import TranscriptPane, stamp

Said = str | Think | Block | Call


@dataclass
class Story(TranscriptPane):
    """A transcript with the verbs to tell a session."""

    model: str = "claude-opus-5"
    cached: int = 18_400
    """Tokens of the conversation so far."""
    spoken: str = ""
    """The last prompt."""
    session_lines: bool = True
    """Write the last-prompt, mode and permission-mode lines of newer versions."""
    began: datetime | None = None
    """When the last prompt was sent."""
    batch: datetime | None = None
    """When the calls of the message began; subagents of one message start together."""

    def you(self, text: str, after: float = 240, *, images: tuple[Json, ...] = (), source: str = "typed") -> str:
        """Write a prompt that a person typed, `after` seconds."""
        said = prose(text)
        self.close_turn()
        at = self.tick(after)
        self.began = self.now
        self.prompt = self.ids.uuid() if self.since(2, 1, 78) else ""
        self.spoken = said
        content: object = [{"type": "text", "text": said}, *images] if images else said
        self.snapshot()
        uuid = self.entry({"type": "user", "message": {"role": "user", "content": content}}, self.typed(source), at)
        self.cached += len(said) // 4
        return uuid

    def typed(self, source: str) -> Json:
        """Return the keys that tell a person's prompt from other user entries in this version."""
        if self.newer:
            return {"permissionMode": "default", "origin": {"kind": "human"}, "promptSource": source}
        keys: Json = {}
        if (2, 0, 64) <= self.number <= (2, 1, 42):
            keys["thinkingMetadata"] = {"level": "high", "disabled": False, "triggers": []}
        if (2, 0, 64) <= self.number <= (2, 1, 59):
            keys["todos"] = self.stage.todos
        return keys | ({"permissionMode": "default"} if self.since(2, 1, 38) else {})

    def snapshot(self) -> None:
        """Write the snapshot of files that stands before a prompt."""
        if not self.since(2, 0) or self.agent:
            return
        message = self.ids.uuid()
        kept = {"messageId": message, "trackedFileBackups": {}, "timestamp": stamp(self.now)}
        self.add({"type": "file-history-snapshot", "messageId": message, "snapshot": kept, "isSnapshotUpdate": False})

    def user(self, content: object, *, meta: bool = False, after: float = 0.05, **keys: object) -> str:
        """Write any other user entry, as the client does on its own."""
        at = self.tick(after)
        flags: Json = {"isMeta": True} if meta else {}
        return self.entry({"type": "user", "message": {"role": "user", "content": content}, **flags}, dict(keys), at)

    def claude(self, *said: Said, order: tuple[int, ...] = (), weave: bool = False, seconds: float = 9) -> None:
        """Write one API message, a line for each block, and the results of its calls.

        `order` is the order of the results when it is not that of the calls; `weave` writes each result right after
        its call, between the lines of the message.
        """
        message, request = self.ids.message(), self.ids.request()
        blocks = [self.block(each) for each in said]
        calls: list[tuple[Call, Json, str]] = []
        stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
        for number, (each, block) in enumerate(zip(said, blocks, strict=True)):
            at = self.tick(seconds / len(said) + len(str(block)) / 900)
            counted = usage(self, blocks, number, growing=weave or not self.newer)
            body: Json = {
                "model": self.model,
                "id": message,
                "type": "message",
                "role": "assistant",
                "content": [block],
            }
            body |= {"stop_reason": stop if self.newer else None, "stop_sequence": None}
            body |= {"stop_details": None} if self.newer else {}
            effort = {"effort": "high"} if self.since(2, 1, 217) else {}
            before: Json = {"message": {**body, "usage": counted}, "requestId": request, "type": "assistant"}
            uuid = self.entry(before, effort, at)
            if block["type"] == "tool_use" and not isinstance(each, str | Think | Block | Cut):
                calls.append((each, block, uuid))
                if weave:
                    self.result(*calls.pop())
        self.batch = self.now
        for number in order or range(len(calls)):
            self.result(*calls[number])
        self.cached += sum(len(str(block)) for block in blocks) // 4

    def block(self, said: Said) -> Json:
        """Return the content block of one thing said or done."""
        if isinstance(said, str):
            return {"type": "text", "text": prose(said)}
        if isinstance(said, Think):
            return {"type": "thinking", "thinking": prose(said.text), "signature": self.ids.signature()}
        if isinstance(said, Block):
            return said.value
        block = {"type": "tool_use", "id": self.ids.call(), "name": said.name, "input": said.input(self.stage)}
        return block | ({"caller": {"type": "direct"}} if self.since(2, 1, 200) else {})

    def result(self, call: Call, block: Json, source: str) -> None:
        """Play a call and write its result."""
        outcome = call.play(self.stage)
        at = self.tick(0.9 + len(str(outcome.content)) / 900)
        part: Json = {"tool_use_id": block["id"], "type": "tool_result", "content": outcome.content}
        if outcome.error is not None:
            part["is_error"] = outcome.error
        after: Json = {} if self.agent else {"toolUseResult": outcome.result}
        after |= outcome.extra or {}
        after |= {"sourceToolAssistantUUID": source} if self.since(2, 1, 7) else {}
        # With parallel calls each result hangs on the line of its own call.
        self.entry({"type": "user", "message": {"role": "user", "content": [part]}}, after, at, parent=source)
        self.cached += len(str(outcome.content)) // 4

    def close_turn(self) -> None:
        """Write what the client adds when a turn is over."""
        if self.newer and self.session_lines and self.spoken and not self.agent:
            self.add(
                {
                    "type": "last-prompt",
                    "lastPrompt": self.spoken[:200],
                    "leafUuid": self.parent,
                    "sessionId": self.session,
                }
            )
            if len(self.lines) % 2:
                self.line("mode", mode="normal")
                self.line("permission-mode", permissionMode="default")

    def at(self, clock: str, day: int = 0) -> None:
        """Go on at a time of the day, or with `day` on a later day of the month."""
        hour, minute = clock.split(":")
        self.now = self.now.replace(day=day or self.now.day, hour=int(hour), minute=int(minute), second=7)

    def line(self, kind: str, **keys: object) -> None:
        """Write a session-level line: a type, its keys and the session's id."""
        self.add({"type": kind, **keys, "sessionId": self.session})

    def system(self, subtype: str, keys: Json, *, after: float = 0.2, meta: bool | None = False) -> str:
        """Write a system entry."""
        at = self.tick(after)
        return self.entry({"type": "system", "subtype": subtype, **keys}, {} if meta is None else {"isMeta": meta}, at)

    def attach(self, kind: str, keys: Json, after: float = 0.05) -> str:
        """Write an attachment."""
        at = self.tick(after)
        return self.entry({"attachment": {"type": kind, **keys}, "type": "attachment"}, None, at)

    def uuids(self) -> list[tuple[str, str]]:
        """Return neighbours in the conversation, for what refers back to it."""
        found = [value["uuid"] for value in map(json.loads, self.lines) if isinstance(value, dict) and "uuid" in value]
        return list(pairwise(found))


def usage(story: Story, blocks: list[Json], number: int, *, growing: bool) -> Json:
    """Return token counts that fit the text, for the line of a block: the same on each, or growing with the message."""
    shown = blocks[: number + 1] if growing else blocks
    output = 3 + sum(len(str(block)) for block in shown) // 4
    fresh = 900 + story.cached // 40
    counts: Json = {"input_tokens": 4, "cache_creation_input_tokens": fresh, "cache_read_input_tokens": story.cached}
    if not story.newer:
        kinds = {"ephemeral_5m_input_tokens": fresh, "ephemeral_1h_input_tokens": 0}
        return {**counts, "cache_creation": kinds, "output_tokens": output, "service_tier": "standard"}
    kinds = {"ephemeral_1h_input_tokens": fresh, "ephemeral_5m_input_tokens": 0}
    searches = {"web_search_requests": 0, "web_fetch_requests": 0}
    counts |= {
        "output_tokens": output,
        "server_tool_use": searches,
        "service_tier": "standard",
        "cache_creation": kinds,
    }
    return {**counts, "inference_geo": "not_available", "speed": "standard"}
