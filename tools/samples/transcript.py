"""One transcript file: its entries in order, with the keys in the order of the agent's version."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from .blocks import Json, Stage
from .ids import Ids, digest
from .repo import Repo


def dump(value: object) -> str:
    """Return JSON as the agent writes it: no blanks, no escaped letters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def stamp(at: datetime) -> str:
    """Return a time as the agent writes it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


@dataclass
class TranscriptPane:
    """The entries of one file, and the state that each entry repeats."""

    repo: Repo
    seed: str
    version: str
    start: str
    """Local time of the first entry, UTC."""
    branch: str = "main"
    cwd: str = ""
    slug: str = ""
    session: str = ""
    agent: str = ""
    """Id of the subagent whose file this is."""
    kind: str = ""
    """`sessionKind`, as `bg` for a copy in the background."""
    entrypoint: str = "cli"
    lines: list[str] = field(default_factory=list)
    parent: str | None = None
    prompt: str = ""
    """`promptId` of the turn."""
    sidechain: bool = False

    def __post_init__(self) -> None:
        self.ids = Ids(self.seed)
        self.now = datetime.fromisoformat(self.start).replace(tzinfo=UTC)
        self.cwd = self.cwd or self.repo.root
        self.session = self.session or self.ids.uuid()
        self.number = tuple(int(part) for part in self.version.split("."))
        self.stage = Stage(self.repo, self.ids, self.number)
        self.sidechain = self.sidechain or bool(self.agent)

    @property
    def newer(self) -> bool:
        """True for the key order of 2.1.199 and later."""
        return self.stage.newer

    def since(self, *number: int) -> bool:
        """Tell if the version is `number` or later."""
        return self.number >= number

    def tick(self, seconds: float) -> str:
        """Let time go by, a little more or less than asked, and return the new time."""
        wobble = digest(f"{self.seed} {len(self.lines)} {seconds}")
        self.now += timedelta(seconds=seconds * (0.7 + wobble[0] / 400), milliseconds=wobble[1] + 1)
        return stamp(self.now)

    def add(self, value: object) -> None:
        """Write a line."""
        self.lines.append(dump(value))

    def raw(self, text: str) -> None:
        """Write a line as it is; it may be no JSON."""
        self.lines.append(text)

    def entry(self, before: Json, after: Json | None = None, at: str = "", parent: str | None = "") -> str:
        """Write an entry of the conversation and return its uuid.

        `before` are the keys that stand before uuid and timestamp, `after` those behind; `parent` says what the entry
        hangs on when that is not the entry written last.
        """
        uuid = self.ids.uuid()
        hook = self.parent if parent == "" else parent
        times = {"uuid": uuid, "timestamp": at or stamp(self.now)}
        if self.newer:
            who: Json = {"promptId": self.prompt} if before.get("type") == "user" and self.prompt else {}
            who |= {"agentId": self.agent} if self.agent else {}
            self.add(
                {
                    "parentUuid": hook,
                    "isSidechain": self.sidechain,
                    **who,
                    **before,
                    **times,
                    **(after or {}),
                    **self.tail(),
                }
            )
        else:
            self.add(
                {"parentUuid": hook, "isSidechain": self.sidechain, **self.head(), **before, **times, **(after or {})}
            )
        self.parent = uuid
        return uuid

    def place(self) -> Json:
        """Return where the entry was written, the keys that both orders share."""
        return {"cwd": self.cwd, "sessionId": self.session, "version": self.version, "gitBranch": self.branch}

    def head(self) -> Json:
        """Return the keys that older versions put before an entry's own."""
        agent = {"agentId": self.agent} if self.agent else {}
        slug = {"slug": self.slug} if self.slug else {}
        return {"userType": "external", **self.place(), **agent, **slug}

    def tail(self) -> Json:
        """Return the keys that newer versions put behind an entry's own."""
        kind = {"sessionKind": self.kind} if self.kind else {}
        slug = {"slug": self.slug} if self.slug else {}
        who = {"userType": "external", "entrypoint": self.entrypoint}
        return {"session_id": self.session, **kind, **who, **self.place(), **slug}

    def text(self, ending: str = "\n") -> str:
        """Return the file's content."""
        return "".join(line + "\n" for line in self.lines[:-1]) + (self.lines[-1] + ending if self.lines else "")


Files = dict[str, str]
"""Content by path below `sample_sessions/`."""


def project_folder(cwd: str) -> str:
    """Return the folder of a project's transcripts: every sign but letters and digits becomes a dash."""
    return "projects/" + "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in cwd)


def session_file(transcript: TranscriptPane) -> str:
    """Return the path of a session's own file."""
    return f"{project_folder(transcript.cwd)}/{transcript.session}.jsonl"


StoryTeller = Callable[[], Files]
