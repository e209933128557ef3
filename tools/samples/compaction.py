"""Compactions: the boundary, and the summary that replaces what was before."""

from __future__ import annotations

from dataclasses import dataclass

from .blocks import Json
from .prose import prose
from .story import Story
from .transcript import TranscriptPane

START = (
    "This session is being continued from a previous conversation that ran out of context. The summary below covers "
    "the earlier portion of the conversation.\n\n"
)
END = (
    "\n\nPlease continue the conversation from where we left off without asking the user any further questions. "
    "Continue with the last task that you were asked to work on."
)
ORDER = (
    "Your task is to create a detailed summary of the conversation so far, paying attention to what the user asked for "
    "and what was done. It should hold what is needed to go on: files, decisions, errors and open work."
)


@dataclass(frozen=True)
class Summary:
    """The parts of a summary, in the order in which the agent writes them."""

    intent: str
    concepts: tuple[str, ...]
    files: tuple[str, ...]
    errors: tuple[str, ...]
    solving: str
    asked: tuple[str, ...]
    pending: tuple[str, ...]
    current: str
    following: str

    def text(self) -> str:
        """Return the summary as Markdown."""
        parts = (
            ("Primary Request and Intent", (self.intent,)),
            ("Key Technical Concepts", self.concepts),
            ("Files and Code Sections", self.files),
            ("Errors and fixes", self.errors or ("None.",)),
            ("Problem Solving", (self.solving,)),
            ("All user messages", tuple(f'"{each}"' for each in self.asked)),
            ("Pending Tasks", self.pending or ("None.",)),
            ("Current Work", (self.current,)),
            ("Optional Next Step", (self.following,)),
        )
        return "Summary:\n" + "\n\n".join(section(number, head, rows) for number, (head, rows) in enumerate(parts, 1))


def section(number: int, head: str, rows: tuple[str, ...]) -> str:
    """Return one numbered part: a paragraph, or a list when there are several rows."""
    texts = [prose(row) for row in rows]
    body = [texts[0]] if len(texts) == 1 else [f"- {text}".replace("\n", "\n  ") for text in texts]
    return f"{number}. {head}:\n" + "\n".join("   " + line for text in body for line in text.split("\n"))


def compact(story: Story, summary: Summary, *, trigger: str = "auto", before: int = 167_000, keep: int = 0) -> None:
    """Write a compaction; `keep` entries before it are named as preserved, as the newest versions do."""
    logical, at = story.parent, story.tick(70)
    meta: dict[str, object] = {"trigger": trigger, "preTokens": before}
    if story.newer:
        kept = [pair[1] for pair in story.uuids()[-keep:]] if keep else []
        meta |= {"postTokens": before // 12, "cumulativeDroppedTokens": before - before // 12, "durationMs": 68_214}
        if kept:
            anchor = story.ids.uuid()
            meta["preservedSegment"] = {"headUuid": kept[0], "anchorUuid": anchor, "tailUuid": kept[-1]}
            meta["preservedMessages"] = {"anchorUuid": anchor, "uuids": kept, "allUuids": kept}
    boundary: Json = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    if story.newer:
        boundary |= {"level": "info", "compactMetadata": meta}
    else:
        boundary |= {"isMeta": False, "level": "info", "compactMetadata": meta}
    story.entry(boundary, None, at, parent=None)
    # The boundary alone names what it follows, right behind the empty parent.
    line = story.lines.pop()
    story.raw(line.replace('{"parentUuid":null,', f'{{"parentUuid":null,"logicalParentUuid":"{logical}",', 1))
    flags = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
    body = {"type": "user", "message": {"role": "user", "content": START + summary.text() + END}}
    story.entry({**body, **flags}, None, at)
    story.cached = 21_000


def acompact(parent: Story, summary: Summary, mark: str) -> TranscriptPane:
    """Return the transcript of the agent that wrote a summary; its first line hangs on the parent's conversation."""
    agent = Story(
        parent.repo,
        f"{parent.seed}/acompact",
        parent.version,
        parent.now.replace(tzinfo=None).isoformat(),
        branch=parent.branch,
        cwd=parent.cwd,
        slug=parent.slug,
        session=parent.session,
        agent=f"acompact-{mark}",
        model=parent.model,
    )
    agent.parent = parent.parent
    agent.user(ORDER)
    agent.claude(summary.text(), seconds=60)
    return agent
