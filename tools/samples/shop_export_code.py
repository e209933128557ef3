"""Code and output of the long session."""

from __future__ import annotations

from .prose import code, output

EXPORT = code('''
    """Orders as CSV, for accounting."""

    from __future__ import annotations

    import csv
    from collections.abc import Iterable
    from typing import TextIO

    from src.models import Order

    HEADER = ("number", "date", "customer", "net", "tax", "gross", "currency", "state")


    def row(order: Order) -> tuple[str, ...]:
        """Return the cells of an order."""
        amounts = (f"{amount:.2f}" for amount in (order.net, order.tax, order.gross))
        date = order.placed.date().isoformat()
        return (order.number, date, str(order.customer_id), *amounts, order.currency, order.state.value)


    def write(orders: Iterable[Order], out: TextIO, delimiter: str = ",") -> int:
        """Write a header and a row for each order; return how many."""
        writer = csv.writer(out, delimiter=",")
        writer.writerow(HEADER)
        count = 0
        for count, order in enumerate(orders, 1):
            writer.writerow(row(order))
        return count
''')

TESTS = code("""
    from __future__ import annotations

    import io
    from datetime import UTC, datetime

    from src.export import HEADER, write
    from tests.factories import order


    def test_header_only_when_there_is_no_order() -> None:
        out = io.StringIO()
        assert write([], out) == 0
        assert out.getvalue().split() == [",".join(HEADER)]


    def test_one_order() -> None:
        out = io.StringIO()
        write([order(number="2026-1", placed=datetime(2026, 11, 1, 9, tzinfo=UTC))], out)
        assert out.getvalue().splitlines()[1] == "2026-1,2026-11-01,17,84.03,15.97,100.00,EUR,paid"


    def test_refund() -> None:
        out = io.StringIO()
        write([order(gross=-100)], out)
        assert out.getvalue().splitlines()[1].endswith("-100.00,EUR,refunded")
""")

CSV = (
    code('''
    @dataclass(frozen=True)
    class Format:
        """How a spreadsheet wants its numbers and cells."""

        delimiter: str = ","
        decimal: str = "."
        encoding: str = "utf-8"


    FORMATS = {
        "plain": Format(),
        "excel-en": Format(encoding="utf-8-sig"),
        "excel-de": Format(";", ",", "utf-8-sig"),
    }


    def harmless(text: str) -> str:
        """Return a text that no spreadsheet takes for a formula."""
        return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
''')
    + "\n\n"
)

TRACE = output("""
    ..F.                                     [100%]
    =================================== FAILURES ===================================
    _________________________________ test_refund __________________________________
    >       assert out.getvalue().splitlines()[1].endswith("-100.00,EUR,refunded")
    E       AssertionError: assert False
    tests/test_export.py:26: AssertionError
    1 failed, 3 passed in 0.15s
""")
