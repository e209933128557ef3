"""Code and output of the story of the flaky uploads."""

from __future__ import annotations

from textwrap import indent

from .prose import code, output

OLD_LOOP = indent(
    code("""
    for _ in range(3):
        response = client.put(url, content=part, headers=headers)
        if response.status_code not in RETRYABLE:
            break
    if response.is_error:
"""),
    "    ",
)

RETRY_LOOP = indent(
    code("""
    # Url and bytes together: equal parts of one file are different parts.
    headers["Idempotency-Key"] = hashlib.sha256(url.encode() + digest.encode()).hexdigest()
    response = None
    for wait in backoff(5):
        try:
            response = client.put(url, content=part, headers=headers)
        except httpx.TransportError as error:
            log.warning("part %s: %s, next try in %.1f s", digest[:8], error, wait)
        if response is not None and response.status_code not in RETRYABLE:
            break
        time.sleep(wait)
    if response is None:
        raise UploadError(f"{url}: the store could not be reached")
    if response.is_error:
"""),
    "    ",
)

BACKOFF = (
    code('''
    def backoff(tries: int, first: float = 0.5, most: float = 8.0) -> Iterator[float]:
        """Yield how long to wait after each try: doubled every time, with jitter."""
        for number in range(tries):
            yield random.uniform(0, min(most, first * 2**number))
''')
    + "\n\n"
)

FAILED = output("""
    ..........F.F.............F.................             [100%]
    =================================== FAILURES ===================================
    ________________________ test_gives_up_after_three_tries _______________________

        def test_gives_up_after_three_tries() -> None:
            client, seen = answering(503, 503, 503)
            with pytest.raises(UploadError):
    >           put_part(client, "http://store/1", b"x")

    tests/test_upload.py:32:
    src/upload.py:58: in put_part
        response = client.put(url, content=part, headers=headers)
    E   StopIteration
    =========================== short test summary info ============================
    FAILED tests/test_upload.py::test_gives_up_after_three_tries - StopIteration
    FAILED tests/test_pictures.py::test_form_shows_error - Failed: Timeout >5.0s
    FAILED tests/test_invoices.py::test_job_reports_broken_store - Failed: Timeout >5.0s
    3 failed, 41 passed in 14.92s
""")

PASSED = output("""
    ............................................             [100%]
    44 passed in 2.37s
""")

NEW_TESTS = (
    code("""
        def test_gives_up_after_three_tries() -> None:
            client, seen = answering(503, 503, 503)
            with pytest.raises(UploadError):
                put_part(client, "http://store/1", b"x")
            assert len(seen) == 3
    """),
    code("""
        @pytest.fixture(autouse=True)
        def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
            monkeypatch.setattr("src.upload.time.sleep", lambda seconds: None)


        def test_gives_up_after_five_tries() -> None:
            client, seen = answering(503, 503, 503, 503, 503)
            with pytest.raises(UploadError):
                put_part(client, "http://store/1", b"x")
            assert len(seen) == 5


        def test_every_try_of_a_part_has_the_same_key() -> None:
            client, seen = answering(503, 409, 200)
            put_part(client, "http://store/1", b"x")
            assert len({request.headers["Idempotency-Key"] for request in seen}) == 1
    """),
)

LOG = output("""
    2026-11-17 08:14:02 INFO  upload 5f1c begin products/4711.jpg (12.4 MB, 3 parts)
    2026-11-17 08:14:09 INFO  upload 5f1c part 1 kept
    2026-11-17 08:14:17 INFO  upload 5f1c part 2 kept
    2026-11-17 08:14:27 ERROR upload 5f1c httpx.WriteTimeout: The write operation timed out
    2026-11-17 08:14:29 INFO  upload 5f1c part 3 kept
    2026-11-17 09:40:51 INFO  upload 77ab begin products/4720.jpg (8.1 MB, 2 parts)
    2026-11-17 09:41:01 ERROR upload 77ab httpx.WriteTimeout: The write operation timed out
    2026-11-17 09:41:03 INFO  upload 77ab part 1 kept
""")

SLOW = code('''
    """A store that reads slowly, to see what a phone in a tunnel sees."""

    import argparse
    import time
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


    class Slow(BaseHTTPRequestHandler):
        delay = 0.0

        def do_PUT(self) -> None:
            time.sleep(self.delay)
            self.rfile.read(int(self.headers["Content-Length"]))
            print("kept part", self.path.rsplit("/", 1)[1], flush=True)
            self.send_response(200)
            self.send_header("ETag", '"slow"')
            self.end_headers()


    if __name__ == "__main__":
        parser = argparse.ArgumentParser()
        parser.add_argument("--delay", type=float, default=12.0)
        Slow.delay = parser.parse_args().delay
        ThreadingHTTPServer(("localhost", 9000), Slow).serve_forever()
''')

NOTE = code("""
    ## [Unreleased]

    ### Fixed
    - Uploads over slow networks are retried with a growing pause, and no part is stored twice
      (tickets 3102-3112).
""")
