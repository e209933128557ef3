"""Rate limiting: a session that is interrupted, and a copy of it that takes another way."""

from __future__ import annotations

from .blocks import Block, Think
from .prose import code, output
from .repo import Repo
from .scenes import fork, interrupted, opening, pr_link, queued, turn_over
from .shop_files import GITHUB, ROOT, SHOP
from .story import Story
from .tools_files import Edit, Read, Write
from .tools_other import Bash, Cut
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file and that of its copy."""
    story = Story(Repo(ROOT, SHOP), "shop/limit", "2.1.223", "2026-11-16T10:20:00", branch="rate-limit")
    opening(story, "Rate limit behind the load balancer", "3 open pull requests")
    look(story)
    repo = Repo(ROOT, story.repo.files)
    memory(story)
    story.repo = repo
    copy = fork(
        story,
        "shop/limit/copy",
        "2.1.226",
        "2026-11-16T14:40:00",
        20,
        (
            {"type": "agent-name", "agentName": "Rate limit in Redis"},
            {"type": "mode", "mode": "normal"},
            {"type": "permission-mode", "permissionMode": "acceptEdits"},
        ),
    )
    redis(copy)
    return {session_file(story): story.text(), session_file(copy): copy.text()}


def look(story: Story) -> None:
    """Why everybody gets 429."""
    story.you(
        "Since we have the load balancer everybody gets 429 after a few minutes. @src/rate_limit.py counts wrong?"
    )
    story.claude(
        Think(),
        "Reading the middleware and how it is installed.",
        Read("src/rate_limit.py"),
        Read("src/app.py"),
        Bash("curl -s localhost:8000/health -H 'X-Forwarded-For: 203.0.113.9' -i | head -n 4", HEADERS, "Ask once"),
    )
    story.claude("""
        It counts right, but it counts the wrong thing: `request.client.host` is the **load balancer** for everyone.
        The customer's address is in `X-Forwarded-For`, and it may only be trusted when the balancer set it.
    """)
    turn_over(story)
    story.you("there are 4 workers too. does each have its own count?")
    story.claude(Bash("grep -n workers deploy/gunicorn.conf.py", "3:workers = 4", "Count the workers"))
    story.claude("""
        Yes: `self.seen` lives in the process. With 4 workers a client gets up to 4 x 100 requests a minute, unevenly.
        A shared count needs Redis, or one worker that counts.
    """)


def memory(story: Story) -> None:
    """The way of the first session: trust the header, keep the count in the process."""
    story.you("keep it in memory for now, just use the right address. Only from 10.0.0.0/8")
    queued(story, "oh and log who is blocked, at info")
    story.claude(Edit("src/rate_limit.py", "            times = self.seen[request.client.host]\n", SEEN))
    story.claude(
        "Wrong indent; the line has eight spaces.",
        Edit("src/rate_limit.py", "        times = self.seen[request.client.host]\n", SEEN[4:]),
        Edit("src/rate_limit.py", "class RateLimit(", ADDRESS + "class RateLimit("),
    )
    story.claude(
        "The right address now, only behind the balancer.",
        Cut(Bash("pytest -q -x --count 500", about="Look for flakiness")),
    )
    interrupted(story, tool=True)
    story.you("500 times is too much, 5 is plenty", 12)
    story.claude(Bash("pytest -q -x --count 5", "..................   [100%]\n18 passed in 1.9s"))
    story.claude(Edit("src/rate_limit.py", ANSWER, 'log.info("blocked %s", address(request))\n            ' + ANSWER))
    story.claude("18 passed, five times each. Blocked addresses are logged at info, as you asked while I was busy.")
    interrupted(story)
    story.you("stop, the GDPR people will not like full addresses in the log. cut the last byte", 20)
    story.claude(Edit("src/rate_limit.py", "address(request))\n            ret", SHORT))
    story.claude("The log has `203.0.113.0` now instead of the full address.")
    story.line("ai-title", aiTitle="Rate limit by client address")
    pr_link(story, 211, GITHUB)
    turn_over(story)
    story.close_turn()


def redis(copy: Story) -> None:
    """The copy's way: a token bucket in Redis."""
    copy.you("Other way: let's do it properly with a token bucket in Redis, one script, atomic", source="typed")
    copy.claude(
        Think("A Lua script runs as one step in Redis: read tokens and time, refill, take one."),
        Write("src/bucket.py", BUCKET),
    )
    copy.claude(
        Bash("redis-cli ping && pytest -q tests/test_bucket.py", "PONG\n....      [100%]\n4 passed in 0.40s"),
        Block({"type": "server_tool_use", "id": "srvtoolu_01" + "Qm4xT7", "name": "advisor", "input": {}}),
    )
    copy.claude("""
        The bucket works: 100 tokens, refilled with 100/60 a second, and **all four workers share it**.

        1. `SCRIPT LOAD` once at the start, `EVALSHA` for each request (0.2 ms here)
        2. if Redis is down the request is let through, and that is logged once a minute
    """)
    copy.you("let through when redis is down: agreed. write that as a comment in the code too", 120)
    comment = "        # A shop that is closed is worse than a shop that is asked too often.\n"
    copy.claude(Edit("src/bucket.py", "        except RedisError:\n", comment + "        except RedisError:\n"))
    copy.claude("Done.")
    turn_over(copy)
    copy.close_turn()


SEEN = "            times = self.seen[address(request)]\n"
ANSWER = "return JSONResponse("
SHORT = 'address(request).rpartition(".")[0] + ".0")\n            ret'

HEADERS = output("""
    HTTP/1.1 429 Too Many Requests
    content-length: 29
    content-type: application/json
    x-worker: 3
""")

ADDRESS = (
    code('''
    BALANCER = ip_network("10.0.0.0/8")


    def address(request: Request) -> str:
        """Return the client's address; the header counts only when the balancer sent it."""
        peer = request.client.host
        forwarded = request.headers.get("x-forwarded-for", "")
        if forwarded and ip_address(peer) in BALANCER:
            return forwarded.rpartition(",")[2].strip()
        return peer
''')
    + "\n\n"
)

BUCKET = code('''
    """A token bucket that all workers share."""

    from __future__ import annotations

    import logging
    import time

    from redis import Redis
    from redis.exceptions import RedisError

    log = logging.getLogger(__name__)

    SCRIPT = """
    local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
    local at = tonumber(redis.call('HGET', KEYS[1], 'at') or ARGV[3])
    tokens = math.min(ARGV[1], tokens + (ARGV[3] - at) * ARGV[2])
    local allowed = tokens >= 1
    if allowed then tokens = tokens - 1 end
    redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', ARGV[3])
    redis.call('EXPIRE', KEYS[1], 120)
    return allowed and 1 or 0
    """


    class Bucket:
        """Allows `size` requests at once and `rate` a second after that."""

        def __init__(self, redis: Redis, size: int = 100, rate: float = 100 / 60) -> None:
            self.size, self.rate = size, rate
            self.take = redis.register_script(SCRIPT)

        def allows(self, client: str) -> bool:
            """Take a token of the client."""
            try:
                return bool(self.take(keys=[f"limit:{client}"], args=[self.size, self.rate, time.time()]))
            except RedisError:
                log.exception("the bucket cannot be reached")
                return True
''')
