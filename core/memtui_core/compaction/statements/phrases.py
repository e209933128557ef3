"""Requests, corrections and decisions in the texts of users and agents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui_core.compaction.outline import sentences
from memtui_core.compaction.words import without_code, word_set, words
from memtui_core.readers.conversion.user_text import classify

LONGEST_SINGLE_REQUEST = 400
"""Characters of a prompt that counts as one request; in a longer one each paragraph or list entry is a request."""
_MOST_PARAGRAPHS = 40
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
    r"\b(?:instead(?: of)?|rather than|don['’]?t|do not|never|always|must(?:n['’]t)?|should(?: not|n['’]t)"
    r"|(?:we|you|it) should|only|let['’]?s (?:use|keep|go|not|drop|focus|do)"
    r"|prefer|avoid|no need|decided?|make sure|use \S+(?: \S+)?,? not)\b",
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
_LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|at \S+ ?\(|at \S+:\d+|File \"|\$ |> |>>> "
    r"|#\d+ |\d+ \||\||\+{3} |-{3} |@@"
    r"|\[[A-Z]+(?: [A-Z]+)?\] |[├└│╭╰┃]|npm ERR!|error\[|warning:|E   "
    r"|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|Traceback|Caused by)\b)"
    r"|^\s*[\w./-]+:\d+(?::\d+)?[: ]|^[dl-][rwx-]{9}|^\S+Z \S|^\s*[{}\[\]();]+,?\s*$|^\s*\"[\w-]+\":",
)
"""A line of a log, a trace, a diff, a listing or of data."""
_FEW_LINES = 12
"""A prompt with fewer lines is not taken for pasted, unless it has a log."""
_LOG_SHARE = 5
"""A prompt is mostly pasted if at least one in so many lines is a line of a log."""
_PROSE_LINE = re.compile(r"^(?:(?:[-*+•#]|\d{1,2}[.)])\s|(?:\S+\s+){7}\S)|[.!?:;,]$")
_OUTPUT_LINE = re.compile(
    r"\W*(?:error|found|checked|exit|process|done|failed|passed|ok|warning|total|summary|finished|node:\S)\b",
    re.IGNORECASE,
)
"""The beginning of the last line that many programs print."""
_TITLE = re.compile(r"[^.!?\n]{1,60}:")
"""A first line that only says what the rest of a prompt is: `pr feedback:`."""
_LIST_ENTRY = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")


def typed_text(text: str) -> str:
    """What the user typed, without what the agent's program put around it; empty if no user wrote the text."""
    if _MACHINE.match(text):
        return ""
    prompt = classify(text)
    return prompt.text.strip() if prompt.kind in {"human", "agent"} else ""


def requests(text: str) -> Iterator[str]:
    """The requests in a user's text: the text itself, or the paragraphs of a long one; none if it only says yes."""
    paragraphs = [text] if len(text) <= LONGEST_SINGLE_REQUEST else _paragraphs(without_code(text))
    candidates = [paragraph for paragraph in paragraphs if words(paragraph) and not is_pasted(paragraph)]
    is_only = len(candidates) == 1
    for paragraph in candidates[:_MOST_PARAGRAPHS]:
        if is_only or len(word_set(paragraph)) >= _FEWEST_WORDS:
            yield paragraph.strip()


def is_pasted(text: str) -> bool:
    """Whether a text of several lines, or a long one, is output that a person pasted: a log, a trace, a listing."""
    lines = [line for line in text.split("\n") if line.strip()]
    is_long = len(lines) > 2 or len(text) > _LONGEST
    return is_long and 2 * sum(_LOG_LINE.search(line) is not None for line in lines) >= len(lines)


def typed_around(text: str, parts: Sequence[str]) -> list[str]:
    """What the user typed of a prompt that is mostly pasted: its first line, and its last part if that is prose."""
    first = text.strip().partition("\n")[0].strip()
    end = parts[-1] if parts and not parts[-1].startswith(first) else ""
    is_output = any(_LOG_LINE.search(line) or _OUTPUT_LINE.match(line) for line in end.split("\n"))
    return [first, end] if end and not is_output and _PROSE_LINE.search(end) else [first]


def is_mostly_pasted(text: str) -> bool:
    """Whether a long prompt holds a log, a listing or somebody's review besides what the user typed."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    logged = sum(_LOG_LINE.search(line) is not None for line in lines)
    if len(lines) > 2 and _LOG_SHARE * logged >= len(lines):
        return True
    prose = sum(_PROSE_LINE.search(line) is not None for line in lines)
    return len(lines) >= _FEW_LINES and (2 * prose < len(lines) or _TITLE.fullmatch(lines[0]) is not None)


def is_correction(text: str) -> bool:
    """Whether a user's text objects to what was done."""
    start = text[:LONGEST_SINGLE_REQUEST]
    return any(_CORRECTS.match(start[span.start : span.end]) for span in sentences(start)[:3])


def decisions(text: str, by_user: bool) -> Iterator[str]:
    """The sentences of a text that decide what is done and what not; an order of the user decides too."""
    pattern = _ORDERS if by_user else _DECIDES
    if not pattern.search(text):
        return
    plain = without_code(text)
    for span in sentences(plain):
        sentence = plain[span.start : span.end]
        is_candidate = _SHORTEST <= len(sentence) <= _LONGEST and not sentence.rstrip("*_)\"'").endswith(("?", ":"))
        if is_candidate and pattern.search(sentence) and len(word_set(sentence)) >= _FEWEST_WORDS:
            yield sentence


def _paragraphs(text: str) -> list[str]:
    """The paragraphs and list entries of a text, each with the lines that belong to it."""
    paragraphs: list[str] = []
    starts_paragraph = True
    for line in text.split("\n"):
        if not line.strip():
            starts_paragraph = True
        elif starts_paragraph or _LIST_ENTRY.match(line):
            paragraphs.append(line)
            starts_paragraph = False
        else:
            paragraphs[-1] += "\n" + line
    return paragraphs
