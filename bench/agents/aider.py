"""What the chat histories of Aider contain, with edits as blocks or as diffs in fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "aider"
REASONS = {
    "*:line | aider chat started at *": "the date of the session",
    "*:line | Running *": "a command is shown as a tool call",
    "*:line | * SEARCH/REPLACE block* failed to match!": "the result of a failed edit is its own section",
}
_SESSION = re.compile(r"^# aider chat started at [-\d]{10} [:\d]{8}$", re.MULTILINE)
_TOKENS = re.compile(r"^> Tokens: .*$", re.MULTILINE)
_NUMBER = re.compile(r"([\d.]+)([kM]?) (sent|cache write|cache hit|received)")
_EDIT = re.compile(
    r"^(\S+)\n```\w*\n<<<<<<< SEARCH\n.*?^>>>>>>> REPLACE\n```$|^```diff\n--- (\S+)\n.*?\n```$",
    re.MULTILINE | re.DOTALL,
)


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted = no_counts()
    for path in sorted(folder.rglob("*.aider.chat.history.md")):
        for line in _TOKENS.findall(path.read_text("utf-8")):
            numbers = {kind: _number(number, unit) for number, unit, kind in _NUMBER.findall(line)}
            sent = numbers.get("sent", 0) - numbers.get("cache write", 0)
            count_tokens(counted, sent, numbers.get("received", 0))
        for session in _SESSION.split(path.read_text("utf-8"))[1:]:
            blocks = list(_blocks(session.split("\n")))
            for number, (kind, text) in enumerate(blocks):
                if kind == "answer":
                    _count_answer(counted, number, text, "".join(text for _, text in blocks[number + 1 : number + 2]))
                elif kind == "output":
                    # A text with several lines has its mark only before the first one.
                    for place, printed in enumerate(re.split(r"^> ", text, flags=re.MULTILINE)[1:]):
                        if printed.startswith("Running "):
                            count_call(counted, f"{number}.{place}", "shell", ())
                            count_result(counted, f"{number}.{place}", failed=False)
    return counted


def _number(number: str, unit: str) -> int:
    return round(float(number) * {"": 1, "k": 1000, "M": 1_000_000}[unit])


def _count_answer(counted: Counts, number: int, text: str, after: str) -> None:
    start = 0
    for place, edit in enumerate(_EDIT.finditer(text)):
        count_call(counted, f"{number}.{place}", "edit", {"edit"})
        if f"> Applied edit to {edit[1] or edit[2]}  \n" in after or "failed to match" in after:
            failed = f"> Applied edit to {edit[1] or edit[2]}  \n" not in after
            count_result(counted, f"{number}.{place}", failed)
        _count_text(counted, text[start : edit.start()])
        start = edit.end()
    _count_text(counted, text[start:])


def _count_text(counted: Counts, text: str) -> None:
    if text.strip():
        counted["text"][redact(text.strip())] += 1


def _blocks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The kind and the text of each prompt, answer and run of printed lines."""
    kind, text, is_open = "", "", False
    for line in lines:
        if is_open:
            new, is_open = "output", not line.endswith("  ")
        elif line.startswith("#### ") and line.endswith("  "):
            new = "prompt"
        elif line.startswith("> "):
            new, is_open = "output", not line.endswith("  ")
        else:
            new = "answer" if line.strip() or kind == "answer" else "" if kind == "prompt" else kind
        if new != kind and text:
            yield kind, text
            text = ""
        kind, text = new, text + line + "\n" if new else ""
    if text:
        yield kind, text
