"""What people and agents said: requests, corrections and decisions, told from talk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui_core.compaction.outline import sentences
from memtui_core.compaction.words import without_code, words
from memtui_core.readers.user_text import classify

WHOLE = 400
"""Characters of a request that is one item; of a longer one each paragraph or list entry is."""
_MOST_PIECES = 40
_FEWEST_WORDS = 3
_SHORTEST, _LONGEST = 15, 500

_MACHINE = re.compile(
    r"\s*(?:Your task is to create a detailed summary|CRITICAL: Respond with TEXT ONLY|Please continue the conversation"
    r"|This session is being continued|\[Request interrupted|<[a-z][\w-]*[ >]|Caveat: )"
)
_CORRECTS = re.compile(
    r"(?:no[,.! ]|nope\b|not (?:what|like|that|so)\b|wrong\b|stop\b|wait\b|actually\b|don['’]?t\b|do not\b|never\b"
    r"|undo\b|revert\b|instead\b|(?:that['’]?s|this is) (?:not|wrong)|why (?:did|are|do) you\b"
    r"|you (?:forgot|missed|should(?:n['’]t)?|didn['’]t|broke|keep|still)"
    r"|i (?:said|asked|told|meant?|don['’]t (?:like|want|care|need)))"
    r"|.*\b(?:is|are) (?:still )?(?:wrong|broken|not (?:working|what))\b|.*\bi (?:said|meant|don['’]t (?:like|want))\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\b(?:instead(?: of)?|rather than|don['’]?t|do not|never|always|must(?:n['’]t)?|should(?: not|n['’]t)?|only"
    r"|let['’]?s (?:use|keep|go|not|drop|focus|do)|prefer|avoid|no need|decided?|make sure|use \S+(?: \S+)?,? not)\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:I|we)(?:['’](?:ll|d|re going to|m going to)| will| should| shall| must| can| now| also| then)*"
    r" (?:use|used|using|keep|kept|switch|switched|went with|go with|stick|avoid|drop|dropped|leave|left|prefer|chose"
    r"|moved|put|made|make)\b.{0,160}\b(?:instead|rather than)\b"
    r"|\b(?:I|we|you)(?:['’](?:ve|d)| have| had)?(?: already| both| now)?"
    r" (?:decided|chose|opted|settled on|agreed|ruled out)\b"
    r"|\bdecision:|^\W*decided\b|\bgoing with\b|^\W*(?:do not|don['’]t)\b"
    r"|^\W*(?:never|always) (?!\w+s\b)\w+|\bmust (?:never|not|always)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")


def said(text: str) -> str:
    """A person's text without wrappers; empty when no person wrote it."""
    if _MACHINE.match(text):
        return ""
    found = classify(text)
    return found.text.strip() if found.kind in {"human", "agent"} else ""


def requests(text: str) -> Iterator[str]:
    """What a person's text asks for: the text itself, or the parts of a long one; none in mere assent."""
    plain = without_code(text)
    pieces = [text] if len(text) <= WHOLE else _pieces(plain)
    asked = [piece for piece in pieces if any(True for _ in words(piece))]
    few = len(asked) == 1
    for piece in asked[:_MOST_PIECES]:
        if few or len(set(words(piece))) >= _FEWEST_WORDS:
            yield piece.strip()


def corrects(text: str) -> bool:
    """Whether a person's text objects to what was done."""
    return any(_CORRECTS.match(text[span.start : span.end]) for span in sentences(text[:WHOLE])[:3])


def decisions(text: str, by_person: bool) -> Iterator[str]:
    """The sentences of a text that say what shall be done and what not; a person's need less to be one."""
    pattern = _ORDERS if by_person else _DECIDES
    if not pattern.search(text):
        return
    plain = without_code(text)
    for span in sentences(plain):
        sentence = plain[span.start : span.end]
        is_fit = _SHORTEST <= len(sentence) <= _LONGEST and not sentence.rstrip("*_)\"'").endswith(("?", ":"))
        if is_fit and pattern.search(sentence) and len(set(words(sentence))) >= _FEWEST_WORDS:
            yield sentence


def _pieces(text: str) -> list[str]:
    """Paragraphs, and the entries of lists, each with the lines that belong to it."""
    pieces: list[str] = []
    fresh = True
    for line in text.split("\n"):
        if not line.strip():
            fresh = True
        elif fresh or _ITEM.match(line):
            pieces.append(line)
            fresh = False
        else:
            pieces[-1] += "\n" + line
    return pieces
