"""Whether a program changes something, by its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memtui_core.tools.shell.programs import words

ALWAYS = words(
    """
    rm rmdir unlink mv cp mkdir mkfifo touch ln chmod chown chgrp dd tee truncate kill pkill killall install patch rsync
    scp
    """
)
"""Programs that change something regardless of their arguments."""

_GIT = words(
    """
    commit push pull merge rebase reset checkout switch restore add rm mv cherry-pick revert clean apply am init clone
    fetch bisect
    """
)
GIT_VALUES = words("-C -c --git-dir --work-tree --namespace --exec-path")
"""Options of git before its subcommand that take a value."""
_GIT_PARTS = {
    "worktree": words("add remove move prune repair"),
    "remote": words("add remove rm rename set-url prune update"),
    "submodule": words("add init update deinit sync"),
}
_BRANCH_CHANGES = re.compile(r"-[dDmMcCuf]|--(?:delete|move|copy|set-upstream-to=?.*|unset-upstream|force)")
_LISTS = re.compile(
    r"-(?:[larvn]|vv|n\d+)|--(?:list|all|remotes|verbose|show-current|(?:no-)?contains|(?:no-)?merged|points-at"
    r"|verify|sort|format|column)(?:=.*)?"
)
_INSTALLERS: dict[str, frozenset[str]] = {
    "pip": words("install uninstall download"),
    "uv": words("add remove sync lock pip tool venv init"),
    "poetry": words("add remove install update lock"),
    "npm": words("install i ci add uninstall remove update publish link"),
    "pnpm": words("install i add remove update up publish"),
    "yarn": words("install add remove upgrade publish"),
    "bun": words("install i add remove update"),
    "cargo": words("add install remove uninstall update publish init new"),
    "go": words("get install"),
    "gem": words("install uninstall update"),
    "bundle": words("install add update"),
    "brew": words("install uninstall upgrade update tap"),
    **dict.fromkeys(
        ("apt", "apt-get", "dnf", "yum", "apk"),
        words("install add del remove purge update upgrade autoremove"),
    ),
}
_LOOKS = words("list show freeze tree dir check")
_OPTION_VALUES = words("-C --prefix --dir --cwd --filter -w -F -f -p --context")
_DOCKER = words(
    """
    run rm rmi build pull push stop start restart kill create tag commit cp up down prune load import login
    """
)
_DOCKER_PARTS = words("compose container image volume network system builder buildx")
_GH = words(
    """
    create merge comment close reopen edit review ready checkout delete upload rerun cancel run enable disable set
    clone fork sync lock unlock transfer
    """
)
_MAKE = words("install uninstall clean distclean deploy publish release")
_METHODS = re.compile(r"POST|PUT|DELETE|PATCH", re.IGNORECASE)
_CURL = re.compile(
    r"-[a-zA-Z#]*?(?:[dFTO]|X(?:POST|PUT|DELETE|PATCH)).*|--(?:data.*|json|form.*|upload-file|remote-name(?:-all)?"
    r"|request=(?:POST|PUT|DELETE|PATCH))(?:=.*)?"
)
_CURL_OUTPUT = re.compile(r"-[a-zA-Z#]*?o|--output")
_FIND_RUNS = words("-exec -execdir -ok -okdir")
_UNSAVED = frozenset({"-", "/dev/null"})


def git(arguments: Sequence[str]) -> bool:
    """Whether a git command changes the repository, its working tree, or another one."""
    subcommand, *options = from_subcommand(arguments, GIT_VALUES) or [""]
    if subcommand in _GIT_PARTS:
        return bool(options) and options[0] in _GIT_PARTS[subcommand]
    if subcommand == "stash":
        return options[:1] not in (["list"], ["show"])
    if subcommand in {"tag", "branch"}:
        if any(map(_BRANCH_CHANGES.fullmatch, options)):
            return True
        return bool(options) and not any(map(_LISTS.fullmatch, options))
    return subcommand in _GIT


def is_installer(program: str) -> bool:
    """Whether a program installs packages."""
    return program in _INSTALLERS


def installs(program: str, arguments: Sequence[str]) -> bool:
    """Whether a package manager changes installed packages or the list of dependencies."""
    rest = from_subcommand(arguments, _OPTION_VALUES)
    if not rest:
        # `yarn` without arguments installs.
        return program == "yarn" and not arguments
    if program == "uv" and rest[0] in {"pip", "tool"}:
        return bool(rest[1:]) and rest[1] not in _LOOKS
    return rest[0] in _INSTALLERS[program]


def curl(arguments: Sequence[str]) -> bool:
    """Whether curl sends data or saves the response."""
    for place, word in enumerate(arguments):
        value = arguments[place + 1] if place + 1 < len(arguments) else ""
        if word in {"-X", "--request"} and _METHODS.fullmatch(value):
            return True
        if _CURL_OUTPUT.fullmatch(word):
            if value not in _UNSAVED:
                return True
        elif word.startswith("--output=") or _CURL.fullmatch(word):
            return True
    return False


def wget(arguments: Sequence[str]) -> bool:
    """Whether wget saves the response, which it does unless an option makes it print the response."""
    text = " ".join(arguments)
    prints = re.search(r"(?:^| )(?:-[a-zA-Z]*O ?|--output-document[= ])(?:-|/dev/null|/dev/stdout)(?: |$)", text)
    return prints is None and not {"--spider", "--version", "--help"} & set(arguments)


def docker(arguments: Sequence[str]) -> bool:
    """Whether docker starts, stops, creates or removes something."""
    rest = from_subcommand(arguments, _OPTION_VALUES)
    if rest and rest[0] in _DOCKER_PARTS:
        rest = from_subcommand(rest[1:], _OPTION_VALUES)
    return bool(rest) and rest[0] in _DOCKER


def gh(arguments: Sequence[str]) -> bool:
    """Whether the command line tool of GitHub changes something on GitHub or in the repository."""
    if arguments[:1] == ["api"]:
        sends = {"-f", "-F", "--field", "--raw-field", "--input"} & set(arguments)
        return bool(sends) or any(map(_METHODS.fullmatch, arguments))
    return len(arguments) > 1 and arguments[1] in _GH


def make(arguments: Sequence[str]) -> bool:
    """Whether a target changes something outside the build."""
    return not _MAKE.isdisjoint(arguments)


def find_acts(arguments: Sequence[str], does: Callable[[Sequence[str]], bool]) -> bool:
    """Whether find deletes files, or runs a command that changes something."""
    if "-delete" in arguments:
        return True
    runs: list[list[str]] = []
    inside = False
    for word in arguments:
        if word in _FIND_RUNS:
            runs.append([])
            inside = True
        elif word in {";", "+"}:
            inside = False
        elif inside:
            runs[-1].append(word)
    return any(map(does, runs))


def from_subcommand(arguments: Sequence[str], with_value: frozenset[str]) -> list[str]:
    """The arguments from the first one that is not an option."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] in with_value else 1
    return list(arguments[place:])
