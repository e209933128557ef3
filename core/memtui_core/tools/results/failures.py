"""The line of a failed tool result that tells what went wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memtui_core.text.controls import plain

_LONGEST, _LONGEST_LINE = 20_000, 2000
_MOST_LINES = 1000
"""Lines at the beginning and at the end of an output in which an error is looked for."""
_EXIT = re.compile(r"\s*(?:Error:\s*)?Exit code:? -?\d+\s*", re.IGNORECASE)
_CLEAR_ERROR = re.compile(
    r"(?:^|[\s\[(])(?:error\[\w+\]|(?:error|fatal|panic|exception|traceback|[\w.]*(?:Error|Exception))\b[^\n]{0,3})[:!\])]"
    r"|^E  ",
    re.IGNORECASE,
)
_POSSIBLE_ERROR = re.compile(
    r"\b(?:errors?|fatal|failed|failure|cannot|can['’]t|could not|not found|undefined|denied|missing|unexpected|invalid"
    r"|no such|unable|unknown|refused|not (?:allowed|supported|formatted)|conflict|timed out)\b",
    re.IGNORECASE,
)
_ONLY_FAILED = re.compile(
    r"\W*(?:error|errors|fatal|failed|failure|exception|ERR!)\W*"
    r"(?:code \w+|(?:exit|exited)(?: with)?(?: code| status)? -?\d+"
    r"|command failed[^:]*|(?:a )?complete log.*|the following (?:errors|files).*)?\W*"
    r"|(?:make|gmake)(?:\[\d+\])?: \*\*\* .*|npm (?:ERR!|error) (?:code|errno|A complete|Lifecycle|path|command).*"
    r"|error: (?:recipe|script|command) .*(?:failed|exited).*|.*\bELIFECYCLE\b.*"
    r"|error: could not compile .* due to .*",
    re.IGNORECASE,
)
"""Lines that only say that something failed, not what."""
_LONGEST_ONLY_FAILED = 200
"""The most characters of such a line."""
_WARNING = re.compile(r"(?:[\dTZ:.+-]+\s+)?(?:npm )?\W*warn(?:ing)?\b", re.IGNORECASE)
_SHOWN_CODE = re.compile(r"[>\s]*\d+\s*[│|]")
"""A numbered line of a file, which a linter shows around what it found."""
_NO_LETTERS = re.compile(r"[\W\d_]*")
_TAG = re.compile(r"</?[a-z][\w-]*>")


def is_agent_error(text: str) -> bool:
    """Whether an error comes from the agent's own program: a refused call, a file that was not read before its edit."""
    # What all agents say takes long to load, and a hook asks only for the line of an error.
    from memtui_core.tools.vocabulary import vocabulary

    return vocabulary().error_phrase.search(text[:2000]) is not None


def rejection_message(text: str) -> str:
    """What the user wrote on refusing a call; empty if nothing."""
    from memtui_core.tools.vocabulary import vocabulary

    patterns = vocabulary().names.rejection_reasons
    match = next((match for pattern in patterns if (match := re.search(pattern, text, re.DOTALL))), None)
    return match[1].strip() if match else ""


def says_little(line: str) -> bool:
    """Whether a line only says that something failed: `Exit code 2`, `make: *** [Makefile:3: lint] Error 2`."""
    return len(line) <= _LONGEST_ONLY_FAILED and (
        _ONLY_FAILED.fullmatch(line) is not None or _EXIT.fullmatch(line) is not None
    )


def error_line(text: str) -> str:
    """The line that describes the failure best; empty if the result has only an exit code."""
    lines = _telling_lines(text)
    return _error_in(lines) or (lines[0] if lines else "")


def clear_error_line(text: str) -> str:
    """The line that describes the failure best; empty if none speaks of an error."""
    return _error_in(_telling_lines(text))


def _telling_lines(text: str) -> list[str]:
    body = plain(text.replace("\\n", "\n")[:_LONGEST])
    exit_code = _EXIT.match(body)
    body = _TAG.sub("", body[exit_code.end() :] if exit_code else body)
    all_lines = [
        line.strip() for line in body.split("\n") if not _NO_LETTERS.fullmatch(line) and not _SHOWN_CODE.match(line)
    ]
    lines = [line for line in all_lines if not _WARNING.match(line)] or all_lines
    return [line for line in lines if not says_little(line)] or lines


def _error_in(lines: Sequence[str]) -> str:
    for pattern in (_CLEAR_ERROR, _POSSIBLE_ERROR):
        for line in lines:
            if len(line) > 8 and pattern.search(line, 0, _LONGEST_LINE):
                return line
    return ""


def telling_start(lines: Sequence[str], count: int) -> int:
    """The index of the first of the `count` lines of a failed output that say best what went wrong.

    They are the last ones, where most programs say it, unless only lines before them say it clearly, or at all.
    """
    end = max(0, len(lines) - count)
    looked_at = (*range(min(len(lines), _MOST_LINES)), *range(max(_MOST_LINES, len(lines) - _MOST_LINES), len(lines)))
    for pattern in (_CLEAR_ERROR, _POSSIBLE_ERROR):
        found = [at for at in looked_at if pattern.search(lines[at], 0, _LONGEST_LINE) and _tells(lines[at])]
        if found:
            return end if found[-1] >= end else min(found[0], end)
    return end


def _tells(line: str) -> bool:
    stripped = line.strip()
    return not says_little(stripped) and not _WARNING.match(stripped)
