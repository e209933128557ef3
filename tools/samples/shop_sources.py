"""Uploads and prices of `shop-api`, with their tests."""

from __future__ import annotations

from .prose import code

UPLOAD = code('''
    """Sending files of the shop to the object store.

    Product pictures and invoices go the same way: a part is read, hashed, sent, and the answer is checked.
    """

    from __future__ import annotations

    import hashlib
    import logging
    from dataclasses import dataclass
    from pathlib import Path

    import httpx

    from src.settings import Settings

    log = logging.getLogger(__name__)

    PART_SIZE = 5 * 1024 * 1024
    MAX_SIZE = 2 * 1024**3
    RETRYABLE = {408, 425, 429, 500, 502, 503, 504}


    class UploadError(Exception):
        """The store refused a file, or could not be reached."""


    @dataclass(frozen=True)
    class Receipt:
        """What the store says about a file that it kept."""

        key: str
        etag: str
        size: int


    def put_part(client: httpx.Client, url: str, part: bytes) -> str:
        """Send one part and return its etag."""
        digest = hashlib.sha256(part).hexdigest()
        headers = {"Content-Type": "application/octet-stream", "X-Content-SHA256": digest}
        for _ in range(3):
            response = client.put(url, content=part, headers=headers)
            if response.status_code not in RETRYABLE:
                break
        if response.is_error:
            raise UploadError(f"{url}: {response.status_code} {response.text[:200]}")
        return response.headers["ETag"]


    def parts(path: Path, size: int = PART_SIZE) -> list[bytes]:
        """Cut a file into parts; an empty file is one empty part."""
        data = path.read_bytes()
        return [data[start : start + size] for start in range(0, len(data), size)] or [b""]


    def begin(client: httpx.Client, base: str, key: str) -> str:
        """Open an upload and return its id."""
        response = client.post(f"{base}/uploads", json={"key": key})
        response.raise_for_status()
        return response.json()["uploadId"]


    def finish(client: httpx.Client, base: str, upload_id: str, etags: list[str]) -> Receipt:
        """Close an upload; the store joins the parts."""
        response = client.post(f"{base}/uploads/{upload_id}/complete", json={"parts": etags})
        response.raise_for_status()
        body = response.json()
        return Receipt(body["key"], body["etag"], body["size"])


    def upload(path: Path, key: str, settings: Settings) -> Receipt:
        """Send a file and return the store's receipt."""
        with httpx.Client(timeout=settings.upload_timeout) as client:
            upload_id = begin(client, settings.store_url, key)
            etags = [
                put_part(client, f"{settings.store_url}/uploads/{upload_id}/{number}", part)
                for number, part in enumerate(parts(path), 1)
            ]
            receipt = finish(client, settings.store_url, upload_id, etags)
        log.info("kept %s (%d bytes)", receipt.key, receipt.size)
        return receipt
''')

TEST_UPLOAD = code("""
    from __future__ import annotations

    import httpx
    import pytest

    from src.upload import UploadError, parts, put_part


    def answering(*codes: int) -> tuple[httpx.Client, list[httpx.Request]]:
        seen: list[httpx.Request] = []
        answers = iter(codes)

        def answer(request: httpx.Request) -> httpx.Response:
            seen.append(request)
            return httpx.Response(next(answers), headers={"ETag": '"abc"'})

        return httpx.Client(transport=httpx.MockTransport(answer)), seen


    def test_part_is_sent_once() -> None:
        client, seen = answering(200)
        assert put_part(client, "http://store/1", b"x") == '"abc"'
        assert len(seen) == 1


    def test_gives_up_after_three_tries() -> None:
        client, seen = answering(503, 503, 503)
        with pytest.raises(UploadError):
            put_part(client, "http://store/1", b"x")
        assert len(seen) == 3


    def test_empty_file_is_one_part(tmp_path) -> None:
        (tmp_path / "a").write_bytes(b"")
        assert parts(tmp_path / "a") == [b""]
""")

PRICING = code('''
    """Prices: discounts, tax and totals."""

    from __future__ import annotations

    from dataclasses import dataclass

    TAX = {"standard": 0.19, "reduced": 0.07, "free": 0.0}


    @dataclass(frozen=True)
    class Line:
        """One product in a cart."""

        sku: str
        price: float
        quantity: int
        tax: str = "standard"


    def discount(amount: float, percent: float) -> float:
        """Return the amount after a discount."""
        return round(amount * (1 - percent / 100), 2)


    def net(line: Line, percent: float = 0) -> float:
        """Return what a line costs without tax."""
        return discount(line.price * line.quantity, percent)


    def gross(line: Line, percent: float = 0) -> float:
        """Return what a line costs with tax."""
        return round(net(line, percent) * (1 + TAX[line.tax]), 2)


    def total(lines: list[Line], percent: float = 0) -> float:
        """Return the total of a cart with tax."""
        return round(sum(gross(line, percent) for line in lines), 2)
''')

TEST_PRICING = code("""
    from __future__ import annotations

    from src.pricing import Line, discount, gross, total


    def test_discount_of_ten_percent() -> None:
        assert discount(20.0, 10) == 18.0


    def test_gross_of_one_line() -> None:
        assert gross(Line("A-1", 19.99, 1)) == 23.79


    def test_total_of_three_lines() -> None:
        lines = [Line("A-1", 19.99, 1), Line("B-7", 4.5, 3, "reduced"), Line("C-3", 0.1, 3)]
        assert total(lines) == 38.6
""")
