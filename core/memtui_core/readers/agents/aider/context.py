"""What an entry does not say itself: the model and the format of edits, the tokens of an answer, repeated prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui_core.readers.agents.aider.entries import ANSWER, OUTPUT, PROMPT, TOKENS, Entry, is_command

_VERSION: Final = re.compile(r"Aider v(\S+)")
_MODEL: Final = re.compile(r"(Main model|Model|Editor model): (\S+) with (\S+) edit format\b")
_FOLDER: Final = re.compile(r"(Git|Cur) working dir: (.+)")
_NUMBER: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)(k?) (sent|received|cache hit|cache write)\b")
_NOTHING: Final = "<blank>"
"""What Aider writes if the user typed nothing."""
_ANSWERED_QUESTION: Final = re.compile(r".{1,1000} \(Y\)es/\(N\)o.{0,100} \[[^\]\n]{1,20}\]: \w+")
"""A question that Aider has answered for the user, who had chosen an answer for all such questions."""
_MODES: Final = {"/ask": "ask", "/architect": "architect", "/help": "help", "/context": "context", "/code": "code"}
"""Commands whose argument is a prompt in another mode."""


def add_context(entries: list[Entry]) -> None:
    """Add to each answer its `model`, `format` and `tokens`; mark prompts as `answered`, or as an `echo`."""
    state = _Context()
    for entry in entries:
        if entry["kind"] == PROMPT:
            state.prompt(entry)
        elif entry["kind"] == ANSWER:
            state.answer(entry)
        else:
            state.output(entry)


def version_in(entries: list[Entry]) -> str | None:
    """The version of Aider; None if it did not print it."""
    return next((match[1] for text in _printed(entries) if (match := _VERSION.fullmatch(text))), None)


def folder_in(entries: list[Entry]) -> str:
    """The folder of the repository, or else the one in which Aider was started; empty if it did not print them."""
    found = {match[1]: match[2] for text in _printed(entries) if (match := _FOLDER.fullmatch(text))}
    folder = found.get("Git", "None")
    return folder if folder != "None" else found.get("Cur", "")


class _Context:
    """The state of Aider while the entries are gone through."""

    def __init__(self) -> None:
        self._model: str | None = None
        self._format: str | None = None
        self._editor: tuple[str, str] | None = None
        self._mode: str | None = None
        """The mode of the open command, which differs from that of the session."""
        self._edits = False
        """Whether the editor of the architect's mode answers."""
        self._argument = ""
        """The prompt in the last command, which Aider writes again."""
        self._answer: Entry = {}
        self._prompt: Entry = {}

    def prompt(self, entry: Entry) -> None:
        """A text that the user typed, or one that Aider has handed to itself."""
        text = entry["text"]
        if text == _NOTHING or _ANSWERED_QUESTION.fullmatch(text):
            entry["echo"] = True
            return
        if text == self._argument or (self._answer and _squeezed(text) == _squeezed(self._answer["text"])):
            entry["echo"] = True
            self._edits = bool(self._answer)
            self._argument = ""
            return
        self._prompt = entry
        command, _, argument = text.partition(" ")
        self._mode, self._edits, self._answer = None, False, {}
        self._argument = ""
        if is_command(text) and command in _MODES:
            self._argument, self._mode = argument.strip(), _MODES[command]

    def answer(self, entry: Entry) -> None:
        """An answer of the model, or of the editor's model."""
        self._argument = ""
        entry["model"], entry["format"] = self._model, self._mode or self._format
        if self._edits and self._editor is not None:
            entry["model"], entry["format"] = self._editor
        elif self._edits:
            entry["format"] = None
        self._answer = entry
        self._prompt["answered"] = True

    def output(self, entry: Entry) -> None:
        """What Aider printed."""
        for text in entry["texts"]:
            if match := _MODEL.match(text):
                if match[1] == "Editor model":
                    self._editor = (match[2], match[3])
                else:
                    self._model, self._format = match[2], match[3]
            elif text.startswith(TOKENS) and self._answer and "tokens" not in self._answer:
                self._answer["tokens"] = _tokens(text)


def _tokens(text: str) -> dict[str, int]:
    """The numbers of `Tokens: 2.1k sent, 512 received.`, which Aider has rounded."""
    found = {what: round(float(number) * (1000 if unit else 1)) for number, unit, what in _NUMBER.findall(text)}
    return {what.replace(" ", "_"): number for what, number in found.items()}


def _printed(entries: list[Entry]) -> Iterator[str]:
    for entry in entries:
        if entry["kind"] == OUTPUT:
            yield from entry["texts"]


def _squeezed(text: str) -> str:
    return " ".join(text.split())
