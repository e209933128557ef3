"""The files that a shell command names, shows and writes.

Patterns and the arguments of programs that take text are left out, because they contain prose and code.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.text.paths import POSITION, is_known, is_path_like
from memtui_core.tools.shell.commands import DEEPEST, SimpleCommand, program_start, script_of, simple_commands, unquoted
from memtui_core.tools.shell.programs import (
    FORMAT_WITH,
    FORMATTERS,
    GIT_KEEPS_CONTENT,
    GIT_REWRITES,
    KEEPS_CONTENT,
    TAKE_PATTERN,
    TAKE_TEXT,
    VIEWERS,
)

Use = Literal["named", "shown", "written"]

_ASSIGNED = re.compile(r"(?:--?[\w-]+|[A-Za-z_]\w*)=")
_SED_SCRIPT = re.compile(r"[sy]([/|#,:@!]).*\1.*\1[A-Za-z0-9]*", re.DOTALL)
_REVISION = re.compile(r"[\w./@{}^~-]*:(.+)", re.DOTALL)
_ABSOLUTE = re.compile(r"/|~|[A-Za-z]:[\\/]")
_IN_PLACE = {
    "sed": re.compile(r"-[nErsuz]*i.*|--in-place(?:=.*)?"),
    "gsed": re.compile(r"-[nErsuz]*i.*|--in-place(?:=.*)?"),
    "perl": re.compile(r"-[pnlaws0]*i.*"),
}
"""The option with which a program writes the files that it reads."""
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_FIXES = re.compile(r"--(?:fix|write)\b.*")
_PATTERN_FLAGS = frozenset({"-e", "-E", "--regexp", "--expression"})
_TEXT_FLAGS = _PATTERN_FLAGS | {
    *("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-m", "--message", "--title", "--body"),
    *("--include", "--exclude", "--exclude-dir", "-g", "--glob", "--jq"),
}


@dataclass(frozen=True, slots=True)
class ShellFile:
    """A file in a command; its path is relative to the folder in which the command started."""

    path: str
    use: Use
    """written: by `>`, `>>`, `tee`, `sed -i`, `perl -i` or `apply_patch`; shown: by `cat` and similar programs; named:
    all others."""


@dataclass(frozen=True, slots=True)
class Step:
    """One simple command with its files."""

    words: tuple[str, ...]
    """The words from the program on, without quotes."""
    outputs: tuple[str, ...]
    """The targets of its output, including those that are not files."""
    files: tuple[ShellFile, ...]

    @property
    def keeps_content(self) -> bool:
        """Whether it certainly changes the content of no file."""
        if any(target not in NOWHERE for target in self.outputs):
            return False
        if any("`" in word or "$(" in word or word.startswith("--output") for word in self.words):
            return False
        if self.words[:1] == ("sed",):
            # The command `w` of a sed script writes a file.
            return not writes_in_place("sed", self.words[1:]) and not any("w " in word for word in self.words)
        if self.words[:1] == ("git",):
            return self.words[1:2] != () and self.words[1] in GIT_KEEPS_CONTENT
        return not self.words or self.words[0] in KEEPS_CONTENT

    @property
    def rewrites(self) -> bool:
        """Whether it may change files that it does not name: `git stash pop`, `cargo fmt`."""
        if not self.words or self.files:
            return False
        program, arguments = self.words[0], self.words[1:]
        if program == "git":
            return _git_rewrites(arguments[2:] if arguments[:1] == ("-C",) else arguments)
        if program in FORMATTERS or any(map(_FIXES.fullmatch, arguments)):
            return True
        task = arguments[1:2] if arguments[:1] == ("run",) else arguments[:1]
        return program in FORMAT_WITH and task in {("fmt",), ("format",)}


NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "1", "2"})
"""Targets of a redirection that are not files."""
REWRITES_HINT = "git |fmt|format|black|isort|goimports|pre-commit|--fix|--write"
"""A pattern that matches every command with a step that `rewrites`, and a few others."""


def writes_in_place(program: str, arguments: Sequence[str]) -> bool:
    """Whether `sed` or `perl` writes the files that it reads."""
    option = _IN_PLACE.get(program)
    return option is not None and any(map(option.fullmatch, arguments))


def steps(command: str, known: Container[str] = ()) -> Iterator[Step]:
    """The simple commands of a command with their files; a `cd` applies to the commands after it. Never raises.

    `known` contains paths that are files although their names do not show it.
    """
    yield from _Shell(known).run(command)
    patched = _PATCHED.findall(command) if "*** Begin Patch" in command else []
    if patched:
        yield Step(("apply_patch",), (), tuple(ShellFile(path.strip(), "written") for path in patched))


def files_in(command: str, known: Container[str] = ()) -> list[ShellFile]:
    """The files of a command in order, without duplicates of path and use."""
    return list(dict.fromkeys(file for step in steps(command, known) for file in step.files))


def _git_rewrites(arguments: Sequence[str]) -> bool:
    if not arguments or arguments[0] not in GIT_REWRITES:
        return False
    sub, option = arguments[0], "".join(arguments[1:2])
    if sub == "reset":
        return option in {"--hard", "--merge", "--keep"}
    return (sub, option[:2]) not in {("checkout", "-b"), ("switch", "-c")}


class _Shell:
    """Processes commands in order and tracks the current folder, which `cd` changes; None if it is unknown."""

    def __init__(self, known: Container[str]) -> None:
        self._known = known
        self._folder: str | None = ""
        self._outside: list[str | None] = []
        """The current folders outside of the open parentheses."""
        self._depth = 0

    def run(self, text: str) -> Iterator[Step]:
        for simple in simple_commands(text):
            yield from self._step(simple)
            if simple.end == "(":
                self._outside.append(self._folder)
            elif simple.end == ")" and self._outside:
                self._folder = self._outside.pop()

    def _step(self, simple: SimpleCommand) -> Iterator[Step]:
        words = simple.words
        start = program_start(words)
        program = words[start].rpartition("/")[2] if start < len(words) else ""
        script = script_of(words[start:])
        files = list(self._all_named(simple.raw[:start], "named"))
        if script is not None:
            yield from self._script(script)
        elif program in {"cd", "pushd"}:
            self._change_folder(words[start + 1 :])
        elif program and program not in TAKE_TEXT:
            files += self._all_named(simple.raw[start : start + 1], "named")
            use = _use(program, words[start + 1 :])
            files += [ShellFile(path, use) for path in self._arguments(program, simple.raw[start + 1 :])]
        # Inside [[ ]], > is a comparison.
        files += self._all_named(simple.outputs, "named" if program == "[[" else "written")
        files += self._all_named(simple.inputs, "named")
        yield Step(words[start:], simple.outputs, tuple(files))

    def _all_named(self, words: Sequence[str], use: Use) -> Iterator[ShellFile]:
        for word in words:
            for path in self._named(word):
                yield ShellFile(path, use)

    def _arguments(self, program: str, words: Sequence[str]) -> Iterator[str]:
        skips_pattern = program in TAKE_PATTERN and not any(word in _PATTERN_FLAGS for word in words)
        skips_next = False
        for word in words:
            if skips_next:
                skips_next = False
            elif word.startswith("-") and "=" not in word:
                skips_next = word in _TEXT_FLAGS and not (word == "-E" and skips_pattern)
            elif skips_pattern and not word.isdigit():
                skips_pattern = False
            elif program != "for" or "/" in word:
                # The names in a `for` loop are usually joined to a folder inside the loop.
                yield from self._named(word, is_git=program == "git")

    def _script(self, script: str) -> Iterator[Step]:
        if self._depth < DEEPEST:
            self._depth += 1
            yield from self.run(script)
            self._depth -= 1

    def _change_folder(self, words: Sequence[str]) -> None:
        target = next((word for word in words if not word.startswith("-")), "-")
        if "rev-parse --show-toplevel" in target:
            self._folder = ""
        elif target == "-" or "$" in target or "`" in target:
            self._folder = None
        else:
            self._folder = self._from_folder(target)

    def _named(self, word: str, is_git: bool = False) -> Iterator[str]:
        """The file in a word, if there is one."""
        text = unquoted(word)
        assigned = _ASSIGNED.match(text)
        text = text[assigned.end() :] if assigned is not None else text
        if assigned is not None and text[:1] in {"'", '"'}:
            text = unquoted(text)
        text = POSITION.sub("", text.rstrip(",;:").removeprefix("@"))
        revision = _REVISION.fullmatch(text) if is_git and ":" in text else None
        text = revision[1] if revision is not None else text
        path = self._from_folder(text)
        if path is None or _SED_SCRIPT.fullmatch(text):
            return
        if is_path_like(text) or is_known(text, path, self._known):
            yield path

    def _from_folder(self, path: str) -> str | None:
        if _ABSOLUTE.match(path) or not self._folder:
            return path if self._folder is not None or _ABSOLUTE.match(path) else None
        return self._folder.rstrip("/\\") + "/" + path


def _use(program: str, arguments: Sequence[str]) -> Use:
    """How a program uses the files in its arguments."""
    if program == "tee" or writes_in_place(program, arguments):
        return "written"
    return "shown" if program in VIEWERS or (program == "sed" and "-n" in arguments[:1]) else "named"
