"""Questions about security headers, with a scanner's report as PDF."""

from __future__ import annotations

from .blocks import Think, document
from .infra_files import INFRA, ROOT
from .prose import output
from .repo import Repo
from .scenes import hook_progress, turn_over
from .story import Story
from .tools_files import Edit, Glob, Read
from .tools_other import Bash, Tool, fetch
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file."""
    story = Story(
        Repo(ROOT, INFRA),
        "infra/headers",
        "2.1.12",
        "2026-11-06T11:02:00",
        branch="headers",
        slug="curious-drifting-lynx",
        model="claude-opus-4-5-20251101",
    )
    hook_progress(story, "SessionStart", "SessionStart:startup", ".claude/hooks/hello.sh")
    story.you(
        "The scanner gives us a C (report attached as PDF). Which security headers are "
        "missing in nginx, and is HSTS of 300 s a joke?"
    )
    story.user([document("Grade C: no Content-Security-Policy, HSTS too short")], meta=True)
    story.claude(
        Think("The template has two add_header lines. CSP is the hard one: the shop has inline scripts."),
        Glob("ansible/**/*.j2"),
        Read("ansible/roles/nginx/templates/site.conf.j2"),
        fetch(
            "https://docs.example.com/web/headers/strict-transport-security",
            "What max-age is advised, and what does preload need?",
            "One year (31536000) is usual. Preload needs `includeSubDomains`, `preload` and at least one year.",
        ),
        order=(1, 0, 2),
    )
    story.claude("""
        ## Missing

        1. `Content-Security-Policy`: the important one
        2. `X-Content-Type-Options: nosniff`
        3. `Referrer-Policy`

        300 s of HSTS is what one takes **for the first day**, to be able to go back. It stayed since March.

        > Watch out: `add_header` in a `location` *replaces* those of the server block. There is none today.
    """)
    turn_over(story)
    story.you("go, but CSP in report-only mode first")
    story.claude(
        Edit("ansible/roles/nginx/templates/site.conf.j2", '"max-age=300";\n', HEADERS),
        Bash("ansible-lint && ansible-playbook site.yml --check --diff --limit web-0", DIFF, "Dry run on one machine"),
    )
    story.claude("The dry run shows four lines on `web-0`. With `always` the headers also come with error pages.")
    turn_over(story, (".claude/hooks/format.sh",))
    story.you("how long until we can enforce it?")
    story.claude(
        Tool(
            "WebSearch",
            {"query": "CSP report-only how long before enforcing"},
            "Web search results: two to four weeks is common.",
            {"query": "CSP report-only how long before enforcing", "results": [], "durationSeconds": 2.2},
        ),
    )
    story.claude("Two to four weeks of reports without a surprise; the checkout must be among the visited pages.")
    return {session_file(story): story.text()}


HEADERS = """"max-age=31536000" always;
    add_header X-Content-Type-Options nosniff always;
    add_header Referrer-Policy strict-origin-when-cross-origin always;
    add_header Content-Security-Policy-Report-Only "default-src 'self'; report-to csp" always;
"""
DIFF = output("""
    TASK [nginx : site] ************************************************************
    +    add_header X-Content-Type-Options nosniff always;
    +    add_header Referrer-Policy strict-origin-when-cross-origin always;
    changed: [web-0]
    PLAY RECAP: web-0 ok=7 changed=1 failed=0
""")
