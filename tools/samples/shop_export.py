"""The long session: an export of orders from the idea to the release, over two days and two compactions."""

from __future__ import annotations

from .compaction import compact
from .prose import prose
from .repo import Repo
from .scenes import bash_progress, command, hook_progress, pr_link, shell, turn_over
from .shop_export_code import CSV, EXPORT, TESTS, TRACE
from .shop_export_late import FIRST, SECOND, Exchange, finish
from .shop_export_middle import ACCESS, MIDDLE, SPEED
from .shop_files import GITHUB, ROOT, SHOP
from .story import Story
from .tools_files import Edit, Grep, Read, Write
from .tools_other import Bash, Tool, task_create, task_update
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file."""
    story = Story(
        Repo(ROOT, SHOP),
        "shop/export",
        "2.1.59",
        "2026-11-12T08:31:00",
        branch="order-export",
        slug="patient-counting-lantern",
        model="claude-opus-4-6",
    )
    hook_progress(story, "SessionStart", "SessionStart:startup", ".claude/hooks/hello.sh")
    talk(story, BEGINNING)
    shell(story, "git stash list", "stash@{0}: WIP on order-export: half an export")
    talk(story, FORMATS)
    compact(story, FIRST, before=158_220)
    talk(story, MIDDLE)
    bash_progress(story, 0, ("", "1000 rows", "1000 rows\n52000 rows", "1000 rows\n52000 rows\n118000 rows"))
    talk(story, SPEED)
    story.at("09:05", day=13)
    command(story, "model", "", "Set model to opus")
    talk(story, ACCESS)
    compact(story, SECOND, before=166_904)
    finish(story, lambda exchanges: talk(story, exchanges))
    pr_link(story, 207, GITHUB)
    turn_over(story)
    return {session_file(story): story.text()}


def talk(story: Story, exchanges: tuple[Exchange, ...]) -> None:
    """Write prompts and answers, one exchange after the other."""
    for prompt, done, said in exchanges:
        story.you(prompt, 60 + len(prompt) * 2)
        if done:
            story.claude(*done)
        story.claude(prose(said))


BEGINNING: tuple[Exchange, ...] = (
    (
        "Accounting wants all orders of a month as CSV. Where would you put that? No code yet",
        (Read("src/orders.py"), Grep("csv|export", glob="**/*.py")),
        """
        `src/orders.py` already yields orders of a time span (`between`), oldest first, as an iterator. I would add:

        - `src/export.py`: orders in, CSV rows out, no database in it
        - a route `GET /orders/export?month=2026-11` for people
        - a command `python -m src.export 2026-11` for cron
        """,
    ),
    (
        "good. columns: number, date, customer id, net, tax, gross, currency, state. start with the module",
        (
            task_create(1, "src/export.py", "rows and header"),
            Write("src/export.py", EXPORT),
            Write("tests/test_export.py", TESTS),
        ),
        "Module and tests are there. It streams: one row in memory at a time.",
    ),
    (
        "run it",
        (Bash("pytest -q tests/test_export.py", TRACE, code=1),),
        (
            "One fails: a refund has a negative gross, and my test expected the state `paid`. "
            "Which state should a refund have?"
        ),
    ),
    (
        "refunded, and the amounts negative",
        (
            Edit("src/export.py", "order.state.value", '"refunded" if order.gross < 0 else order.state.value'),
            Bash("pytest -q tests/test_export.py", "....     [100%]\n4 passed in 0.12s"),
            task_update(1, "completed"),
        ),
        "4 passed.",
    ),
    (
        "does csv.writer end lines with CRLF? accounting has a mac AND windows",
        (),
        """
        Yes, `\\r\\n` by default (`excel` dialect), and RFC 4180 asks for just that. Numbers on a Mac and Excel on
        Windows both read it.
    """,
    ),
)

FORMATS: tuple[Exchange, ...] = (
    (
        "Excel shows 'MÃ¼ller' for Müller. why",
        (
            Bash(
                "python -m src.export 2026-10 | head -n 2 | xxd | head -n 3",
                "00000000: 6e75 6d62 6572 2c64 6174 652c 6375 7374  number,date,cust",
            ),
        ),
        (
            "The file is UTF-8 without a byte order mark; Excel then guesses the system's code "
            "page. `utf-8-sig` writes the mark."
        ),
    ),
    (
        "do that. and German Excel wants ; instead of ,",
        (
            Edit("src/export.py", 'delimiter=","', "delimiter=delimiter"),
            Edit("src/export.py", "def write(", CSV + "def write("),
        ),
        "A `Format` now holds delimiter, decimal sign and encoding: `plain`, `excel-en`, `excel-de`.",
    ),
    (
        "decimal comma for excel-de as well?",
        (Grep("decimal", "src/export.py"),),
        "Yes, it is part of `excel-de`: `1234,50`. No thousands separator: Excel would take it for text.",
    ),
    (
        "What about yen? JPY has no decimals. and KWD has three",
        (
            Tool(
                "WebSearch",
                {"query": "ISO 4217 minor units list"},
                "Web search results: the minor unit of JPY is 0, of KWD 3.",
                {"query": "ISO 4217 minor units list", "results": [], "durationSeconds": 1.9},
            ),
        ),
        "I'll keep a small table of exceptions (0: JPY, KRW, CLP, ISK; 3: KWD, BHD, TND) and two decimals otherwise.",
    ),
    (
        "fine. a customer id can start with = or +, is that a problem in excel?",
        (Edit("src/export.py", "str(order.customer_id)", "harmless(str(order.customer_id))"),),
        """
        Yes: **CSV injection**. A cell that starts with `=`, `+`, `-` or `@` runs as a formula. `harmless()` puts an
        apostrophe before such a text. Numbers (a refund's `-12.00`) are written by us and stay as they are.
        """,
    ),
    (
        "test =cmd|' /C calc'!A0. never export names",
        (Bash("pytest -q tests/test_export.py", "......   [100%]\n6 passed in 0.13s"),),
        "Added; 6 passed. I haven't verified it with LibreOffice: whether the apostrophe shows there is untested.",
    ),
    (
        "time zones! an order at 23:30 UTC on Oct 31 is November for us",
        (Grep("placed", "src/orders.py"),),
        """
        `placed` is stored in UTC, and `between` compares with dates, so it belongs to **October** today. For accounting
        the shop's own zone counts (Europe/Madrid). I'd turn the month into two UTC instants in `month_span()`.
    """,
    ),
    (
        "do it. careful with the DST month",
        (Bash("pytest -q tests/test_export.py -k span", "...   [100%]\n3 passed in 0.05s"),),
        """
        October 2026 is 745 hours long in Madrid, March 2027 will be 743. Both are tests now.
    """,
    ),
)
