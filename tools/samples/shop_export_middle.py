"""The middle of the long session: the route, its speed, and who may read the file."""

from __future__ import annotations

from .shop_export_late import Exchange
from .tools_files import Edit, Grep, Read
from .tools_other import Bash

MIDDLE: tuple[Exchange, ...] = (
    (
        "now the route. only staff",
        (
            Read("src/app.py"),
            Edit(
                "src/app.py",
                '        Route("/orders",',
                '        Route("/orders/export", export, methods=["GET"]),\n        Route("/orders",',
            ),
        ),
        "The route streams the file; without the role `staff` it answers 403.",
    ),
    (
        "why not 404 for non staff",
        (),
        (
            "Either is fine. 404 hides that the route exists, but the route is in our public "
            "repository. I kept 403: clearer in the log."
        ),
    ),
    (
        "ok 403. what's the file name in the download",
        (Grep("Content-Disposition", glob="**/*.py"),),
        "`orders-2026-11.csv`, with `filename*=UTF-8''` in case a shop's name goes in later.",
    ),
    (
        "how big does this get? our largest shop has 1.2M orders a year",
        (Bash("python -m src.export 2025 --dry-run", "118000 rows, 9.1 MB, 74.2 s", "Export a year"),),
        ("74 s for 118,000 rows is too slow: about 1,600 rows a second. It is not the CSV, that is 3 % of it."),
    ),
)

SPEED: tuple[Exchange, ...] = (
    (
        "find out what it is then",
        (
            Bash(
                "python -X importtime -m cProfile -s cumtime -m src.export 2025 --dry-run | head -n 12",
                "   236004   41.310  psycopg execute\n   118000   12.204  Order.customer",
            ),
        ),
        "Two queries per order: `order.customer` is loaded lazily. A classic N+1.",
    ),
    (
        "fix",
        (
            Edit(
                "src/orders.py",
                "select(Order).where(Order.placed >= first",
                "select(Order).options(joinedload(Order.customer)).where(Order.placed >= first",
            ),
            Bash("python -m src.export 2025 --dry-run", "118000 rows, 9.1 MB, 4.9 s"),
        ),
        "74 s → **4.9 s**, one query.",
    ),
    (
        "memory?",
        (
            Bash(
                "/usr/bin/time -v python -m src.export 2025 --dry-run 2>&1 | grep Maximum",
                "Maximum resident set size (kbytes): 612440",
            ),
        ),
        "612 MB: the driver fetches all rows at once. `yield_per=1000` uses a server-side cursor.",
    ),
    (
        "do that too",
        (
            Edit(
                "src/orders.py", ".order_by(Order.placed)", ".order_by(Order.placed).execution_options(yield_per=1000)"
            ),
            Bash(
                "/usr/bin/time -v python -m src.export 2025 --dry-run 2>&1 | grep Maximum",
                "Maximum resident set size (kbytes): 71220",
            ),
        ),
        "612 MB → 71 MB, and the first row arrives after 40 ms.",
    ),
    (
        "is there an index on placed",
        (Bash("psql shop -c '\\d orders' | grep -i placed", '"orders_placed_idx" btree (placed)'),),
        "Yes, `orders_placed_idx`.",
    ),
    ("gzip the response?", (), "The proxy does that already for `text/csv`. I'd leave it there."),
)

ACCESS: tuple[Exchange, ...] = (
    (
        "morning. accounting asks whether they can get it by mail every 1st of the month",
        (Grep("cron|schedule", glob="**/*"),),
        (
            "A mail with 9 MB attached will bounce. Better: cron puts the file into the store "
            "with `upload()`, and the mail has a link that is good for 7 days."
        ),
    ),
    (
        "yes, link. who may open it?",
        (),
        (
            "Anyone who has the link, for 7 days. If that is too open: the link leads to the "
            "shop's login, and the file is served by us."
        ),
    ),
    (
        "login then",
        (
            Edit(
                "src/export.py",
                "def write(",
                (
                    'def store(month: str) -> str:\n    """Export a month and return the address for '
                    'staff."""\n    return f"/orders/export/{month}"\n\n\ndef write('
                ),
            ),
        ),
        "`store()` returns an address below `/orders/export/`, which asks for the staff login.",
    ),
    (
        "what if cron runs twice",
        (Bash("pytest -q -k twice", ".    [100%]\n1 passed"),),
        "Same month, same key: the second run replaces the first file. There is a test now.",
    ),
    (
        "and if the month is not over yet?",
        (),
        ("Then it refuses: *2026-11 is not over*. With `--partial` it goes on and names the file `…-partial.csv`."),
    ),
)
