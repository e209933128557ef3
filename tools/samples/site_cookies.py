"""The cookie banner, with an old version: to-do list, a Task beside the session, a pasted picture, a caveat."""

from __future__ import annotations

from .agents import Subagent
from .blocks import Think, image
from .prose import output
from .repo import Repo
from .scenes import command, turn_over
from .site_files import ROOT, SITE
from .story import Story
from .tools_files import Edit, Glob, Grep, Read
from .tools_other import Bash, Todos, Tool
from .transcript import Files, project_folder, session_file

RED = image(8, 4, (200, 30, 30))


def tell() -> Files:
    """Return the session's file, its subagent's beside it, and a later session that names both."""
    files: Files = {}
    story = Story(
        Repo(ROOT, SITE), "site/cookies", "2.0.76", "2026-11-03T09:00:00", slug="gentle-humming-otter", model=OPUS
    )
    banner(story, files)
    files[session_file(story)] = story.text()
    warmup = Story(
        story.repo,
        "site/warmup",
        "2.0.76",
        "2026-11-03T08:59:58",
        session=story.session,
        agent="a0b1c2d",
        model=HAIKU,
    )
    warmup.user("Warmup")
    warmup.claude("I'm ready to look through this code base. What would you like to know?")
    files[f"{project_folder(ROOT)}/agent-a0b1c2d.jsonl"] = warmup.text()
    later = theme(story)
    files[session_file(later)] = later.text()
    return files


OPUS, HAIKU = "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"


def banner(story: Story, files: Files) -> None:
    """The banner covers the search on small screens, and comes back on every visit."""
    story.you(
        """
        On my phone the cookie banner covers the search box (screenshot), and it comes back on every visit, even after
        "No". Please fix both. We must not set any other cookie before the choice.
        """,
        images=(RED,),
    )
    story.claude(
        Think("Two bugs and one rule. Start with the banner, then look for other cookies."),
        "I'll make a short plan and look at the banner.",
        Todos(now="Banner must not cover the search", later=("Remember the choice", "No cookie before the choice")),
        Read("src/components/CookieBanner.astro"),
    )
    look = Subagent(
        story,
        "Explore",
        "Find other cookies",
        "Find every place that sets a cookie or uses localStorage.",
        find_cookies,
        files,
        sibling=True,
    )
    story.claude(look)
    story.claude(
        Edit(
            "src/components/CookieBanner.astro",
            "consent=${choice}; path=/`",
            "consent=${choice}; path=/; max-age=15552000; samesite=lax; secure`",
        ),
        Edit(
            "src/components/CookieBanner.astro",
            "bottom: 0; z-index: 10; background: white; }",
            (
                "inset: auto 0 0; z-index: 10; background: white; }\n  @media (max-width: 40rem) { "
                ".banner { position: static; } }"
            ),
        ),
        Todos(("Banner must not cover the search", "Remember the choice"), "No cookie before the choice"),
    )
    story.claude("""
        Both fixed:

        - without `max-age` the cookie ended with the browser, so the banner came back. It now lasts **180 days**.
        - on narrow screens the banner stands in the page instead of over it.

        No other cookie is set before the choice; the theme switch uses `localStorage`, which counts as necessary.
    """)
    command(story, "model", "", "Set model to opus (claude-opus-4-5-20251101)")
    story.you("180 days: is that allowed? and run the checks")
    story.claude(
        Bash("npm run build 2>&1 | tail -n 5", BUILD, "Check and build the site"),
        Todos(("Banner must not cover the search", "Remember the choice", "No cookie before the choice")),
    )
    story.claude("""
        Authorities in several countries name **six months** as a fair time before asking again, so 180 days is fine.
        I'm not a lawyer; please let yours confirm. The build passes.
    """)
    turn_over(story)


def find_cookies(agent: Story) -> str:
    """Search for cookies."""
    agent.claude(Grep(r"document\.cookie|localStorage"), Glob("src/**/*.astro"))
    said = (
        "Only `src/components/CookieBanner.astro` sets a cookie (`consent`). Nothing else writes to the browser here."
    )
    agent.claude(said)
    return said


BUILD = output("""
    Result (31 files):
    - 0 errors
    - 0 warnings
    12:04:40 [build] 58 page(s) built in 6.40s
    12:04:40 [build] Complete!
""")


def theme(before: Story) -> Story:
    """A later session: its first line is a summary of the session before, with a leaf in that file."""
    story = Story(before.repo, "site/theme", "2.1.12", "2026-11-05T17:20:00", slug="bright-folding-lamp", model=OPUS)
    story.add(
        {
            "type": "summary",
            "summary": "Cookie banner: remember the choice, free the search box",
            "leafUuid": before.parent,
        }
    )
    story.you("dark mode flashes white on load. can you see it in the film strip? docs/strip.png")
    story.claude(
        Tool(
            "Read",
            {"file_path": f"{ROOT}/docs/strip.png"},
            [image(6, 4, (250, 250, 250))],
            {
                "type": "image",
                "file": {
                    "base64": image(6, 4, (250, 250, 250))["source"]["data"],
                    "type": "image/png",
                    "originalSize": 118,
                },
            },
        ),
        Read("src/layouts/Base.astro"),
    )
    story.claude(
        "Frame two is white: the class is set by a module script, which runs *after* the first paint.",
        Edit(
            "src/layouts/Base.astro",
            '    <meta charset="utf-8" />\n',
            (
                '    <meta charset="utf-8" />\n    <script is:inline>\n      '
                'document.documentElement.dataset.theme = localStorage.theme ?? "auto";\n    '
                "</script>\n"
            ),
        ),
    )
    story.claude("An inline script in the head sets the theme before anything is drawn. The flash is gone.")
    story.system(
        "microcompact_boundary",
        {
            "content": "Context microcompacted",
            "level": "info",
            "microcompactMetadata": {
                "trigger": "auto",
                "preTokens": 48_210,
                "tokensSaved": 21_660,
                "compactedToolIds": [story.ids.call()],
                "clearedAttachmentUUIDs": [],
            },
        },
    )
    story.you("and with JS off?")
    story.claude("Then `prefers-color-scheme` decides; the style sheet has had that rule since spring.")
    return story
