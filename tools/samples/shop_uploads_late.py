"""The end of the story of the flaky uploads: what the person decides, CI, the pull request."""

from __future__ import annotations

from textwrap import indent

from .prose import code, output
from .scenes import hook_success, pr_link, queued, turn_over
from .shop_files import GITHUB
from .shop_uploads_code import NOTE, PASSED
from .story import Story
from .tools_files import Edit, Read, Write
from .tools_other import Bash, ask, fetch


def polish(story: Story) -> None:
    """What the store promises, and what the person wants to be asked about."""
    story.you("how long does the store remember a key? I don't want a surprise the next morning")
    story.claude(
        fetch(
            "https://docs.example.com/store/uploads#idempotency",
            "How long is an idempotency key kept?",
            """
**Keys are kept for 24 hours.** A request with a known key gets the first answer again, also when the first request is
still running (then the answer is `409 in progress`). After 24 hours the key counts as new.
""".strip(),
        )
    )
    story.claude(
        "24 hours, so a retry within one upload is always safe. One thing to decide: a `409 in progress`.",
        ask(
            "A second try can meet its own first try (409 in progress). What should we do?",
            "409",
            (
                ("Wait and try again", "Treat 409 like 503: back off, then ask again"),
                ("Fail at once", "Show the error to the customer"),
            ),
            "Wait and try again",
        ),
    )
    story.claude(
        Edit("src/upload.py", "{408, 425, 429,", "{408, 409, 425, 429,"), Bash("pytest -q", PASSED.replace("44", "45"))
    )
    story.claude("`409` is retryable now. Still green (45).")
    story.you("Put the slow store into CI as well, own job, not in the normal test run")
    queued(story, "and cache pip there please, the job takes ages", operations=False)
    story.claude(Read(".github/workflows/ci.yml"))
    story.claude(Edit(".github/workflows/ci.yml", "      - run: pytest -q\n", CI_JOB), weave=True)
    story.claude("Added a job `slow-network` to `.github/workflows/ci.yml`, with the pip cache of `setup-python`.")
    hook_success(story, "PostToolUse:Edit", "PostToolUse", "actionlint: no problems", ".claude/hooks/actionlint.sh")
    story.line("custom-title", customTitle="Fix flaky uploads")


CI_JOB = indent(
    code("""
        x   - run: pytest -q

        slow-network:
          runs-on: ubuntu-latest
          steps:
            - uses: actions/checkout@v5
            - uses: actions/setup-python@v6
              with:
                python-version: "3.12"
                cache: pip
            - run: pip install -e .[test]
            - run: pytest -q -m slow_network
    """).replace("x ", "  "),
    "  ",
)


def publish(story: Story) -> None:
    """Changelog, commit, pull request."""
    story.you("changelog, commit, PR. mention the tickets but no customer names")
    story.claude(Edit("CHANGELOG.md", "## [Unreleased]\n", NOTE))
    story.claude(
        Bash(
            "git add -A && git commit -qm 'Retry uploads without sending a part twice' && git log --oneline -1",
            "7f2e9b1 Retry uploads without sending a part twice",
            "Commit",
        ),
        Bash(
            "git push -q -u origin fix/flaky-uploads && gh pr create --fill",
            f"https://github.com/{GITHUB}/pull/218",
            "Push and open a pull request",
            pr=(218, f"https://github.com/{GITHUB}/pull/218"),
        ),
    )
    pr_link(story, 218, GITHUB)
    story.claude(f"Opened [#218](https://github.com/{GITHUB}/pull/218): eleven tickets mentioned by number only.")
    pr_link(story, 218, GITHUB)
    turn_over(story)
    story.system("away_summary", {"content": AWAY}, after=240)
    story.you("CI is red?", 900)
    story.claude(
        Bash(
            "gh pr checks 218",
            output("""
        test           pass  1m12s
        slow-network   fail  0m40s
    """),
            code=8,
        ),
        Bash(
            "gh run view --log-failed | tail -n 4",
            output("""
        slow-network  pytest -q -m slow_network
        ERROR: 'slow_network' not found in `markers` configuration option
    """),
        ),
    )
    story.claude(
        "The marker is not registered; `--strict-markers` refuses it.",
        Bash("grep -n markers -A3 pyproject.toml", "", code=1),
    )
    story.claude(
        Write(
            "tests/conftest.py",
            code("""
            def pytest_configure(config):
                config.addinivalue_line("markers", "slow_network: needs the slow store")
        """),
        ),
        Bash("pytest -q -m slow_network", "..                         [100%]\n2 passed, 45 deselected in 26.04s"),
        Bash("git commit -qam 'Register the slow_network marker' && git push -q", ""),
    )
    story.claude("Registered in `tests/conftest.py`, pushed; both jobs pass here.")
    story.you("green. thanks! what did we learn, two sentences for the team channel?", 400)
    story.claude("""
        > A retry that only looks at status codes never runs when the network is the problem. Once every try of a part
        > carries the same idempotency key, retrying is safe, and uploads from a train survive a tunnel.
    """)
    pr_link(story, 218, GITHUB)
    turn_over(story)
    story.close_turn()


AWAY = (
    "You are fixing uploads that fail on slow networks; the retry with an idempotency key is done and PR #218 is open. "
    "Next: wait for CI, mainly the new slow-network job."
)
