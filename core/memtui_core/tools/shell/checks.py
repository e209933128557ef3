"""Which commands are checks: builds, tests, linters, type checks and commits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from memtui_core.tools.shell.commands import programs_run

_CHECKING_PROGRAMS: Final = frozenset(
    """
    pytest py.test tox nox mypy pyright basedpyright ty flake8 pylint bandit jest vitest mocha ava tsc tsgo eslint
    oxlint stylelint playwright cypress golangci-lint staticcheck rspec rubocop phpunit phpstan psalm pest ctest ninja
    shellcheck actionlint yamllint hadolint markdownlint luacheck busted credo ktlint detekt swiftlint checkstyle
    clang-tidy cppcheck tflint trivy ansible-lint nextest minitest xcodebuild
    """.split()  # noqa: SIM905
)
"""Programs that check something, whatever their arguments are."""
_JAVASCRIPT: Final = "test t lint build typecheck type-check check tsc ci e2e verify"
_RUNNERS: Final = "test tests check lint build all ci verify typecheck spec compile"
_JVM: Final = "test build check verify package compile assemble lint"
_VERBS: Final[dict[str, str]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "deno"), _JAVASCRIPT),
    **dict.fromkeys(("make", "gmake", "just", "task", "rake", "mise"), _RUNNERS),
    **dict.fromkeys(("gradle", "gradlew", "mvn", "mvnw", "sbt", "bazel", "pants", "buck2"), _JVM),
    **dict.fromkeys(("dotnet", "swift", "stack", "cabal", "zig"), "test build"),
    **dict.fromkeys(("docker", "podman"), "build"),
    "cargo": "test build check clippy nextest doc fmt",
    "go": "test build vet",
    "mix": "test compile credo dialyzer format precommit",
    "ruff": "check format",
    "black": "--check",
    "isort": "--check --check-only",
    "prettier": "--check -c",
    "biome": "check lint ci",
    "gofmt": "-l",
    "terraform": "validate plan",
    "cue": "vet",
    "openspec": "validate",
    "helm": "lint",
    "pre-commit": "run",
    "lefthook": "run",
    "cmake": "--build",
    "flutter": "test analyze build",
    "dart": "test analyze",
    "composer": "test",
    "git": "commit push",
    "nix": "flake build",
    "elm": "make",
    "lein": "test",
    "rails": "test",
    "bash": "-n",
    "node": "--check --test",
}
"""Programs that check something if one of these words or options comes first."""
_MODULES: Final = frozenset({"unittest", "build", "compileall"})
"""Modules that check something if `python -m` runs them."""
_FORMATTERS: Final = frozenset({"ruff", "mix", "cargo"})
"""Programs that rewrite files with `format` and `fmt`, unless an option says that they only check."""
_ONLY_CHECKS: Final = frozenset({"--check", "--check-formatted", "--dry-run"})
_RUN_WORDS: Final = frozenset({"run", "exec"})
"""Words between a program and the word that makes it a check: `npm run test`."""
_NO_NAMES: Final = frozenset("git run exec npm pnpm yarn bun make gmake just go mix check bash python docker m".split())  # noqa: SIM905
"""Words of commands by which nobody names a check."""
_SYNONYMS: Final = (
    ("test t spec pytest jest vitest rspec unittest ctest nextest", "test tests suite"),
    ("lint eslint ruff clippy credo rubocop pylint flake", "lint linter"),
    ("tsc mypy pyright typecheck", "typecheck types"),
    ("build compile", "build builds compile compiles compilation"),
)
"""Words of commands, and the words by which a summary may name checks that have them."""
GENERIC_NAMES: Final = frozenset(name for _, others in _SYNONYMS for name in others.split())
"""Words that may mean any check of a kind: `tests`, `the build`."""
_LONGEST_WORD: Final = 60
_DOCUMENTS: Final = (".md", ".txt", ".rst")
"""Endings of the names of files that are written for people."""
_NO_DOCUMENT: Final = re.compile(r"cmakelists\.txt|.*(?:requirements|constraints).*\.txt")
"""Names of text files that programs read."""


def checks_in(command: str) -> Iterator[list[str]]:
    """The words of each check that a command runs, in order, also if its output is piped to other programs."""
    yield from checks_of(programs_run(command))


def checks_of(programs: Iterable[list[str]]) -> Iterator[list[str]]:
    """The words of each check among the programs of a command, see `checks_in`."""
    for words in programs:
        if _is_check(words):
            yield [word if len(word) < _LONGEST_WORD and "\n" not in word else "…" for word in words]


def kind_of_check(words: Sequence[str]) -> str:
    """The program and its subcommand, which is the same for all runs: `mix test`, whatever the tests are limited to."""
    own = _own_words(words)
    program = own[0].rpartition("/")[2]
    return f"{program} {_verb(own)}" if program in _VERBS else program


def names_of_check(words: Sequence[str]) -> set[str]:
    """The words by which a summary names a check: `credo`, `tests`, `linter`."""
    own_words = _own_words(words)
    verb = _verb(own_words).partition(":")[0].lstrip("-")
    own = {own_words[0].rpartition("/")[2].lower(), *([verb] if len(verb) > 1 else [])}
    named = {word for word in own if word.isalpha()} - _NO_NAMES
    for words_of_commands, others in _SYNONYMS:
        if own & set(words_of_commands.split()):
            named.update(others.split())
    return named


def is_document(path: str) -> bool:
    """Whether a file is a text for people, so that an edit of it makes no check fail or stale."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return name.endswith(_DOCUMENTS) and not _NO_DOCUMENT.fullmatch(name)


def _is_check(words: Sequence[str]) -> bool:
    own = _own_words(words)
    program = own[0].rpartition("/")[2]
    if {"--version", "--help"} & set(own[1:]):
        return False
    if program in _CHECKING_PROGRAMS or (own is not words and program in _MODULES):
        return True
    if program in _FORMATTERS and _verb(own) in {"format", "fmt"}:
        return bool(_ONLY_CHECKS & set(own))
    return program in _VERBS and bool(_verb(own))


def _own_words(words: Sequence[str]) -> Sequence[str]:
    """The words of a command without what only starts the check: of `python -m pytest`, those from `pytest` on."""
    is_module = words[0].rpartition("/")[2].startswith("python") and words[1:2] == ["-m"] and len(words) > 2
    return words[2:] if is_module else words


def _verb(words: Sequence[str]) -> str:
    """The subcommand or the option that makes a command a check; empty if there is none."""
    verbs = _VERBS.get(words[0].rpartition("/")[2], _RUNNERS).split()
    before = ""
    for word in words[1:]:
        if word in verbs or word.partition(":")[0] in verbs:
            return word
        if word.startswith("+"):
            # `cargo +nightly test`
            continue
        is_value = before.startswith("-") and "=" not in before
        if not (word in _RUN_WORDS or word.startswith("-") or is_value):
            break
        before = word
    return ""
