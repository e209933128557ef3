"""What an error says, and what of it is the same when it comes back: its signature."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final, NamedTuple

from memtui_core.text.controls import one_line
from memtui_core.tools.results.failures import clear_error_line, says_little

LONGEST: Final = 300
"""Characters of an error that are kept."""
_LONGEST_OUTPUT: Final = 20_000
"""Characters at each end of an output that are read."""
_MOST_LINES: Final = 400
"""Lines of an output of which each may be an error."""
_OF_TEST: Final = " · "
"""Between the name of a test and what failed in it."""
_FEWEST_WORDS: Final = 2
"""Words of a signature that are not in `_GENERIC`: fewer could be any error."""
_URL: Final = re.compile(r"\bhttps?://[^\s'\"`)>\]]+", re.IGNORECASE)
_PLACE: Final = re.compile(
    r"(?:File )?\"?(?:[A-Za-z]:)?[\w.@+~/\\-]*[\w@+-]\.\w{1,8}\"?(?:[:(]| line |, line )\d+(?:[:,] ?\d+)*\)?:?"
)
"""A file with the number of a line: where an error is, not what it is."""
_PATH: Final = re.compile(r"(?<![\w@./-])(?:[A-Za-z]:)?(?:[\w.+~#-][\w.@+~#-]*[\\/]|[\\/])+")
"""The folders of a path. A package such as `@scope/name` is a name."""
_CODE: Final = re.compile(r"\b(?:[A-Z]{1,5}\d{3,6}|(?i:status(?: code)?|http(?:/[\d.]+)?|errno) \d{2,3})\b")
"""The number of an error, which says which one it is."""
_ID: Final = re.compile(
    r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8}-[0-9a-f-]{20,}\b|\b(?=[a-f]*\d)[0-9a-f]{7,}\b"
    r"|\b(?=[a-z_-]*\d)(?=\w*[a-z])[\w-]{12,}\b|\d+",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_GENERIC: Final = frozenset(
    """
    error errors err failed fail fails failure failures failing fatal exception traceback panic warning warnings
    found skipped skips unnecessary task tests test suite command commands exit exited code status with the and for
    run running ran rerun pass passed see above below details more information complete log invalid unknown
    unexpected cannot could not pre commit hook hooks validation check checks lint build script recipe process none
    output due previous one assert assertion assertionerror left right expected actual got received some emitted
    while running there were was
    """.split()  # noqa: SIM905
)
"""Words that any error may have."""
_NO_COMMAND: Final = re.compile(
    r"(?:[^\s:]+: (?:line )?(?:\d+: )?)?(?P<before>[\w.+@-]+): command not found"
    r"|zsh: command not found: (?P<after>[\w.+@-]+)"
    r"|(?:\S*/)?(?:da)?sh: (?:line )?\d+: (?P<sh>[\w.+@-]+): not found"
)
"""What shells say of a program that is not there, whichever script asked for it."""
_FAILED_TEST: Final = re.compile(
    r"^(?:FAILED|ERROR) (?P<pytest>\S+::\S[^\n]*?)(?: - [^\n]*)?$"
    r"|^[ \t]*●[ \t]+(?P<jest>[^\n]+ › [^\n]+)$"
    r"|^[ \t]*(?:FAIL|×)[ \t]+(?P<vitest>[^\n]+ > [^\n]+)$"
    r"|^[ \t]*--- FAIL: (?P<go>\S+)"
    r"|^test (?P<cargo>\S+) \.\.\. FAILED$"
    r"|^[ \t]+\d+\) (?P<mix>test [^\n]+)$"
    r"|^not ok \d+ (?P<tap>[^\n]+)$",
    re.MULTILINE,
)
"""The first test that failed, as its runner names it."""
_ASSERTED: Final = re.compile(
    r"^E  +(?P<python>\S[^\n]*)|^[ \t]*(?P<javascript>\w*Error: [^\n]+)|^[ \t]+\w+_test\.go:\d+: (?P<go>[^\n]+)"
    r"|^(?P<rust>assertion [^\n]+)|^[ \t]+(?P<elixir>(?:Assertion with|\*\* \()[^\n]+)",
    re.MULTILINE,
)
"""What a test says that failed."""


class ErrorText(NamedTuple):
    """An error as it was printed."""

    line: str
    """The line that tells it, at most LONGEST characters, `…` where it was cut; empty if the output has none."""
    signature: str
    """What is the same when it comes back: without numbers, folders, ids and places in files; empty if other
    errors may say the same."""

    @property
    def key(self) -> int:
        """The signature as a number of 63 bits; 0 without one."""
        return key_of(self.signature)


def error_text(output: str) -> ErrorText:
    """The error in the output of a failed call."""
    ends = [output[:_LONGEST_OUTPUT], output[_LONGEST_OUTPUT:][-_LONGEST_OUTPUT:]]
    output = "\n".join(ends)
    if (test := _FAILED_TEST.search(output)) is not None:
        said = next((next(filter(None, match.groups())) for match in _ASSERTED.finditer(output)), "")
        return _error_of_test(next(filter(None, test.groups())).strip(), said.strip())
    return error_of_line(next(filter(None, map(clear_error_line, ends)), ""))


def keys_in(output: str) -> dict[int, None]:
    """The keys of the errors that an output or a quoted line tells, the most telling first."""
    name, separator, said = output.strip().partition(_OF_TEST)
    quoted = [_error_of_test(name, said)] if separator and "\n" not in output.strip() else []
    lines = [error_of_line(line.strip()) for line in output.split("\n", _MOST_LINES)[:_MOST_LINES]]
    return {error.key: None for error in (error_text(output), *quoted, *lines) if error.key}


def _error_of_test(name: str, said: str) -> ErrorText:
    line = _OF_TEST.join(filter(None, (name, said)))
    return ErrorText(one_line(line[:_LONGEST_OUTPUT], LONGEST), f"test {normalized(name)} {normalized(said)}".rstrip())


def error_of_line(line: str) -> ErrorText:
    """The error that a line tells."""
    if (absent := _NO_COMMAND.fullmatch(line.strip())) is not None:
        return ErrorText(line[:LONGEST], f"command not found: {next(filter(None, absent.groups()))}")
    signature = "" if says_little(line) else normalized(line)
    words = {word for word in _WORD.findall(signature) if word not in _GENERIC}
    return ErrorText(one_line(line[:_LONGEST_OUTPUT], LONGEST), signature if len(words) >= _FEWEST_WORDS else "")


def normalized(text: str) -> str:
    """A text without what differs between two runs of the same error; of a path its last part is left."""
    text = _PLACE.sub(" ", _URL.sub("URL", text[: 2 * LONGEST]))
    text = _PATH.sub("", text)
    parts: list[str] = []
    at = 0
    for code in _CODE.finditer(text):
        parts += [_ID.sub("0", text[at : code.start()]), code[0]]
        at = code.end()
    parts.append(_ID.sub("0", text[at:]))
    return " ".join("".join(parts).lower().split())[:LONGEST]


def key_of(signature: str) -> int:
    """A signature as a number of 63 bits; 0 for none."""
    return int.from_bytes(blake2b(signature.encode(), digest_size=8).digest()) >> 1 if signature else 0


def words_of(signature: str) -> frozenset[str]:
    """The words of a signature by which it is compared with others."""
    return frozenset(word for word in _WORD.findall(signature) if word not in _GENERIC)
