"""The end of the long session, and its two summaries."""

from __future__ import annotations

from collections.abc import Callable

from .compaction import Summary
from .story import Said, Story
from .tools_files import Edit, Read, Write
from .tools_other import Bash, task_create, task_update

Exchange = tuple[str, tuple[Said, ...], str]
"""A prompt, what the agent did, and what it said at the end."""
Exchanges = tuple[Exchange, ...]

FIRST = Summary(
    intent=(
        "Ana wants a monthly CSV export of orders for accounting: a module, a route for staff and a command for cron."
    ),
    concepts=(
        "csv module, `excel` dialect, CRLF",
        "UTF-8 with byte order mark for Excel",
        "CSV injection",
        "ISO 4217 minor units",
        "time zone Europe/Madrid",
    ),
    files=(
        "`src/export.py`: `write()`, `Format` (plain, excel-en, excel-de), `harmless()`, `month_span()`",
        "`tests/test_export.py`: 9 tests",
        "`src/orders.py`: `between()` yields orders, oldest first (not changed yet)",
    ),
    errors=(
        "`test_refund` failed because the state was `paid`: a refund has the state `refunded` and negative amounts",
        "Excel showed MÃ¼ller: the file had no byte order mark, fixed with `utf-8-sig`",
    ),
    solving="A month is the shop's own month: two UTC instants from Europe/Madrid, tested for October and March.",
    asked=(
        "Accounting wants all orders of a month as CSV. Where would you put that? No code yet",
        "good. columns: number, date, customer id, net, tax, gross, currency, state. start with the module",
        "refunded, and the amounts negative",
        "Excel shows 'MÃ¼ller' for Müller. why",
        "do that. and German Excel wants ; instead of ,",
        "What about yen? JPY has no decimals. and KWD has three",
        "time zones! an order at 23:30 UTC on Oct 31 is November for us",
    ),
    pending=("The route for staff", "The command for cron"),
    current="`month_span()` and its tests are done.",
    following="Add the route `/orders/export`, staff only.",
)

SECOND = Summary(
    intent=(
        "The export works as module, route and command. Ana now wants it sent to accounting on the 1st of every month."
    ),
    concepts=("server-side cursor, `yield_per=1000`", "`joinedload` against N+1", "staff login instead of open links"),
    files=(
        "`src/export.py`: `store(month)` returns an address below `/orders/export/`",
        "`src/orders.py`: `between()` loads the customer with the order and streams",
        "`src/app.py`: route `/orders/export`, 403 without the role `staff`",
    ),
    errors=("74 s for 118,000 rows: two queries per order, now 4.9 s", "612 MB: all rows fetched at once, now 71 MB"),
    solving="A mail holds a link, not the file; cron may run twice; an unfinished month is refused without --partial.",
    asked=(
        "now the route. only staff",
        "how big does this get? our largest shop has 1.2M orders a year",
        "morning. accounting asks whether they can get it by mail every 1st of the month",
        "login then",
        "and if the month is not over yet?",
    ),
    pending=("The mail itself", "Documentation", "Pull request"),
    current="Refusing an unfinished month is done and tested.",
    following="Write the mail and the cron entry.",
)

MAIL = '''"""The monthly mail to accounting."""

SUBJECT = "Orders of {month}"
BODY = """The orders of {month} are ready:

{address}

You need your staff login. {rows} rows, {total} in all.
"""
'''


def finish(story: Story, talk: Callable[[Exchanges], None]) -> None:
    """Tell the rest: mail, documentation, CI, pull request."""
    talk(MAILING)
    story.at("13:20", day=13)
    talk(CHECKS)


MAILING: Exchanges = (
    (
        "write the mail. plain text, two sentences",
        (task_create(2, "Mail", "src/export_mail.py"), Write("src/export_mail.py", MAIL), task_update(2, "completed")),
        ("Subject, link, number of rows and the total, so that accounting sees at once if something is odd."),
    ),
    (
        "who gets it",
        (
            Read("src/settings.py"),
            Edit(
                "src/settings.py",
                "    upload_timeout",
                '    accounting: str = os.environ.get("ACCOUNTING_MAIL", "")\n    upload_timeout',
            ),
        ),
        "`ACCOUNTING_MAIL`; when it is empty nothing is sent and the command says so.",
    ),
    (
        "cron entry please",
        (Write("deploy/cron.d/export", "5 6 1 * * shop python -m src.export --last-month --mail\n"),),
        "06:05 on the 1st: after the nightly jobs, before the office opens.",
    ),
    (
        "timezone of cron on that box?",
        (Bash("timedatectl show -p Timezone", "Timezone=Europe/Madrid"),),
        "Europe/Madrid, as needed.",
    ),
)

CHECKS: Exchanges = (
    (
        "docs: one page, with a table of the formats",
        (
            Write(
                "docs/export.md",
                (
                    "# Export of orders\n\n| format | delimiter | decimal | encoding |\n"
                    "|---|---|---|---|\n| plain | , | . | UTF-8 |\n| excel-en | , | . | UTF-8 with mark "
                    "|\n| excel-de | ; | , | UTF-8 with mark |\n"
                ),
            ),
        ),
        "`docs/export.md`, one page.",
    ),
    (
        "does CI run the slow export test? it shouldn't on every push",
        (
            Read(".github/workflows/ci.yml"),
            Edit(
                ".github/workflows/ci.yml",
                "      - run: pytest -q\n",
                (
                    "      - run: pytest -q -m 'not slow'\n      - run: pytest -q -m slow\n        if: "
                    "github.ref == 'refs/heads/main'\n"
                ),
            ),
        ),
        "Slow tests now run on main only.",
    ),
    (
        "full test run before the PR",
        (Bash("pytest -q", "......................................................   [100%]\n54 passed in 6.02s"),),
        "54 passed.",
    ),
    (
        "commit in sensible pieces",
        (
            Bash(
                "git log --oneline -4",
                (
                    "0b7c1aa Mail the monthly export\n9d20e4f Stream orders\n4c3b7de Export formats for "
                    "Excel\n1fa5590 Export orders as CSV"
                ),
            ),
        ),
        "Four commits, each passes the tests on its own.",
    ),
    (
        "push, PR, Luis reviews",
        (
            Bash(
                "git push -q && gh pr create --fill --reviewer luis",
                "https://github.com/harbor-example/shop-api/pull/207",
            ),
        ),
        "Opened #207, review requested.",
    ),
    (
        "Luis asks: why not pandas?",
        (),
        (
            "> It would add 60 MB to the image and load all rows; the csv module streams and "
            "needs 40 lines. Formats are data here, so nothing is won."
        ),
    ),
    (
        "he's happy. anything we forgot?",
        (),
        """
        Two things for later:

        - the **retention** of stored exports (they hold customer ids): delete after 13 months?
        - the export has no column for the *payment method*; accounting may ask for it
    """,
    ),
    (
        "retention yes, open an issue. thanks, merged!",
        (
            Bash(
                "gh issue create --title 'Delete stored exports after 13 months' --body 'See #207'",
                "https://github.com/harbor-example/shop-api/issues/208",
            ),
        ),
        "Issue #208 is open. Good work!",
    ),
)
