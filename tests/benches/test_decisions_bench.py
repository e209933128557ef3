"""The bench of decisions: sentences get the verdict of their digest, and only those that were read count."""

from __future__ import annotations

from hashlib import sha256

from bench.decisions.__main__ import Sentence, sentences, summary


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def test_each_different_sentence_has_the_verdict_of_its_reader() -> None:
    right, wrong, unread = "Let's use Decimal.", "Let's use it.", "No floats!"
    judged = list(sentences([right, wrong, right, unread], {digest(right): True, digest(wrong): False}))
    assert judged == [
        Sentence(right, digest(right), True),
        Sentence(wrong, digest(wrong), False),
        Sentence(unread, digest(unread), None),
    ]
    assert summary(judged) == "3 sentences, 2 read, precision 0.500"
    assert summary([]) == "0 sentences, 0 read, precision -"
