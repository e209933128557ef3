"""The checks of a session, each with the outcome of its last run.

The outcome is read from the output too: a check that fails before `| tail` is not marked as an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.text.controls import plain
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.results.failures import error_line, is_agent_error, says_little
from memtui_core.tools.shell.checks import checks_of, is_document, kind_of_check, names_of_check
from memtui_core.tools.shell.commands import simple_commands
from memtui_core.tools.shell.git_commits import COMMIT_LINE

Outcome = Literal["passed", "failed", "unknown"]
_PASSED: Final = re.compile(
    r"\b0 (?:failures?|failed|errors?|problems|issues|offenses|warnings)\b|\bfound no (?:issues|errors)|no issues found"
    r"|all checks passed|test result: ok|build success|compiled successfully|passed successfully|\b\d+ pass(?:ed|ing)\b"
    r"|\bis valid\b|\bok\s+\S+\s+[\d.]+s|^OK\b|\b\d+ files? changed\b|working tree clean|^✓|would be left unchanged"
    r"|already formatted|built in [\d.]+",
    re.IGNORECASE | re.MULTILINE,
)
_FAILED: Final = re.compile(
    r"(?<![:.\d/-])\b(?!0\b)\d+ (?:tests? )?(?:failed|failures?|failing|errors?|problems?|offenses?|violations?)\b"
    r"|\b(?:failures|errors|failed):? *[=:]? *(?!0\b)\d+\b"
    r"|found (?!0\b)\d+ (?:\w+ ){0,3}(?:issues?|errors?|suggestions?|problems?)"
    r"|^(?:FAILED|FAIL:?|FAIL\t)\b|\bBUILD FAILED\b|test result: FAILED|could not compile|compilation failed"
    r"|\berror TS\d+|^error(?:\[E\d+\])?: |\bnpm (?:ERR!|error)|\bpanicked at|Traceback \(most recent|^\*\* \(\w*Error"
    r"|^E  +\w|ELIFECYCLE|(?:make|gmake)(?:\[\d+\])?: \*\*\* |would (?:be )?reformat"
    r"|warnings were emitted|is not formatted|\[rejected\]|validation failed|has (?:\d+ )?(?:errors|issues)",
    re.IGNORECASE | re.MULTILINE,
)
_OF_FAILURES: Final = (
    "fail", "err", "problem", "offense", "violation", "issue", "suggestion", "could not", "panicked", "traceback",
    "e  ", "elifecycle", "***", "reformat", "warnings were", "formatted", "rejected",
)  # fmt: skip
"""In small letters: one of these is in each line of failure, and looking for them first takes a fourth of the time."""
_EXITED: Final = re.compile(r"\bexit(?:ed with)?(?: code| status)?:? [1-9]\d*\b", re.IGNORECASE)
_LAST_LINES: Final = 6
"""Lines at the end of a result: an exit status in these is that of the command itself."""
_PUSHED: Final = re.compile(
    r"^[ \t]*[*+]?[ \t]*(?:\S+\.\.\S+|\[new (?:branch|tag)\])\s+\S+ -> \S+|^Everything up-to-date", re.MULTILINE
)
_COMPILERS: Final = frozenset(
    {"go build", "go vet", "cargo build", "cargo check", "tsc", "gradle compile", "mix compile"}
)
"""Kinds of checks that print only what is wrong: no output means success, even if the output was cut."""
_AMBIGUOUS_FAILURE: Final = re.compile(r"^(?:error(?:\[E\d+\])?: |E  +\w|Traceback)|panicked at", re.IGNORECASE)
"""A line of failure that passing tests may print too: it counts only if no line of success follows."""
_MISUSED_COMMAND: Final = re.compile(
    r"unexpected argument|unrecognized (?:argument|option)|unknown (?:option|flag|argument|command)"
    r"|no such (?:option|command)|not a recognized|usage: |missing script|is not supported by the following"
    r"|No such file or directory|could not determine executable",
    re.IGNORECASE,
)
"""A line that says that the command was wrong, so that nothing was checked."""

_PASSED_TEST: Final = re.compile(r"^\s*(?:✓|✔|√|PASS\b|ok \d)|(?:\bPASSED|\.\.\. ok)\s*(?:\[|$)")
"""The line of a test that passed, whose title may speak of errors."""
_LONGEST_RESULT: Final = 60_000
"""Characters at the end of a result that are read."""
_LONGEST_LINE: Final = 400
"""Characters of a line that are read: the time of some patterns grows with the square of the length."""
_NEVER_STALE: Final = frozenset({"commit", "push", "openspec", "actionlint", "markdownlint", "yamllint"})
"""Names of checks that edits do not make stale, because they say nothing about code."""
_CHECKED_ENDINGS: Final[dict[str, tuple[str, ...]]] = {
    "credo": (".ex", ".exs"),
    "ruff": (".py", ".pyi"), "mypy": (".py", ".pyi"), "pyright": (".py", ".pyi"),
    "eslint": (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte"), "tsc": (".ts", ".tsx", ".mts", ".cts"),
    "clippy": (".rs",), "gofmt": (".go",), "rubocop": (".rb",), "shellcheck": (".sh", ".bash"),
}  # fmt: skip
"""The endings of the files that a check reads: edits of other files do not make it stale."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check with the outcome of its last run."""

    command: str
    """The command as it was typed, with its options, without pipes."""
    names: frozenset[str]
    """The words by which a summary may name it, see `names_of_check`."""
    outcome: Outcome
    outcome_line: str
    """The line of its result that tells the outcome; empty if there is none."""
    line: int
    turn: Turn
    edited_after: tuple[str, ...] = ()
    """The files that were edited after it, as the agent wrote their paths; none for a commit."""


