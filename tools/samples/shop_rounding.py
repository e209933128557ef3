"""Prices that do not add up: Decimal in a worktree, with a refusal, a failed edit and a task list."""

from __future__ import annotations

from textwrap import dedent

from .blocks import Think
from .prose import code, output
from .repo import Repo
from .scenes import command, opening, pr_link, turn_over
from .shop_files import GITHUB, ROOT, SHOP
from .shop_sources import PRICING
from .story import Story
from .tools_files import Edit, Grep, Read, Write
from .tools_other import Bash, Denied, Tool, task_create, task_update
from .transcript import Files, session_file

WORKTREE = f"{ROOT}/.claude/worktrees/price-rounding"


def tell() -> Files:
    """Return the session's file."""
    story = Story(Repo(WORKTREE, SHOP), "shop/rounding", "2.1.232", "2026-11-19T09:12:30", branch="price-rounding")
    opening(story, "")
    story.line("agent-name", agentName="Add price rounding")
    find(story)
    change(story)
    review(story)
    return {session_file(story): story.text()}


def find(story: Story) -> None:
    """A cent is missing; the agent shows where it goes."""
    story.you("""
        A customer bought 3 x 0.10 with 19 % tax and paid 0.37 instead of 0.36. Find out why our totals are off by a
        cent now and then, and make it right for good. Floats are out, I think?
    """)
    story.claude(
        Think(),
        "Reading the price code and its tests first.",
        Read("src/pricing.py", reminder="The file is imported by 14 modules. Keep its public names."),
        Read("tests/test_pricing.py"),
        Grep(r"pricing import|float", glob="**/*.py"),
    )
    story.claude(
        Bash(
            "python -c \"from src.pricing import *; print(0.1*3, gross(Line('C', 0.1, 3)), round(2.675, 2))\"",
            "0.30000000000000004 0.36 2.67",
            "Look at the floats",
        )
    )
    story.claude("""
        Floats are out, yes. Two separate faults:

        1. **Binary fractions**: `0.1 * 3` is `0.30000000000000004`, and `round(2.675, 2)` is `2.67`.
        2. **Rounding order**: we round each line's tax, then the sum. The invoice law of most countries allows per line
           *or* per rate, but not a mix, and the checkout page rounds per rate.

        I suggest `Decimal` with `ROUND_HALF_UP` and rounding **per tax rate**, as the page does.
    """)
    turn_over(story)


def change(story: Story) -> None:
    """The plan as tasks; the person refuses a new dependency; an edit misses."""
    story.you("per rate, yes. go. prices in the db stay as they are (numeric(10,2))", 420)
    story.claude(
        task_create(1, "Use Decimal in src/pricing.py", "Line.price, discount, net, gross, total"),
        task_create(2, "Round once per tax rate", "total() groups by rate"),
        task_create(3, "Test the halves", "2.675, three lines of 0.10, a discount of a third"),
        task_update(1, "in_progress"),
    )
    story.claude(
        "`py-moneyed` would bring a money type with currency.",
        Denied(
            Bash("pip install py-moneyed && pip freeze | grep -i moneyed >> requirements.txt", about="Add py-moneyed")
        ),
    )
    story.you("no new dependency please, Decimal is enough", 25)
    story.claude(
        "Understood, standard library only.",
        Edit(
            "src/pricing.py",
            "def discount(amount: Decimal, percent: Decimal)",
            "def discount(amount: Decimal, percent: int)",
        ),
        Write("src/pricing.py", DECIMAL),
    )
    story.claude(
        """
        The first edit looked for text that I had not written yet; the file is now written whole. Next, the tests.
        """,
        task_update(1, "completed"),
        task_update(2, "in_progress"),
        Write("tests/test_pricing.py", TESTS),
        Bash("pytest -q tests/test_pricing.py", FAILED, "Run the price tests", code=1),
        weave=True,
    )
    story.claude(
        Think(
            "Half a cent: 1.005 * 3 = 3.015 and half up gives 3.02. The test says 3.01; the test "
            "is wrong, half up is the rule."
        ),
        "The code is right and my expectation was wrong: 3.015 rounds **up** to 3.02.",
        Edit("tests/test_pricing.py", 'Decimal("3.01")', 'Decimal("3.02")'),
        Bash("pytest -q", "................................................   [100%]\n48 passed in 2.51s"),
        task_update(3, "completed"),
        order=(2, 0, 1),
    )
    story.claude("""
        Done. The customer's cart: 3 x 0.10 = 0.30 net, **0.36** gross.

        | case | before | now |
        |---|---:|---:|
        | 3 x 0.10 at 19 % | 0.36 or 0.37 | 0.36 |
        | 2.675 | 2.67 | 2.68 |
        | a third off 9.99 | 6.66 | 6.66 |
    """)
    turn_over(story, ("ruff check --quiet .",))


