"""What the entries of a rollout depend on: the session, the turn, and what was shown before."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

from memtui_core.readers.agents.codex.file_names import id_in, is_rollout, stem_of
from memtui_core.readers.agents.codex.rollout.copies import Copies
from memtui_core.readers.agents.codex.rollout.entries import EVENT, ITEM, RolloutEntry
from memtui_core.readers.agents.codex.rollout.events import finished_item
from memtui_core.readers.agents.codex.rollout.outputs import patch_of
from memtui_core.readers.agents.codex.rollout.repeats import Repeats
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import count, mapping, string
from memtui_core.readers.records import SessionFacts, Usage

_Patch = list[dict[str, Any]]


class RolloutState:
    """The state after some entries of a rollout."""

    def __init__(self, path: Path, facts: SessionFacts) -> None:
        self.facts = facts
        self.origin = Origin()
        self.repeats = Repeats()
        self.model: str | None = None
        self.is_answering = False
        """Whether the agent did something since the last prompt or compaction."""
        self.context_tokens: int | None = None
        """The size of the last request."""
        self._path = path
        self._thread: str | None = None
        """The id in the first description of the session."""
        self._copies = Copies(path)
        self._total: Any = None
        """The tokens of the session as last reported: a report can be repeated."""
        self._applied: dict[str, tuple[bool, _Patch]] = {}
        self._open: set[str] = set()
        """The calls without a result."""
        self._script: str | None = None
        """The last call of a script, which applies patches by calls of its own."""

    @property
    def has_begun(self) -> bool:
        """Whether the first line of a rollout was read."""
        return bool(self.facts.session_id)

    @property
    def is_of_agent(self) -> bool:
        """Whether the name of the file or an entry says that it is a rollout."""
        return self.has_begun or is_rollout(self._path.name)

    @property
    def prompt_kind(self) -> Literal["human", "agent"]:
        """The kind of the prompts: those of a subagent are of another agent."""
        return "agent" if self.origin.is_subagent else "human"

    def identity(self) -> Identity:
        """The session; the continuation of a thread that was taken back is a session of its own."""
        session = self.facts.session_id or stem_of(self._path)
        return Identity(session, self.origin.parent, hidden=self.origin.hidden)

    def entry_id(self, line: int, number: int) -> str:
        """An id of an entry that it has in every place to which the file is moved, and when it is compressed."""
        return f"{self.identity().session_id}:{line}:{number}"

    def begin(self, payload: dict[str, Any]) -> str:
        """Take the description of the session, of which the first in a file counts; the label of a subagent."""
        own = string(payload.get("id")) or string(payload.get("session_id"))
        self._describe(payload, own)
        if self.has_begun:
            if own != self._thread:
                # The copied entries begin with the description of their session.
                self._copies.begin([own])
            return ""
        if own is None:
            return ""
        self._thread = own
        facts, file_id = self.facts, id_in(self._path.name)
        facts.session_id = file_id if file_id.startswith(f"{own}_") else own
        self.origin = origin_of(payload)
        self._refer_to_base(payload, own)
        if not mapping(payload.get("history_base")):
            self._copies.begin([string(payload.get("forked_from_id"))])
        return self.origin.label if self.origin.is_subagent else ""

    def refer(self, payload: dict[str, Any]) -> None:
        """Take a reference to the rollout with the turns before this one."""
        path = string(payload.get("rollout_path"))
        other = id_in(Path(path).name) if path else string(payload.get("thread_id"))
        if other and other != self.facts.session_id:
            self.facts.forked_from = self.facts.forked_from or other

    def is_copy(self, item: RolloutEntry) -> bool:
        """Whether an entry was copied from another session."""
        return self._copies.contains(item)

    def follow(self, item: RolloutEntry) -> None:
        """Take the model, the folder and the applied patches from an entry."""
        payload = item.payload
        if item.kind == "turn_context":
            self.model = string(payload.get("model")) or self.model
            self._add_folder(string(payload.get("cwd")))
        elif item.kind == EVENT:
            kind = item.type
            if kind == "item_completed":
                kind, payload = finished_item(payload)
            if kind == "thread_settings_applied":
                settings = mapping(payload.get("thread_settings")) or payload
                self.model = string(settings.get("model")) or self.model
            elif kind in {"patch_apply_end", "file_change"}:
                call = string(payload.get("call_id")) or string(payload.get("id"))
                if call is not None:
                    self._apply(call, payload)
        elif item.kind == ITEM and (call := string(payload.get("call_id"))) is not None:
            if item.type.endswith("_output"):
                self._open.discard(call)
            else:
                self._open.add(call)
                self._script = call if payload.get("name") == "exec" else self._script

    def applied(self, call: str | None) -> tuple[bool, _Patch]:
        """Whether the patch of a call failed, and its hunks."""
        return self._applied.pop(call or "", (False, []))

    def _apply(self, call: str, payload: dict[str, Any]) -> None:
        failed = payload.get("success") is False or string(payload.get("status")) in {"failed", "declined"}
        if call in self._open or self._script not in self._open:
            self._applied[call] = (failed, patch_of(payload.get("changes")))
        elif self._script is not None and not failed:
            # Of several patches of a script none is kept, because they may change the same lines.
            is_first = self._script not in self._applied
            self._applied[self._script] = (False, patch_of(payload.get("changes")) if is_first else [])

    def usage_of(self, payload: dict[str, Any]) -> Usage | None:
        """The tokens of the last request; None if it was reported before, or is not of this session."""
        info = mapping(payload.get("info"))
        last, total = mapping(info.get("last_token_usage")), mapping(info.get("total_token_usage"))
        if not last or (total and total == self._total):
            return None
        self._total = total
        tokens, cached = count(last.get("input_tokens")), count(last.get("cached_input_tokens"))
        written, output = count(last.get("cache_write_input_tokens")), count(last.get("output_tokens"))
        self.context_tokens = tokens + output
        if not self.is_answering:
            return None
        return Usage(max(0, tokens - cached - written), output, cached, written)

    def _describe(self, payload: dict[str, Any], own: str | None) -> None:
        """Take the folder, the branch and the version, unless the description is of another session."""
        facts = self.facts
        if self.has_begun and own is not None and own != self._thread:
            return
        self._add_folder(string(payload.get("cwd")))
        git = mapping(payload.get("git"))
        facts.branch = string(git.get("branch")) or facts.branch
        facts.repository = string(git.get("repository_url")) or facts.repository
        facts.version = string(payload.get("cli_version")) or facts.version

    def _refer_to_base(self, payload: dict[str, Any], own: str) -> None:
        """Take the session whose rollout contains the first turns."""
        base = string(mapping(payload.get("history_base")).get("thread_id"))
        fork = string(payload.get("forked_from_id"))
        if self.facts.session_id != own:
            self.facts.forked_from = f"{own}_{base}" if base and base != own else own
        elif fork or (base and base != own and not self.origin.is_subagent):
            self.facts.forked_from = fork or base

    def _add_folder(self, folder: str | None) -> None:
        self.facts.enter(folder)


class Origin(NamedTuple):
    """The origin of a session, from its `session_meta`."""

    parent: str | None = None
    """The id of the session to which a subagent belongs."""
    label: str = ""
    """The name of a subagent."""
    hidden: bool = False
    """Whether it is a helper that only repeats or judges another session."""

    @property
    def is_subagent(self) -> bool:
        """Whether another session started it."""
        return self.parent is not None or self.hidden


def origin_of(payload: dict[str, Any]) -> Origin:
    """The origin of a session. A subagent of a subagent belongs to the session of the user, if that is named."""
    subagent = mapping(payload.get("source")).get("subagent")
    spawned = mapping(mapping(subagent).get("thread_spawn"))
    kind = subagent if isinstance(subagent, str) else string(mapping(subagent).get("other")) or ""
    source = string(payload.get("thread_source")) or ""
    own = string(payload.get("id"))
    parent = string(payload.get("parent_thread_id")) or string(spawned.get("parent_thread_id"))
    if parent is None and not subagent and source not in {"subagent", "guardian_review"}:
        return Origin()
    root = string(payload.get("session_id"))
    if root is not None and own is not None and root != own:
        parent = root
    path = string(payload.get("agent_path")) or string(spawned.get("agent_path")) or ""
    nickname = string(payload.get("agent_nickname")) or string(spawned.get("agent_nickname")) or ""
    role = string(payload.get("agent_role")) or string(spawned.get("agent_role")) or ""
    name = path.rpartition("/")[2] or nickname or kind
    label = f"{name} ({role})" if name and role else name or role
    return Origin(parent, label, kind in {"guardian", "compact"} or source == "guardian_review")
