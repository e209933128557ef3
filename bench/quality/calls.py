"""Questions that are pasted: messages of commits and titles of pull requests, and errors of commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from bench.quality.names import FEW
from bench.quality.questions import Place, Question
from bench.quality.texts import RARE, Texts
from memtui_core.tools.call import ToolCall
from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.program_effects import GIT_VALUES, from_subcommand

_WORDS = 3
"""Words without which a line tells nothing of one turn."""
_SHORTEST, _LONGEST = 15, 200
"""Characters of a line of output that a person would paste."""
_HERE_DOCUMENT = (
    r"<<-?[ \t]*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)(?P<rest>[^\n]*)\n(?P<body>.*?)\n[ \t]*(?P=end)[ \t]*(?=\n|\Z)"
)
_PRINTED = re.compile(rf'"\$\(cat[ ]{_HERE_DOCUMENT}\s*\)"', re.DOTALL)
_READ = re.compile(rf"(?P<option>-F|--file|--body-file)[ =]-[ \t]*{_HERE_DOCUMENT}", re.DOTALL)
_ESCAPED = re.compile(r"\\([\"`$\\])")
_COMPUTED = re.compile(r"\$[({\w]|`")
_MESSAGE = re.compile(r"-[a-zA-Z]*m|--message|-F|--file")
_TITLE = re.compile(r"-t|--title")
_BODY = re.compile(r"-b|--body|-F|--body-file")
_TELLS = re.compile(
    r"\b(?:\w*error|\w*exception|fatal|failed|failure|panicked|denied|undefined|unknown|unexpected|cannot|can't"
    r"|could not|not found|no such)\b",
    re.IGNORECASE,
)
_STATUS = re.compile(r"exit(?:ed)?(?: with)?(?: non-zero)? (?:code|status)|command (?:failed|exited)", re.IGNORECASE)


def commits(texts: Texts, most: int) -> list[Question]:
    """Messages of commits and pull requests, each by its subject and, if it has a body, whole; their turns answer."""
    turns: dict[str, set[Place]] = {}
    whole: dict[str, str] = {}
    for place, call in texts.calls():
        if _failed(call):
            continue
        for message in messages(call.command):
            subject = message.partition("\n")[0].strip()
            if len(subject.split()) >= _WORDS and not _COMPUTED.search(subject):
                turns.setdefault(subject, set()).add(place)
                whole.setdefault(subject, " ".join(message.split()))
    found = [
        Question("commit", text, frozenset(places))
        for subject, places in turns.items()
        if len({session for session, _ in places}) <= FEW
        for text in dict.fromkeys((subject, whole[subject]))
    ]
    return texts.choose(found, most)


def errors(texts: Texts, most: int) -> list[Question]:
    """The first line of a failed command that tells of the error, if few turns hold it; all that do answer."""
    places: dict[str, Place] = {}
    for place, call in texts.calls():
        if call.family == "shell" and _failed(call) and not call.rejected and call.result is not None:
            line = next(filter(_tells, map(str.strip, call.result.text.splitlines())), None)
            if line is not None:
                places.setdefault(line, place)
    # Some turn out to be common.
    asked = texts.spread(places, lambda line: places[line][0], str, 2 * most)
    held = texts.holding(asked)
    return [Question("tool error", line, frozenset(held[line])) for line in asked if len(held[line]) <= RARE][:most]


def messages(command: str) -> Iterator[str]:
    """The messages of the commits and pull requests that a shell command makes, as git would store them."""
    written = _PRINTED.sub(lambda match: shlex.quote(match["body"]), command)
    written = _READ.sub(lambda match: f"{match['option']} {shlex.quote(match['body'])}{match['rest']}", written)
    for program, *arguments in programs_run(written):
        parts: list[str] = []
        if program == "git":
            subcommand, *options = from_subcommand(arguments, GIT_VALUES) or [""]
            parts = _values(options, _MESSAGE) if subcommand == "commit" else []
        elif program == "gh" and arguments[:2] == ["pr", "create"] and (titles := _values(arguments, _TITLE)):
            parts = [*titles, *_values(arguments, _BODY)]
        if parts:
            yield "\n\n".join(_ESCAPED.sub(r"\1", part).strip() for part in parts)


def _values(arguments: Sequence[str], option: re.Pattern[str]) -> list[str]:
    """The values of an option, in the word after it or after `=`."""
    found: list[str] = []
    for number, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if option.fullmatch(name):
            found += [value] if equals else arguments[number + 1 : number + 2]
    return found


def _failed(call: ToolCall) -> bool:
    return call.is_error or call.exit_code not in (None, 0)


def _tells(line: str) -> bool:
    """Whether a line is one that a person would paste to find an error."""
    return (
        _SHORTEST <= len(line) <= _LONGEST
        and line.isprintable()
        and len(line.split()) >= _WORDS
        and _TELLS.search(line) is not None
        and _STATUS.search(line) is None
    )