def review(story: Story) -> None:
    """A slash command of the project reviews the change."""
    command(story, "review-diff", "prices only", message_first=True)
    story.user([{"type": "text", "text": REVIEW}], meta=True)
    story.claude(
        Tool(
            "ToolSearch",
            {"query": "select:LSP", "max_results": 1},
            [{"type": "tool_reference", "tool_name": "LSP"}],
            {"matches": ["LSP"], "query": "select:LSP", "total_deferred_tools": 19},
        ),
        Bash(
            "git diff --stat main",
            " src/pricing.py        | 31 +++++++++++++++-----\n tests/test_pricing.py | 24 +++++++++++----",
        ),
    )
    story.claude("""
        ### Review: prices

        - `Line.price` is now `Decimal`; `src/orders.py` passes what the database gives, which *is* a `Decimal`. Good.
        - `total([])` is `Decimal("0.00")`. Good: no special case.
        - **Open**: the CSV export formats prices with `%.2f`. It works, but goes through `float` again.
    """)
    story.you("fix the export in another branch. open the PR", 300)
    url = f"https://github.com/{GITHUB}/pull/216"
    story.claude(Bash("git push -q -u origin price-rounding && gh pr create --fill --base main", url, pr=(216, url)))
    # The first line was cut short by a crash of the client: it lacks the url.
    story.add({"type": "pr-link", "sessionId": story.session, "prNumber": 216, "timestamp": "2026-11-19T10:02:00.000Z"})
    pr_link(story, 216, GITHUB)
    story.claude(f"[#216]({url}) is open; the export is noted there as the next step.")
    turn_over(story)
    story.close_turn()


REVIEW = dedent("""
    Review the uncommitted and branch changes for $ARGUMENTS.
    Look for wrong results first, then for missing tests, then for names. Answer as a short list.
""").strip()

DECIMAL = (
    PRICING.replace(
        '''"""Prices: discounts, tax and totals."""

from __future__ import annotations

from dataclasses import dataclass

TAX = {"standard": 0.19, "reduced": 0.07, "free": 0.0}
''',
        '''"""Prices: discounts, tax and totals. Amounts are Decimal; tax is rounded once per rate."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

TAX = {"standard": Decimal("0.19"), "reduced": Decimal("0.07"), "free": Decimal(0)}
CENT = Decimal("0.01")


def cents(amount: Decimal) -> Decimal:
    """Round half up to whole cents."""
    return amount.quantize(CENT, ROUND_HALF_UP)
''',
    )
    .replace("float", "Decimal")
    .replace("round(amount * (1 - percent / 100), 2)", "cents(amount * (1 - percent / 100))")
)
DECIMAL = DECIMAL.replace(
    "    return round(sum(gross(line, percent) for line in lines), 2)\n",
    "    rates: dict[str, Decimal] = defaultdict(Decimal)\n"
    "    for line in lines:\n"
    "        rates[line.tax] += net(line, percent)\n"
    "    return sum((cents(amount * (1 + TAX[rate])) for rate, amount in rates.items()), Decimal(0)).quantize(CENT)\n",
).replace("round(net(line, percent) * (1 + TAX[line.tax]), 2)", "cents(net(line, percent) * (1 + TAX[line.tax]))")

TESTS = code("""
    from __future__ import annotations

    from decimal import Decimal

    import pytest

    from src.pricing import Line, cents, discount, total


    @pytest.mark.parametrize(("amount", "rounded"), [("2.675", "2.68"), ("1.005", "1.01"), ("-0.005", "-0.01")])
    def test_half_a_cent_goes_up(amount: str, rounded: str) -> None:
        assert cents(Decimal(amount)) == Decimal(rounded)


    def test_a_third_off() -> None:
        assert discount(Decimal("9.99"), Decimal(100) / 3) == Decimal("6.66")


    def test_three_small_lines_are_rounded_once() -> None:
        assert total([Line("C-3", Decimal("1.005"), 1, "free")] * 3) == Decimal("3.01")


    def test_empty_cart() -> None:
        assert total([]) == Decimal("0.00")
""")

FAILED = output("""
    .....F.                                  [100%]
    =================================== FAILURES ===================================
    ___________________ test_three_small_lines_are_rounded_once ____________________
    >       assert total([Line("C-3", Decimal("1.005"), 1, "free")] * 3) == Decimal("3.01")
    E       AssertionError: assert Decimal('3.02') == Decimal('3.01')
    tests/test_pricing.py:22: AssertionError
    1 failed, 6 passed in 0.18s
""")
