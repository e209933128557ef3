"""The files of `shop-api`, an invented web shop."""

from __future__ import annotations

from .prose import code
from .shop_sources import PRICING, TEST_PRICING, TEST_UPLOAD, UPLOAD

LIMIT = code('''
    """Holding back clients that ask too often."""

    from __future__ import annotations

    import time
    from collections import defaultdict, deque

    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response

    WINDOW = 60.0
    LIMIT = 100


    class RateLimit(BaseHTTPMiddleware):
        """Allows each address a number of requests in a minute."""

        def __init__(self, app) -> None:
            super().__init__(app)
            self.seen: dict[str, deque[float]] = defaultdict(deque)

        async def dispatch(self, request: Request, call_next) -> Response:
            """Answer 429 when the address has used up its minute."""
            now = time.monotonic()
            times = self.seen[request.client.host]
            while times and now - times[0] > WINDOW:
                times.popleft()
            if len(times) >= LIMIT:
                return JSONResponse({"error": "too many requests"}, status_code=429)
            times.append(now)
            return await call_next(request)
''')

ORDERS = code('''
    """Orders and their rows in the database."""

    from __future__ import annotations

    from collections.abc import Iterator
    from datetime import date

    from sqlalchemy import select
    from sqlalchemy.orm import Session

    from src.models import Order


    def between(db: Session, first: date, last: date) -> Iterator[Order]:
        """Yield the orders of a time, oldest first."""
        rows = select(Order).where(Order.placed >= first, Order.placed <= last).order_by(Order.placed)
        yield from db.scalars(rows)


    def by_number(db: Session, number: str) -> Order | None:
        """Return an order by the number that the customer knows."""
        return db.scalar(select(Order).where(Order.number == number))
''')

CI = code("""
    name: ci

    on:
      push:
        branches: [main]
      pull_request:

    jobs:
      test:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v5
          - uses: actions/setup-python@v6
            with:
              python-version: "3.12"
          - run: pip install -e .[test]
          - run: ruff check .
          - run: pytest -q
""")

APP = code('''
    """The web application."""

    from __future__ import annotations

    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

    from src.rate_limit import RateLimit
    from src.routes import cart, health, orders, products

    app = Starlette(
        routes=[
            Route("/health", health),
            Route("/products", products),
            Route("/cart", cart, methods=["GET", "POST"]),
            Route("/orders", orders, methods=["GET", "POST"]),
        ],
        middleware=[Middleware(RateLimit)],
    )
''')

SETTINGS = code('''
    """Settings from the environment."""

    from __future__ import annotations

    import os
    from dataclasses import dataclass


    @dataclass(frozen=True)
    class Settings:
        """Where the shop's services are."""

        store_url: str = os.environ.get("STORE_URL", "http://localhost:9000")
        redis_url: str = os.environ.get("REDIS_URL", "redis://localhost:6379/0")
        upload_timeout: float = 10.0
''')

CHANGELOG = code("""
    # Changelog

    ## [Unreleased]

    ## [1.8.0] - 2026-10-29

    ### Added
    - Gift cards can be used together with a discount.

    ### Fixed
    - The cart no longer forgets its currency after login.
""")

SHOP = {
    ".github/workflows/ci.yml": CI,
    "CHANGELOG.md": CHANGELOG,
    "src/app.py": APP,
    "src/orders.py": ORDERS,
    "src/pricing.py": PRICING,
    "src/rate_limit.py": LIMIT,
    "src/settings.py": SETTINGS,
    "src/upload.py": UPLOAD,
    "tests/test_pricing.py": TEST_PRICING,
    "tests/test_upload.py": TEST_UPLOAD,
}
ROOT = "/home/ana/code/shop-api"
GITHUB = "harbor-example/shop-api"
