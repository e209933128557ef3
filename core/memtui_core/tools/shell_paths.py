"""The files that a shell command names (docs/spec.md S4.8, S4.9).

Patterns and the arguments of programs that take text are left out, for they hold prose and code.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from memtui_core.text.paths import POSITION, is_known, is_path_like
from memtui_core.tools.shell import LONGEST, tokens, unquoted, without_heredocs

_DEEPEST = 3
"""Shells within shells: `bash -c "bash -c '...'"`."""

_ASSIGNED = re.compile(r"(?:--?[\w-]+|[A-Za-z_]\w*)=")
_SED_SCRIPT = re.compile(r"[sy]([/|#,:@!]).*\1.*\1[A-Za-z0-9]*", re.DOTALL)
_REVISION = re.compile(r"[\w./@{}^~-]*:(.+)", re.DOTALL)
_ABSOLUTE = re.compile(r"/|~|[A-Za-z]:[\\/]")
_RUNS_ARGUMENT = re.compile(r"-[a-z]*c")

_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_TAKE_TEXT = frozenset({"echo", "printf", "alias", "say", "which", "type", "pkill", "pgrep", "killall"})
_TAKE_PATTERN = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "yq", "perl"}
)
_GO_BEFORE = frozenset(
    {"sudo", "env", "time", "nohup", "command", "exec", "xargs", "then", "do", "else", "if", "!", "{"}
)
_PATTERN_FLAGS = frozenset({"-e", "-E", "--regexp", "--expression"})
_TEXT_FLAGS = _PATTERN_FLAGS | {
    *("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-m", "--message", "--title", "--body"),
    *("--include", "--exclude", "--exclude-dir", "-g", "--glob", "--jq"),
}


def paths_in(command: str, known: Container[str] = ()) -> list[str]:
    """The files that a command names, in order, each once; a `cd` leads those that follow it. Never raises.

    `known` holds files whatever their name, as they are given back.
    """
    return list(dict.fromkeys(_Shell(known).run(command)))


class _Shell:
    """Reads commands one after another and knows the folder that `cd` led to; None is a folder that nobody knows."""

    def __init__(self, known: Container[str]) -> None:
        self._known = known
        self._here: str | None = ""
        self._outside: list[str | None] = []
        self._depth = 0

    def run(self, text: str) -> Iterator[str]:
        words: list[str] = []
        targets: list[str] = []
        for kind, token in tokens(without_heredocs(text)[:LONGEST]):
            if kind == "word":
                words.append(token)
            elif kind in {"output", "input"}:
                targets.append(token)
            elif kind == "operator":
                yield from self._command(words, targets)
                words, targets = [], []
                if token == "(":
                    self._outside.append(self._here)
                elif token == ")" and self._outside:
                    self._here = self._outside.pop()
        yield from self._command(words, targets)

    def _command(self, words: list[str], targets: list[str]) -> Iterator[str]:
        """One command and the files that its output goes to or its input comes from."""
        yield from self._words(words)
        for target in targets:
            yield from self._named(target)

    def _words(self, words: list[str]) -> Iterator[str]:
        start = 0
        while start < len(words) and (words[start] in _GO_BEFORE or _ASSIGNED.match(words[start])):
            yield from self._named(words[start])
            start += 1
        if start == len(words):
            return
        program = words[start].rpartition("/")[2]
        arguments = words[start + 1 :]
        if program in {"cd", "pushd"}:
            self._go(arguments)
        elif program in _SHELLS and any(_RUNS_ARGUMENT.fullmatch(word) for word in arguments):
            yield from self._inner(arguments)
        elif program not in _TAKE_TEXT:
            yield from self._named(words[start])
            yield from self._arguments(program, arguments)

    def _arguments(self, program: str, words: list[str]) -> Iterator[str]:
        skips_pattern = program in _TAKE_PATTERN and not any(word in _PATTERN_FLAGS for word in words)
        skips_next = False
        for word in words:
            if skips_next:
                skips_next = False
            elif word.startswith("-") and "=" not in word:
                skips_next = word in _TEXT_FLAGS and not (word == "-E" and skips_pattern)
            elif skips_pattern and not word.isdigit():
                skips_pattern = False
            elif program != "for" or "/" in word:
                # The names that a loop runs over are mostly joined to a folder inside it.
                yield from self._named(word, is_git=program == "git")

    def _inner(self, words: list[str]) -> Iterator[str]:
        if self._depth < _DEEPEST:
            self._depth += 1
            for word in words:
                if not word.startswith("-"):
                    yield from self.run(unquoted(word))
                    break
            self._depth -= 1

    def _go(self, words: list[str]) -> None:
        target = unquoted(next((word for word in words if not word.startswith("-")), "-"))
        if "rev-parse --show-toplevel" in target:
            self._here = ""
        elif target == "-" or "$" in target or "`" in target:
            self._here = None
        else:
            self._here = self._from_here(target)

    def _named(self, word: str, is_git: bool = False) -> Iterator[str]:
        """The file that a word names, if it names one."""
        text = unquoted(word)
        assigned = _ASSIGNED.match(text)
        text = text[assigned.end() :] if assigned is not None else text
        if assigned is not None and text[:1] in {"'", '"'}:
            text = unquoted(text)
        text = POSITION.sub("", text.rstrip(",;:").removeprefix("@"))
        revision = _REVISION.fullmatch(text) if is_git and ":" in text else None
        text = revision[1] if revision is not None else text
        path = self._from_here(text)
        if path is None or _SED_SCRIPT.fullmatch(text):
            return
        if is_path_like(text) or is_known(text, path, self._known):
            yield path

    def _from_here(self, path: str) -> str | None:
        if _ABSOLUTE.match(path) or not self._here:
            return path if self._here is not None or _ABSOLUTE.match(path) else None
        return f"{self._here.rstrip('/')}/{path}"