def last_checks(turns: Sequence[Turn], texts: SessionTexts | None = None) -> list[Check]:
    """The checks that turns ran, each at its last run, in the order of these runs. The turns must have their blocks."""
    texts = texts or SessionTexts()
    last: dict[str, Check] = {}
    # A fork repeats turn numbers of the session before it, so calls are paired by the place of their turn in the list.
    for found in paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)]):
        call, turn = texts.call(found), turns[found.turn]
        if call.interrupted or call.result is None:
            continue
        edited = [edit.path for edit in call.edits if call.family != "shell" and not is_document(edit.path)]
        if edited and not call.is_error:
            last = {kind: _with_edits(check, edited) for kind, check in last.items()}
        commands = list(checks_of(call.programs))
        if commands and not (call.is_error and is_agent_error(call.result.text)):
            again = {id(last[kind]) for kind in map(kind_of_check, commands) if kind in last}
            last = {kind: check for kind, check in last.items() if id(check) not in again}
            for check, kinds in _checks(call, turn, commands, texts):
                last |= dict.fromkeys(kinds, check)
    return list({id(check): check for check in last.values()}.values())


def _with_edits(check: Check, paths: Sequence[str]) -> Check:
    if not check.names.isdisjoint(_NEVER_STALE):
        return check
    endings = next((_CHECKED_ENDINGS[name] for name in sorted(check.names) if name in _CHECKED_ENDINGS), None)
    paths = [path for path in paths if endings is None or path.endswith(endings)]
    return replace(check, edited_after=tuple(dict.fromkeys((*check.edited_after, *paths))))


def _checks(
    call: ToolCall, turn: Turn, commands: Sequence[Sequence[str]], texts: SessionTexts
) -> Iterator[tuple[Check, list[str]]]:
    """The checks of one call, each with its kinds.

    If one of several failed, it is not known which: they are one check, without names by which a summary could mean it.
    """
    outcome, outcome_line = texts.result_of(outcome_of, call)
    line = call.result.line if call.result else 0
    kinds = list(map(kind_of_check, commands))
    if outcome == "failed" and len(commands) > 1:
        yield Check(" && ".join(map(" ".join, commands)), frozenset(), outcome, outcome_line, line, turn), kinds
        return
    for command, kind in zip(commands, kinds, strict=True):
        names = frozenset(names_of_check(command))
        yield (
            Check(" ".join(command), names, outcome, outcome_line if command is commands[-1] else "", line, turn),
            [kind],
        )


def outcome_of(call: ToolCall) -> tuple[Outcome, str]:
    """The outcome of a call, and the line of its result that tells it."""
    result = call.result.text.replace("\\n", "\n")[-_LONGEST_RESULT:] if call.result else ""
    lines = [line[:_LONGEST_LINE] for line in plain(result).split("\n")]
    telling = [line for line in lines if not _PASSED_TEST.search(line) and not COMMIT_LINE.match(line)]
    text = "\n".join(telling)
    failed = _last_line(_FAILED, "\n".join(filter(_may_tell_failure, telling)))
    passed = _last_line(_PASSED, "\n".join(lines))
    kinds = set(map(kind_of_check, checks_of(call.programs)))
    exited = _last_line(_EXITED, "\n".join(telling[-_LAST_LINES:]))
    if call.is_error or call.exit_code:
        line = _telling_line(failed, text) or exited
        is_misused = _MISUSED_COMMAND.search(line) or "command not found" in text
        return ("unknown" if is_misused else "failed"), line
    if kinds == {"git push"} and _PUSHED.search(text) and "[rejected]" not in text:
        return "passed", ""
    if failed and passed and _AMBIGUOUS_FAILURE.search(failed) and _is_after(passed, failed, lines):
        return "passed", passed
    if failed or exited:
        return "failed", _telling_line(failed, text) if failed else exited
    is_cut = any(simple.piped for simple in simple_commands(call.command)) and not kinds <= _COMPILERS
    return ("passed" if passed or not text.strip() or not is_cut else "unknown"), passed


def _may_tell_failure(line: str) -> bool:
    small = line.lower()
    return any(word in small for word in _OF_FAILURES)


def _telling_line(failed: str, text: str) -> str:
    """The line of a failed result that says most about the failure."""
    return failed if failed and not says_little(failed) else error_line(text) or failed


def _is_after(passed: str, failed: str, lines: Sequence[str]) -> bool:
    stripped = [line.strip() for line in lines]
    return len(stripped) - stripped[::-1].index(passed) > len(stripped) - stripped[::-1].index(failed)


def _last_line(pattern: re.Pattern[str], text: str) -> str:
    """The last line in which a pattern matches, if possible one that says more than `failed`; empty without one."""
    if not pattern.search(text):
        return ""
    last = ""
    for line in reversed(text.split("\n")):
        if pattern.search(line):
            found = line.strip()
            if not says_little(found):
                return found
            last = last or found
    return last
