"""What an error says, and when it is the same one again."""

from __future__ import annotations

import time

import pytest

from memtui_core.tools.results.error_text import LONGEST, ErrorText, error_text, key_of, words_of

SAME = [
    (
        "src/cart.ts(12,5): error TS2304: Cannot find name 'total'.",
        "../web/src/old/cart.ts(3,41): error TS2304: Cannot find name 'total'.",
    ),
    (
        "Traceback (most recent call last):\n  File \"/home/ana/a.py\", line 3, in run\nKeyError: 'price'",
        "Traceback (most recent call last):\n  File \"/srv/b.py\", line 71, in main\n    x()\nKeyError: 'price'",
    ),
    (
        "fatal: Unable to create '/home/ana/shop/.git/index.lock': File exists.",
        "fatal: Unable to create '/srv/shop/.git/index.lock': File exists.",
    ),
    (
        "2026-07-01T20:38:22Z  WARN secrets: missing key\nerror: pid 4711 of worker 0x7ffee3 died after 1.25 s",
        "2026-07-02T01:02:03Z  WARN secrets: missing key\nerror: pid 9 of worker 0x10aa died after 12.5 s",
    ),
    (
        "error: could not apply fb89908... Round all prices",
        "error: could not apply 04ef02a... Round all prices",
    ),
    (
        "error: Failed to download `https://a.example.org/x/1.2` from the registry",
        "error: Failed to download `https://b.example.org/y` from the registry",
    ),
    (
        "Error: session 1b4e28ba-2fa1-11d2-883f-0016d3cca427 of user is not found",
        "Error: session 6fa459ea-ee8a-3ca4-894e-db77e160355e of user is not found",
    ),
    (
        "\x1b[31mmake: *** [Makefile:3: lint] Error 2\x1b[0m\nerror: unused variable `price`",
        "make[1]: *** [Makefile:30: lint] Error 1\nerror: unused variable `price`",
    ),
    (
        "=== FAILURES ===\nE   assert 3 == 4\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.2s",
        "=== FAILURES ===\nE   assert 5 == 4\nFAILED old/test_cart.py::test_total - assert 5 == 4\n1 failed in 9.2s",
    ),
    ("--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: got 3", "--- FAIL: TestTotal (1.2s)\n    a_test.go:9: got 4"),
    (
        "test cart::total ... FAILED\nassertion `left == right` failed\n  left: 3",
        "test cart::total ... FAILED\nassertion `left == right` failed\n  left: 7",
    ),
    ("bash: parallel: command not found", "/srv/bats-exec-suite: line 314: parallel: command not found"),
    ("zsh: command not found: parallel", "parallel: command not found"),
    ("/bin/sh: 1: parallel: not found", "parallel: command not found"),
    ("  ● cart › adds prices\n    Error: no such price", "noise\n  ● cart › adds prices\n    Error: no such price"),
]  # fmt: skip
DIFFERENT = [
    ("a.ts(1,2): error TS2304: Cannot find name 'total'.", "a.ts(1,2): error TS2304: Cannot find name 'price'."),
    ("a.ts(1,2): error TS2304: Cannot find name 'total'.", "a.ts(1,2): error TS2663: Cannot find name 'total'."),
    ("error TS2307: Cannot find module './config.js'", "error TS2307: Cannot find module './main.js'"),
    ("Error: Module '@shop/web' has no member cart", "Error: Module '@shop/api' has no member cart"),
    ("Request to the server failed with status code 403", "Request to the server failed with status code 404"),
    ("FAILED t.py::test_total - assert 3 == 4", "FAILED t.py::test_taxes - assert 3 == 4"),
    ("bash: line 1: pytest: command not found", "bash: line 1: poetry: command not found"),
    ("test cart::total ... FAILED\nassertion `a` failed", "test cart::taxes ... FAILED\nassertion `a` failed"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_an_error_is_the_same_in_other_places_and_at_other_times(one: str, other: str) -> None:
    assert error_text(one).signature
    assert error_text(one).signature == error_text(other).signature
    assert error_text(one).key == error_text(other).key > 0


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_errors_differ_by_names_and_by_their_numbers(one: str, other: str) -> None:
    assert error_text(one).signature
    assert error_text(other).signature
    assert error_text(one).key != error_text(other).key


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Command exited with code 1",
        "Exit code 2\n\nmake: *** [Makefile:3: lint] Error 2",
        "Error: (none)",
        "Found 1 error.",
        "E   assert 3 == 4",
        "Pre-commit validation failed:",
        "[lint] ERROR task failed",
        "all fine",
        "  216 │ * @throws Error if no model was selected",
    ],
)
def test_what_any_error_may_say_has_no_signature(output: str) -> None:
    error = error_text(output)
    assert (error.signature, error.key) == ("", 0)


def test_the_line_is_quoted_and_the_signature_is_plain() -> None:
    line = "src/cart.ts(12,5): error TS2304: Cannot find name 'total'."
    output = f"Checking 3 files\n  {line}\n\x1b[1mFound 1 error.\x1b[0m"
    assert error_text(output) == ErrorText(line, "error TS2304: Cannot find name 'total'.".lower())
    assert words_of(error_text(output).signature) == {"find", "name", "total"}
    failed = "  ● cart › adds 2 prices\n\n    TypeError: price is not a number\n"
    assert error_text(failed) == ErrorText(
        "cart › adds 2 prices · TypeError: price is not a number",
        "test cart › adds 0 prices typeerror: price is not a number",
    )


def test_long_texts_are_cut() -> None:
    output = "error: " + "word " * 100_000
    error = error_text(output)
    assert (len(error.line), error.key) == (LONGEST, key_of(error.signature))
    assert error.line.endswith("…")
    assert len(error.signature) <= LONGEST
    assert error_text("x\n" * 50_000 + "KeyError: 'price'\n") == ErrorText("KeyError: 'price'", "keyerror: 'price'")


@pytest.mark.parametrize("text", ["\n", " \n", "FAIL > ", "\nE   ", "\n a_test", "● › "])
def test_a_long_output_takes_no_time(text: str) -> None:
    output = text * (40_000 // len(text))
    start = time.process_time()
    error_text(output)
    assert time.process_time() - start < 2
