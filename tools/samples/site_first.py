"""The first session of the site, with an old version: the subagent's lines stand inside the session."""

from __future__ import annotations

from dataclasses import dataclass

from .blocks import Json, Outcome, Stage, Think
from .prose import output, prose
from .repo import Repo
from .site_files import PACKAGE, ROOT
from .story import Story
from .tools_files import Read, Write
from .tools_other import Bash, Todos, Tool
from .transcript import Files, session_file

TASK = "Compare Astro Starlight, VitePress and Docusaurus for a site of 900 pages. Report in a short table."


def tell() -> Files:
    """Return the session's file."""
    story = Story(
        Repo(ROOT, {"package.json": PACKAGE}), "site/first", "1.0.98", "2026-11-01T18:05:00", branch="", model=SONNET
    )
    story.you("Which static site generator should we take for the docs? 900 Markdown pages, search, several languages")
    story.claude(
        Todos(now="Compare generators", later=("Set up the project",)),
        InlineTask(story),
    )
    story.claude("""
        I would take **Astro**: Markdown as it is, pages without JavaScript, and languages are built in.

        - VitePress is as fast, but a second language needs a copy of the configuration.
        - Docusaurus took 4 minutes for 900 pages.
    """)
    story.you("astro it is, set up the package.json", 600)
    story.claude(
        Read("package.json"),
        Tool(
            "MultiEdit",
            {"file_path": f"{ROOT}/package.json", "edits": EDITS},
            f'Applied 2 edits to {ROOT}/package.json:\n1. Replaced "^5.14.0" with "^5.15.1"\n2. Replaced "vitest run"',
            {
                "filePath": f"{ROOT}/package.json",
                "edits": EDITS,
                "originalFileContents": PACKAGE,
                "structuredPatch": [],
                "userModified": False,
            },
        ),
        Write(
            "astro.config.mjs",
            (
                'import { defineConfig } from "astro/config";\n\nexport default defineConfig({ site: '
                '"https://docs.example.com" });\n'
            ),
        ),
        Bash(
            "npm install && npm run build",
            output("""
            added 412 packages in 21s
            [build] 3 page(s) built in 1.1s
        """),
        ),
        Todos(("Compare generators", "Set up the project")),
    )
    story.claude("It builds. `npm run dev` shows it at http://localhost:4321.")
    return {session_file(story): story.text()}


SONNET = "claude-sonnet-4-20250514"
EDITS = [
    {"old_string": "^5.14.0", "new_string": "^5.15.1", "replace_all": False},
    {"old_string": "vitest run", "new_string": "vitest run --passWithNoTests", "replace_all": False},
]
REPORT = """
| | Astro | VitePress | Docusaurus |
|---|---|---|---|
| 900 pages | 21 s | 18 s | 240 s |
| languages | built in | by copy | built in |
| JavaScript per page | 0 kB | 60 kB | 190 kB |
"""


@dataclass
class InlineTask:
    """A Task whose agent writes its lines into the session itself, between the call and the result."""

    story: Story
    name: str = "Task"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return {"description": "Compare generators", "prompt": TASK, "subagent_type": "general-purpose"}

    def play(self, stage: Stage) -> Outcome:
        """Let the agent work."""
        story, above, first = self.story, self.story.parent, len(self.story.lines)
        story.parent, story.sidechain = None, True
        story.user(TASK)
        story.claude(Think("Measure, do not guess."), Bash("node bench/pages.mjs 900", MEASURED))
        story.claude(REPORT)
        story.parent, story.sidechain = above, False
        text = [{"type": "text", "text": prose(REPORT)}]
        uses = sum('"tool_use_id"' in line for line in story.lines[first:])
        totals = {"totalDurationMs": 48_310, "totalTokens": 11_804, "totalToolUseCount": uses}
        return Outcome(text, {"content": text, **totals})


MEASURED = "astro 21 s\nvitepress 18 s\ndocusaurus 240 s"
