"""Try `memtui rewind` with the real programs: sessions that an agent wrote, rewound and resumed by it.

The agent gets three prompts, with a compaction before the third. Then its session is rewound to several places, and
resumed with one more prompt. What the model then gets must be what stood before that place, and nothing after it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tools.try_agents.model import Call, Model

FIRST, SECOND, THIRD, NEXT = "Which apples?", "Which pears?", "Which plums?", "Which figs?"
RESUMED: Final[Mapping[str, Sequence[str]]] = {
    "claude-code": ("claude", "--dangerously-skip-permissions", "--resume", "{session}", "-p"),
    "codex": (
        *("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "{options}"),
        *("resume", "{session}"),
    ),
}
"""The commands that resume a session with a prompt, which follows."""
SUMMARY: Final = {
    "claude-code": "This session is being continued from a previous conversation",
    "codex": "Another language model started to solve this problem",
}
"""How agents begin the summary of a compaction."""
_COMPACTING: Final = ("-c", "model_auto_compact_token_limit=1")
"""What makes one of them compact before the next prompt."""


class Orchard(Model):
    """A model that calls a tool for the first prompt, and else only answers."""

    def next_call(self, request: Mapping[str, Any]) -> Call | None:
        """A call for the first prompt."""
        return super().next_call(request) if SECOND not in json.dumps(request) else None


class Place(NamedTuple):
    """A place to which the session is rewound, and what the model must get then."""

    name: str
    arguments: Sequence[str]
    """Of `memtui rewind`, after the session and a colon."""
    has: Sequence[str]
    lacks: Sequence[str]


def _places(summary: str) -> Iterator[Place]:
    yield Place("after turn 1", ("1",), (FIRST,), (SECOND, summary, THIRD))
    yield Place("before the compaction", ("3", "--before"), (FIRST, SECOND), (summary, THIRD))
    yield Place("after the compaction", ("4", "--before"), (summary,), (THIRD,))
    yield Place("after the last turn", ("4",), (summary, THIRD), ())


class RewindResult(NamedTuple):
    """What was found out about one place."""

    agent: str
    version: str
    place: str
    resumed: str
    got_before: str
    nothing_after: str
    original: str
    fork: str


def try_rewinding(home: Any, model: Model, run: Sequence[str], agent: str, version: str) -> Iterator[RewindResult]:
    """Let an agent write a session in a home folder, and rewind it to each of the places."""
    home.run([*run, FIRST])
    home.run(["memtui", "index"])
    session = next(iter(_sessions(home, agent)))
    home.run([*_resuming(agent, session), SECOND])
    if agent == "claude-code":
        home.run([*_resuming(agent, session), "/compact"])
        home.run([*_resuming(agent, session), THIRD])
    else:
        home.run([*_resuming(agent, session, *_COMPACTING), THIRD])
    home.run(["memtui", "index"])
    [transcript] = [path for path in home.folder.rglob("*.jsonl") if session in path.name and path.is_file()]
    before = transcript.read_bytes()
    for place in _places(SUMMARY[agent]):
        made = home.run(
            ["memtui", "rewind", f"{session}:{place.arguments[0]}", *place.arguments[1:], "--yes", "--json"]
        )
        new = json.loads(made.stdout)["session_id"] if made.returncode == 0 else ""
        asked = len(model.requests)
        done = home.run([*_resuming(agent, new, ""), NEXT])
        sent = "\n".join(model.requests[asked:])
        home.run(["memtui", "index"])
        listed = _sessions(home, agent)
        own = listed.get(new, {})
        is_fork = (own.get("forked_from"), own.get("turns")) == (session, 1) and listed[session]["turns"] == 4
        yield RewindResult(
            agent,
            version,
            place.name,
            _yes(done.returncode == 0 and NEXT in sent),
            _yes(all(text in sent for text in place.has)),
            _yes(not any(text in sent for text in place.lacks)),
            "unchanged" if transcript.read_bytes() == before else "CHANGED",
            _yes(is_fork),
        )


def _resuming(agent: str, session: str, *options: str) -> list[str]:
    words: list[str] = []
    for word in RESUMED[agent]:
        words += options if word == "{options}" else [word.replace("{session}", session)]
    return words


def _sessions(home: Any, agent: str) -> dict[str, dict[str, Any]]:
    """The sessions of an agent in the index of a home folder, by id."""
    sessions = json.loads(home.run(["memtui", "sessions", "--json"]).stdout)
    return {one["session_id"]: one for one in sessions if one["agent"] == agent}


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "NO"
