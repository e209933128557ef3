"""Webhooks in a sibling worktree: a background test run, a service that does not answer, two pull requests."""

from __future__ import annotations

from .blocks import Think
from .prose import code, output
from .repo import Repo
from .scenes import api_error, notification, opening, pr_link, retrying, turn_over
from .shop_files import GITHUB, SHOP
from .story import Story
from .tools_files import Edit, Glob, Grep, Read, Write
from .tools_other import Bash, task_output
from .transcript import Files, session_file

WORKTREE = "/home/ana/code/shop-api-worktrees/retry"


def tell() -> Files:
    """Return the session's file."""
    story = Story(Repo(WORKTREE, SHOP), "shop/retry", "2.1.226", "2026-11-20T15:02:10", branch="retry-webhooks")
    opening(story, "Retry webhooks with the same backoff")
    story.you("""
        #218 brings `backoff()` for uploads. Webhooks to the warehouse have the same trouble: one try, then they are
        lost. Move backoff to its own module and use it for both. Tests can take a while, run them in the background.
    """)
    story.claude(
        Think(),
        "First what #218 has, then where webhooks are sent.",
        Bash("gh pr diff 218 -- src/upload.py | grep '^+def' -A4", SHOWN, "Read backoff in the pull request"),
        Grep("webhook", glob="**/*.py"),
        Glob("src/*.py"),
    )
    pr_link(story, 218, GITHUB)
    story.claude(
        Write("src/backoff.py", BACKOFF),
        Write("src/webhooks.py", WEBHOOKS),
        Bash("pytest -q --slow", about="Run all tests, slow ones too", background="bq7f2k1"),
    )
    retrying(story, 1)
    retrying(story, 2)
    api_error(story, "API Error: 529 Overloaded. The service is busy; the request was tried 3 times.")
    story.you("go on", 130, source="typed")
    story.claude("""
        `src/backoff.py` and `src/webhooks.py` are written; the tests still run in the background.

        ```python
        for wait in backoff(6, first=1.0, most=60.0):
            if deliver(client, hook):
                return
            time.sleep(wait)
        ```
    """)
    turn_over(story)
    notification(story, "bq7f2k1", 'Background command "Run all tests, slow ones too" completed (exit code 0)')
    story.cwd = f"{WORKTREE}/src"
    story.claude(
        Bash(f"tail -n 3 {task_output('bq7f2k1')}", "52 passed, 1 skipped in 96.40s (0:01:36)", "Read the end")
    )
    story.claude(
        Read("src/settings.py"),
        Edit("src/settings.py", "    upload_timeout", "    webhook_tries: int = 6\n    upload_timeout"),
    )
    story.claude(
        "All 52 pass. I made the number of tries a setting, `webhook_tries`, 6 by default: about two minutes in all."
    )
    turn_over(story)
    story.cwd = WORKTREE
    story.you("what happens to a hook that fails six times? silently dropped?", 200)
    story.claude("""
        It was; now it is **logged as an error** with its id, but it is still gone. Options:

        1. a table `failed_webhooks` and a command to send them again (an hour of work)
        2. a dead letter queue in Redis (we have Redis already, but it is not backed up)

        I would take 1.
    """)
    story.you("1, but in its own PR. open this one as draft")
    url = f"https://github.com/{GITHUB}/pull/219"
    story.claude(
        Read(".github/workflows/ci.yml"),
        Edit(
            ".github/workflows/ci.yml",
            "      - run: pytest -q\n",
            "      - run: pytest -q --slow\n        timeout-minutes: 10\n",
        ),
        Bash("git push -q -u origin retry-webhooks && gh pr create --draft --fill", url, pr=(219, url)),
    )
    pr_link(story, 219, GITHUB)
    story.claude(
        f"Draft [#219]({url}); CI runs the slow tests with a limit of ten minutes. The table is noted as its follow-up."
    )
    turn_over(story)
    story.close_turn()
    return {session_file(story): story.text()}


SHOWN = output("""
    +def backoff(tries: int, first: float = 0.5, most: float = 8.0) -> Iterator[float]:
    +    for number in range(tries):
    +        yield random.uniform(0, min(most, first * 2**number))
""")

BACKOFF = code('''
    """How long to wait before trying again."""

    from __future__ import annotations

    import random
    from collections.abc import Iterator


    def backoff(tries: int, first: float = 0.5, most: float = 8.0) -> Iterator[float]:
        """Yield how long to wait after each try: doubled every time, with full jitter."""
        for number in range(tries):
            yield random.uniform(0, min(most, first * 2**number))
''')

WEBHOOKS = code('''
    """Telling other systems what happened in the shop."""

    from __future__ import annotations

    import logging
    import time
    from dataclasses import dataclass
    from uuid import UUID

    import httpx

    from src.backoff import backoff

    log = logging.getLogger(__name__)


    @dataclass(frozen=True)
    class Hook:
        """One message to one address."""

        id: UUID
        url: str
        body: dict[str, object]


    def deliver(client: httpx.Client, hook: Hook) -> bool:
        """Try once; the id lets the receiver drop a repeated message."""
        try:
            answer = client.post(hook.url, json=hook.body, headers={"Idempotency-Key": str(hook.id)})
        except httpx.TransportError as error:
            log.warning("hook %s: %s", hook.id, error)
            return False
        return answer.is_success


    def send(client: httpx.Client, hook: Hook, tries: int) -> None:
        """Deliver a message, or log that it was lost."""
        for wait in backoff(tries, first=1.0, most=60.0):
            if deliver(client, hook):
                return
            time.sleep(wait)
        log.error("hook %s to %s is lost after %d tries", hook.id, hook.url, tries)
''')
