"""Finding what is private in the texts of a session: first what there is, then everywhere in every form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from html import unescape
from typing import Any, Final

from memtui_core.export.redacted.known_values import KnownValue, KnownValues
from memtui_core.export.redacted.own_names import OwnNames
from memtui_core.export.redacted.patterns import HOME, HOST, NAME, NO_NAMES, USER, homes_in, pattern_spans
from memtui_core.export.redacted.spans import PrivateKind, PrivateSpan, secret_spans, separate
from memtui_core.readers.registry import all_readers
from memtui_core.text.redaction import redact

WORD: Final = "[redacted]"
"""What takes the place of a word that the user gave."""
_LEAST_SECRET: Final = 8
"""Characters of a secret that is looked for where no rule finds it, too."""
_LEAST_NAME: Final = 3
_ENTITY: Final = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|commat|period|lowbar|colon|sol|hyphen|dash);")
"""What Markdown and HTML show as another character."""
_PAGE: Final = "<!doctype html>"
_TAG: Final = re.compile("<[^>]*>")
_LINK: Final = re.compile('href="([^"]*)"')
_LOGIN: Final = re.compile(r"(?:\d+\+)?([\w-]+)@users\.noreply\.github\.com\Z")
"""An address of GitHub that tells the name of an account there."""
_LEARNED: Final = frozenset({"secret", "e-mail", "name"})
_CERTAIN: Final[frozenset[PrivateKind]] = frozenset({"secret", "e-mail", "home"})
"""Kinds of which no value can be in a document by accident."""


class Redactor:
    """Knows what is private once it has seen all texts, and finds it in each of them."""

    def __init__(
        self, own: OwnNames, folders: Iterable[str], words: Iterable[str], kept: Iterable[str], *, paths: bool
    ):
        """`folders` are those of the session, `words` what the user gave, `kept` what is not private after all."""
        self._paths = not paths
        self._kept = {each.lower() for each in kept if each}
        longest_first = sorted(self._kept, key=len, reverse=True)
        self._keeps = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE) if self._kept else None
        self._values: dict[str, KnownValue] = {}
        self._known: KnownValues | None = None
        self._spans: dict[str, list[PrivateSpan]] = {}
        for word in filter(None, words):
            self._add(word, "word", WORD, is_word=False)
        homes = dict.fromkeys(filter(None, (_home(own.home), *(home for each in folders for home in homes_in(each)))))
        users = {own.user, *(re.split(r"[/\\]", home)[-1] for home in homes)}
        for home in homes:
            self._add(home, "home", HOME)
        for user in users:
            self._add_name(user, "user", USER)
        for host in (own.host, own.host.partition(".")[0]):
            self._add_name(host, "host", HOST)
        if " " in own.name:
            self._add(own.name, "name", NAME)

    def add_host(self, host: str) -> None:
        """The session ran on a machine of this name."""
        self._add_name(host, "host", HOST)

    def learn(self, text: str) -> None:
        """Note what a text tells, so that it is found in other texts, too."""
        for span in self._own_spans(text):
            value = text[span.start : span.end]
            if span.kind == "secret" and len(value) < _LEAST_SECRET:
                continue
            if span.kind in _LEARNED and "\n" not in value:
                self._add(value, span.kind, span.replacement)
            if span.kind == "e-mail" and (login := _LOGIN.match(value)):
                self._add_name(login[1], "user", USER)
        self._known = None

    def shown(self, text: str) -> str:
        """The text, with entities as the characters that they stand for if they hide something private."""
        if "&" not in text or not _ENTITY.search(text):
            return text
        decoded = _ENTITY.sub(lambda match: unescape(match[0]), text)
        return decoded if len(self._own_spans(decoded)) > len(self._own_spans(text)) else text

    def spans(self, text: str) -> list[PrivateSpan]:
        """What is private in a text, in order."""
        if self._known is None:
            self._known = KnownValues(self._values.values())
        found = separate((*self._own_spans(text), *self._known.spans(text)))
        if self._keeps is None or not found:
            return found
        kept = [match.span() for match in self._keeps.finditer(text)]
        return [span for span in found if not any(start <= span.start and span.end <= end for start, end in kept)]

    def certain_leftovers(self, document: str) -> list[str]:
        """The secrets, addresses and home folders that a document still has."""
        texts = [document]
        if document.startswith(_PAGE):
            texts = [unescape(_TAG.sub("", document)), *map(unescape, _LINK.findall(document))]
        found = ((text, span) for text in texts for span in self.spans(text))
        return [text[span.start : span.end] for text, span in found if span.kind in _CERTAIN]

    def _own_spans(self, text: str) -> list[PrivateSpan]:
        """What the rules for secrets and the patterns find."""
        spans = self._spans.get(text)
        if spans is None:
            spans = [*secret_spans(text, redact(text)), *pattern_spans(text, paths=self._paths)]
            self._spans[text] = spans
        return spans

    def _add_name(self, text: str, kind: PrivateKind, replacement: str) -> None:
        if len(text) >= _LEAST_NAME and text.lower() not in NO_NAMES | _names_of_agents() and not text.isdigit():
            self._add(text, kind, replacement)

    def _add(self, text: str, kind: PrivateKind, replacement: str, *, is_word: bool = True) -> None:
        if text.lower() not in self._kept:
            self._values.setdefault(text, KnownValue(text, kind, replacement, is_word))


def mapped(value: Any, change: Any) -> Any:
    """A JSON value with every text in it changed, the names of fields, too; a list of lines is changed as one text."""
    if isinstance(value, str):
        return change(value)
    if _is_lines(value):
        return change("\n".join(value)).split("\n")
    if isinstance(value, list):
        return [mapped(each, change) for each in value]
    if isinstance(value, dict):
        return {change(name): mapped(each, change) for name, each in value.items()}
    return value


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, see `mapped`."""
    if isinstance(value, str):
        yield value
    elif _is_lines(value):
        yield "\n".join(value)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from texts_in(each)


@cache
def _names_of_agents() -> frozenset[str]:
    """What accounts are called that were made for an agent."""
    return frozenset(word for reader in all_readers() for word in reader.agent.split("-"))


def _is_lines(value: Any) -> bool:
    """Whether a value is a list of lines, as a patch has them."""
    is_list = isinstance(value, list) and len(value) > 1
    return is_list and all(isinstance(each, str) and not {"\n", "\r"} & set(each) for each in value)


def _home(folder: str) -> str:
    """A home folder, unless it is that of the system's own user, which says nothing."""
    names: Collection[str] = [name for name in re.split(r"[/\\]", folder) if name]
    return folder if len(names) > 1 else ""
