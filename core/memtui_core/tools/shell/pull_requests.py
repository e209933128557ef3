"""What calls of GitHub's `gh`, and commits that git lists, say of pull requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from memtui_core.tools.shell.program_effects import from_subcommand

PrState = Literal["created", "draft", "open", "merged", "closed"]
"""`created`: it was made, and not as a draft; what became of it is not known."""

_URL: Final = re.compile(r"https://[^/\s]+/[^/\s]+/[^/\s]+/pull/(\d{1,9})\b")
_URL_LINE: Final = re.compile(rf"^{_URL.pattern}\s*$", re.MULTILINE)
_DONE: Final = re.compile(
    r"(?P<done>[Mm]erged|Closed|Reopened) pull request \S*?#(?P<number>\d{1,9})(?: \((?P<title>.+)\))?"
    r"|Pull request \S*?#(?P<earlier>\d{1,9}) (?:\(.+\) )?was already merged"
    r"|Pull request \S*?#(?P<ready>\d{1,9}) is marked as \"ready for review\""
)
"""What `gh pr merge`, `close`, `reopen` and `ready` print (cli/cli, `pkg/cmd/pr`)."""
_DONE_STATES: Final[dict[str, PrState]] = {"merged": "merged", "closed": "closed", "reopened": "open"}
_REFUSED: Final = re.compile(
    r"(?i)\b(?:error|failed|cannot|can't|could not|not mergeable|already exists|no pull requests|background)\b"
)
"""What speaks against a call that ended without an error: a later program may have succeeded, or it goes on."""
_FIELD: Final = re.compile(r"^(title|state|number|url):\t(.*)$", re.MULTILINE)
"""A line of `gh pr view` without a terminal."""
_LISTED: Final = re.compile(r"^(\d{1,9})\t([^\t\n]+)\t[^\t\n]+\t(OPEN|DRAFT|MERGED|CLOSED)\b", re.MULTILINE)
"""A line of `gh pr list` without a terminal: number, title, branch, state."""
_FORMATTED: Final = re.compile(r"^#?(\d{1,9})[\t ]+(OPEN|MERGED|CLOSED)\b", re.MULTILINE)
"""A line that an expression of `--jq` made of number and state."""
_MERGE: Final = re.compile(r"Merge pull request #(\d{1,9}) from [^/\s]+/(\S+)(?:\n\s*\n {4}(\S.*))?")
_SQUASHED: Final = re.compile(
    r"^(?:[0-9a-f]{7,40} (?:\([^()\n]*\) )?| {4}|HEAD is now at [0-9a-f]{7,40} )(\S.*?) \(#(\d{1,9})\)$", re.MULTILINE
)
"""A commit that GitHub made by squashing, in a log or as the new HEAD."""
_EXPANDED: Final = re.compile(r"[$`]")


@dataclass(frozen=True, slots=True)
class PrFact:
    """What the output of one call says of a pull request."""

    number: int
    url: str = ""
    """Its address; empty if the output does not have it."""
    title: str = ""
    state: PrState | None = None
    may_be_draft: bool = False
    """Whether it is called open by a call that does not tell drafts apart."""
    is_commit: bool = False
    """Whether a commit names the number: it is of the pull request if its title or its branch is the same."""
    branch: str = ""
    """The branch that a merge commit names."""
    repository: str = ""
    """The repository that the command names; empty if it is that of the folder."""
    is_new: bool = False
    """Whether the call made the pull request."""


def pr_facts(programs: Sequence[Sequence[str]], output: str, *, failed: bool) -> Iterator[PrFact]:
    """What a shell command and its output say, in order; `programs` are the words of those that it ran."""
    asked = [words for words in programs if words[0] == "gh"]
    repositories = {_repository(words) for words in asked}
    if len(repositories) > 1:
        # Which of them an output is about is not certain.
        return
    calls = [call for words in asked if (call := _pr_call(words)) is not None]
    is_alone = len(asked) == 1
    for fact in _gh_facts(calls, output, failed=failed, is_alone=is_alone, is_last=programs[-1:] == asked[-1:]):
        yield replace(fact, repository=next(iter(repositories), ""))
    if any(words[0] == "git" for words in programs):
        for match in _MERGE.finditer(output):
            yield PrFact(int(match[1]), title=match[3] or "", state="merged", is_commit=True, branch=match[2])
        for match in _SQUASHED.finditer(output):
            yield PrFact(int(match[2]), title=match[1], state="merged", is_commit=True)


def named_requests(programs: Sequence[Sequence[str]]) -> Iterator[tuple[int, str]]:
    """The number of each pull request that a call of `gh pr` names, and its repository; empty if that of the folder."""
    for words in programs:
        call = _pr_call(words) if words[0] == "gh" else None
        if call is not None and (number := _named(call[1])):
            address = _URL.match(call[1][0])
            yield number, "/".join(address[0].split("/")[3:5]) if address is not None else _repository(words)


def _pr_call(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """The verb of a call of `gh pr`, and what follows it; None for another command of `gh`."""
    arguments = from_subcommand(words[1:], frozenset({"-R", "--repo"}))
    return (arguments[1], arguments[2:]) if arguments[:1] == ["pr"] and len(arguments) > 1 else None


def _gh_facts(
    calls: Sequence[tuple[str, list[str]]], output: str, *, failed: bool, is_alone: bool, is_last: bool
) -> Iterator[PrFact]:
    """What calls of `gh pr`, each with its verb, say; whether there is no other one of `gh`, and no program later."""
    verbs = {verb for verb, _ in calls}
    if not failed:
        yield from _created([arguments for verb, arguments in calls if verb == "create"], output)
        yield from _edited([arguments for verb, arguments in calls if verb == "edit"], output)
        if is_last and calls and calls[-1][0] == "merge":
            yield from _merged(calls[-1][1], output)
    if not verbs.isdisjoint({"merge", "close", "reopen", "ready"}):
        yield from _done(output)
    if not verbs.isdisjoint({"view", "list"}):
        yield from _viewed(_named(calls[0][1]) if is_alone and "view" in verbs else 0, output)
        for match in _LISTED.finditer(output):
            yield PrFact(int(match[1]), title=match[2], state=_state(match[3]))
        for match in _FORMATTED.finditer(output):
            yield PrFact(int(match[1]), state=_state(match[2]), may_be_draft=True)


def _created(calls: Sequence[Sequence[str]], output: str) -> Iterator[PrFact]:
    """The address that each `gh pr create` printed; none if it is not clear which."""
    made = list(dict.fromkeys(match[0].strip() for match in _URL_LINE.finditer(output)))
    if len(made) != len(calls) or _REFUSED.search(output):
        return
    for arguments, url in zip(calls, made, strict=True):
        is_draft = not {"--draft", "-d"}.isdisjoint(arguments)
        title, state = _option(arguments, "--title", "-t"), "draft" if is_draft else "created"
        yield PrFact(_number(url), url, title, _state(state), is_new=True)


def _edited(calls: Sequence[Sequence[str]], output: str) -> Iterator[PrFact]:
    made = [match[0].strip() for match in _URL_LINE.finditer(output)]
    for arguments in calls:
        title, number = _option(arguments, "--title", "-t"), _named(arguments)
        url = next((url for url in made if number in {0, _number(url)}), "")
        if title and url:
            yield PrFact(_number(url), url, title)


def _merged(arguments: Sequence[str], output: str) -> Iterator[PrFact]:
    """Of a merge that succeeded, and without a terminal says nothing."""
    number = _named(arguments)
    if number and {"--auto", "--disable-auto", "--help", "-h"}.isdisjoint(arguments) and not _REFUSED.search(output):
        yield PrFact(number, state="merged")


def _done(output: str) -> Iterator[PrFact]:
    for match in _DONE.finditer(output):
        if match["done"]:
            yield PrFact(int(match["number"]), title=match["title"] or "", state=_DONE_STATES[match["done"].lower()])
        elif match["earlier"]:
            yield PrFact(int(match["earlier"]), state="merged")
        else:
            yield PrFact(int(match["ready"]), state="open")


def _viewed(number: int, output: str) -> Iterator[PrFact]:
    """What `--json` printed; else the lines or the single value that `gh pr view` of one pull request printed.

    `number` is that pull request, where the output does not say which; 0 if it is not known.
    """
    for value in _objects(output):
        url, title = _text(value.get("url")), _text(value.get("title"))
        found = value.get("number")
        which = found if isinstance(found, int) else _number(url) or number
        state = _state(_text(value.get("state")), is_draft=value.get("isDraft") is True)
        if which and (state or title):
            yield PrFact(which, url if _number(url) else "", title, state, may_be_draft="isDraft" not in value)
    fields = dict(_FIELD.findall(output))
    which = int(fields["number"]) if fields.get("number", "").isdecimal() else number
    if which and "title" in fields and "state" in fields:
        yield PrFact(which, title=fields["title"], state=_state(fields["state"]))
    if number and (state := _state(output.strip())) is not None:
        yield PrFact(number, state=state, may_be_draft=True)


def _objects(output: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects at the beginning of lines, also those in lists."""
    decoder = json.JSONDecoder()
    at = 0
    while match := _OPENING.search(output, at):
        try:
            value, at = decoder.raw_decode(output, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict))


_OPENING: Final = re.compile(r"^[{\[]", re.MULTILINE)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _state(written: str, *, is_draft: bool = False) -> PrState | None:
    name = written.lower()
    if is_draft and name == "open":
        return "draft"
    return next((state for state in get_args(PrState) if state == name), None)


def _option(arguments: Sequence[str], *names: str) -> str:
    """The value of an option; empty if it is not given, or if the shell put something into it."""
    for index, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if name in names:
            text = value if equals else "".join(arguments[index + 1 : index + 2])
            return "" if _EXPANDED.search(text) else text
    return ""


def _repository(words: Sequence[str]) -> str:
    """The repository of the option `-R`, without its host; a mark of the shell if that is put in by the shell."""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in {"-R", "--repo"}:
            given = value if equals else "".join(words[index + 1 : index + 2])
            return "/".join(given.split("/")[-2:])
    return ""


def _named(arguments: Sequence[str]) -> int:
    """The number of the pull request that the arguments begin with; 0 if they name none."""
    first = arguments[0] if arguments else ""
    return int(first.removeprefix("#")) if first.removeprefix("#").isdecimal() else _number(first)


def _number(url: str) -> int:
    match = _URL.match(url)
    return int(match[1]) if match else 0
