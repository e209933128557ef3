"""The user's own patterns of secrets: which are accepted, and what they replace."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from memtui_core.text.own_patterns import problem, use_patterns, used_patterns
from memtui_core.text.redaction import redact, rules_in_use

NUMBER = "ACME-123456789012"


@pytest.fixture(autouse=True)
def no_patterns() -> Iterator[None]:
    yield
    use_patterns(())


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("ACME-[0-9]{12}", ""),
        (r"(?i)\bacme\b.*\d", ""),
        ("(", "is no regular expression of RE2: missing ): ("),
        ("(?<=a)b", "is no regular expression of RE2: invalid perl operator: (?<="),
        (r"(a)\1", r"is no regular expression of RE2: invalid escape sequence: \1"),
        ("[0-9]*", "matches an empty text"),
        ("a|", "matches an empty text"),
        ("[a-z]+", "matches [redacted:pattern], which replaces a secret"),
        (".", "matches [redacted:pattern], which replaces a secret"),
    ],
)
def test_a_pattern_that_cannot_be_used_has_a_reason(pattern: str, reason: str) -> None:
    assert problem(pattern) == reason


@pytest.mark.spec("S6.14")
def test_what_the_patterns_match_is_replaced_beside_what_the_rules_find() -> None:
    text = f"id {NUMBER}, then password: hunter22 and T-1"
    assert redact(text) == f"id {NUMBER}, then password: [redacted:password] and T-1"
    use_patterns(["ACME-[0-9]{12}", "T-[0-9]"])
    assert used_patterns() == ("ACME-[0-9]{12}", "T-[0-9]")
    replaced = "id [redacted:pattern], then password: [redacted:password] and [redacted:pattern]"
    assert redact(text) == replaced == redact(replaced)
    use_patterns(())
    assert redact(text).startswith(f"id {NUMBER}")


def test_a_text_may_have_halves_of_characters_and_letters_of_any_length() -> None:
    use_patterns(["ACME-[0-9]{12}", "schön+"])
    assert redact(f"€ \ud800 {NUMBER} \udfff schönn 😀") == ("€ \ud800 [redacted:pattern] \udfff [redacted:pattern] 😀")


def test_json_stays_json_whatever_a_pattern_matches() -> None:
    use_patterns(["n?code.{1,40}end"])
    value = {"a": 'x\ncode "quoted" \u00e9 \\ back end', "b": "plain code 1 end"}
    read = json.loads(redact(json.dumps(value)))
    assert set(read) == {"a", "b"}
    assert "quoted" not in read["a"]
    assert read["b"] == "plain [redacted:pattern]"


def test_other_patterns_are_other_rules() -> None:
    none = rules_in_use()
    use_patterns(["a1", "b2"])
    both = rules_in_use()
    use_patterns(["a1"])
    assert len({none, both, rules_in_use()}) == 3
    use_patterns(["a1", "b2"])
    assert rules_in_use() == both


def test_a_pattern_that_takes_others_exponential_time_takes_linear_time() -> None:
    """Thirty letters would keep Python's own engine busy for minutes; these are 200,000."""
    pytest.importorskip("resource")
    code = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from memtui_core.text.own_patterns import use_patterns
from memtui_core.text.redaction import redact
use_patterns(["(x+x+)+y"])
text = "x" * 200_000
assert redact(text) == text
assert redact(text + "y") == "[redacted:pattern]"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
