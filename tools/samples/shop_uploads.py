"""The story of the flaky uploads: from a complaint to a pull request, with two subagents and a compaction."""

from __future__ import annotations

from .agents import Subagent
from .blocks import Think
from .compaction import Summary, compact
from .prose import code, output
from .repo import Repo
from .scenes import command, opening, turn_over
from .shop_files import ROOT, SHOP
from .shop_uploads_code import BACKOFF, FAILED, LOG, NEW_TESTS, OLD_LOOP, PASSED, RETRY_LOOP, SLOW
from .shop_uploads_late import polish, publish
from .story import Story
from .tools_files import Edit, Glob, Grep, Read, Write
from .tools_other import Bash
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file and those of its two subagents."""
    files: Files = {}
    story = Story(Repo(ROOT, SHOP), "shop/uploads", "2.1.237", "2026-11-20T12:41:09", branch="fix/flaky-uploads")
    opening(story, "Investigate failing product picture uploads", "On branch fix/flaky-uploads, 0 files changed.")
    look(story, files)
    shrink(story)
    mend(story)
    polish(story)
    publish(story)
    files[session_file(story)] = story.text()
    return files


def look(story: Story, files: Files) -> None:
    """Two agents search at once; then the log and a slow proxy show the fault."""
    story.you("""
        Since Tuesday customers write that product pictures "sometimes" do not arrive. Support has eleven tickets, all
        from phones. Please find out how we upload and where we already retry, before you change anything.
    """)
    retries = Subagent(
        story,
        "Explore",
        "Find retries",
        "Find every place in this repository that retries a request, and say how.",
        find_retries,
        files,
    )
    callers = Subagent(
        story,
        "Explore",
        "Find upload callers",
        "Find who calls `upload()` and what happens when it raises.",
        find_callers,
        files,
    )
    story.claude(
        Think("Two separate questions: who retries, and who calls upload. They can be searched at the same time."),
        "I'll look at both questions in parallel and read the upload code meanwhile.",
        retries,
        callers,
        Read("src/upload.py"),
        order=(2, 1, 0),
    )
    story.claude("""
        ## What happens today

        | step | where | when the network is slow |
        |---|---|---|
        | open the upload | `begin()` | raises at once |
        | send a part | `put_part()` | tries three times **without a pause**, and only when the store *answered* |
        | close the upload | `finish()` | raises at once |

        The important gap: `httpx.TimeoutException` is never caught. A phone that needs 11 s for a part gets an error
        although the store may have kept the part. Nobody above `upload()` tries again.
    """)
    story.you("Does the log agree? deploy log is in var/log/upload.log")
    story.claude(Bash("grep -E 'upload|timeout' var/log/upload.log | tail -n 8", LOG, "Look for timeouts in the log"))
    story.claude("""
        Yes. 9 of the 11 tickets have the same trace: `WriteTimeout` after 10.0 s, then **no further line** for that
        upload. Two of them show the part arriving *after* the timeout (`part 3 kept`), so a plain retry would have
        sent it twice.
    """)
    story.you("""
        ok. Can you reproduce it here? A slow proxy or something, not a mock

        never commit files over 1 MB, the mirror rejects them
    """)
    story.claude(
        Think("A tiny server that reads slowly will do: it makes the write time out, but it keeps what it has read."),
        Write("tests/slow_store.py", SLOW),
        Bash(
            "python -m tests.slow_store --delay 12 & sleep 1; python -m src.upload tests/data/big.jpg",
            code=1,
            err=output("""
            Traceback (most recent call last):
              File "/home/ana/code/shop-api/src/upload.py", line 42, in put_part
                response = client.put(url, content=part, headers=headers)
            httpx.WriteTimeout: The write operation timed out
        """),
            about="Upload through the slow store",
        ),
    )
    story.claude("Reproduced: the same `WriteTimeout`, and the slow store printed `kept part 1` two seconds later.")
    turn_over(story, ("ruff check --quiet .",))


def find_retries(agent: Story) -> str:
    """Search for retries."""
    agent.claude(Grep(r"range\(3\)|retry|retries|backoff", glob="**/*.py"), Glob("**/*.py"))
    agent.claude(Read("src/upload.py", offset=36, limit=12))
    said = """
        There is exactly one retry in the repository: `put_part` in `src/upload.py`, lines 41-44. It loops three times
        over retryable status codes, without waiting, and does not catch transport errors.
    """
    agent.claude(said)
    return said


def find_callers(agent: Story) -> str:
    """Search for the callers of upload."""
    agent.claude(Grep(r"\bupload\(", glob="**/*.py"))
    agent.claude(
        Grep(r"UploadError", files=True),
        Bash(
            "git log --oneline -5 -- src/upload.py",
            output("""
        c41d0aa Take the timeout from settings
        90be1f7 Check the hash of each part
        5d3c2e8 Send files in parts
    """),
        ),
    )
    said = """
        `upload()` has two callers outside this tree (the admin's picture form and the invoice job). Neither catches
        `UploadError` or a timeout: the form answers 500, the job waits for the next night.
    """
    agent.claude(said)
    return said


def shrink(story: Story) -> None:
    """A compaction by hand."""
    story.at("13:39")
    compact(story, SUMMARY, trigger="manual", before=61_300, keep=3)
    command(story, "compact", "keep the reproduction and the two findings", "Compacted")


SUMMARY = Summary(
    intent="""
        Ana wants product picture uploads from phones to stop failing. First find out how uploads and retries work,
        check the log, reproduce the failure with a real slow server (not a mock); no change before that.
    """,
    concepts=(
        "httpx timeouts (`WriteTimeout` is a `TransportError`)",
        "idempotent part uploads",
        "multipart protocol of the store",
    ),
    files=(
        "`src/upload.py`: `put_part` loops `for _ in range(3)` without a pause and catches no transport error",
        "`tests/slow_store.py`: new, a store that reads slowly; `--delay 12` reproduces the failure",
    ),
    errors=("`httpx.WriteTimeout` after 10.0 s; the slow store still kept part 1, so a blind retry sends it twice",),
    solving="The retry exists but never runs for timeouts. Two callers outside the tree do not catch UploadError.",
    asked=(
        'Since Tuesday customers write that product pictures "sometimes" do not arrive.',
        "Does the log agree? deploy log is in var/log/upload.log",
        "ok. Can you reproduce it here? A slow proxy or something, not a mock",
    ),
    pending=("Decide how to retry without sending a part twice.",),
    current="The failure is reproduced with `python -m tests.slow_store --delay 12`.",
    following="Propose a retry with backoff and an idempotency key.",
)


def mend(story: Story) -> None:
    """The retry itself: three tests fail, then all pass."""
    story.at("14:01")
    story.you("The upload still fails on slow networks. Can we retry without sending twice?", 30)
    story.claude(
        Think("""
            A retry after a timeout is only safe when the store can tell that it is the same part.\\
            The store's API takes an Idempotency-Key header on PUT; it must be the same for every try of a part\\
            and different for another part with the same bytes.\\
            So the key is upload id + part number + hash, not the hash alone: two equal parts in one file are legal.\\
            \\
            Backoff: 0.5 s doubled each time, with full jitter, five tries, 8 s at most.\\
            A phone in a tunnel needs seconds, not minutes; 15 s in all is what the form's spinner allows.\\
            \\
            put_part gets the number. The url ends with it already, so the key can be made from the url.\\
            That keeps the signature, and the three existing tests.\\
            They count tries, though: "gives up after three" will fail. That one is right to change.
        """),
        "I'll make the upload idempotent by sending a key and **retry**ing with backoff.",
        Read("src/upload.py", offset=1, limit=60),
        Edit("src/upload.py", OLD_LOOP, RETRY_LOOP),
        Edit(
            "src/upload.py",
            "import logging\n",
            IMPORTS,
        ),
        Edit("src/upload.py", "def put_part(", BACKOFF + "def put_part("),
        Bash("pytest -q", FAILED, "Run the tests", code=1),
    )
    story.claude(
        """
        Three fail, as expected for one of them: `test_gives_up_after_three_tries` counts three. The other two are new
        information: they time out because the *sleep* is real. The tests will patch it.
        """,
        Edit("tests/test_upload.py", *NEW_TESTS),
        Bash("pytest -q", PASSED, "Run the tests again"),
    )
    story.claude("""
        All green, **44 passed**. What changed in `src/upload.py`:

        - `backoff(5)` yields five waits: 0.5 s doubled, with jitter, 8 s at most
        - every try of a part carries the same `Idempotency-Key`, so the store keeps it once
        - timeouts and broken connections are retried, not only bad answers
    """)
    turn_over(story, ("ruff check --quiet .",))
    story.you("and if two parts have the same bytes? zeros at the end of a TIFF e.g.")
    story.claude(Grep("Idempotency-Key", "src/upload.py"))
    story.claude("""
        Then they still get different keys: the key is the hash of **url + bytes**, and the url ends with the part's
        number. I added no test for that yet; shall I?
    """)
    story.you("yes")
    story.claude(
        Edit("tests/test_upload.py", "def test_empty_file", SAME_BYTES + "def test_empty_file"),
        Bash("pytest -q tests/test_upload.py", "......                     [100%]\n6 passed in 0.21s"),
    )
    story.claude("Done: `test_equal_parts_have_different_keys`, 6 passed in that file.")


IMPORTS = "import logging\nimport random\nimport time\nfrom collections.abc import Iterator\n"
SAME_BYTES = (
    code("""
    def test_equal_parts_have_different_keys() -> None:
        client, seen = answering(200, 200)
        put_part(client, "http://store/1", b"0")
        put_part(client, "http://store/2", b"0")
        assert len({request.headers["Idempotency-Key"] for request in seen}) == 2
""")
    + "\n\n"
)
