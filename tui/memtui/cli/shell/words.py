"""The words of a line of bash, and how a text is written in one; zsh and fish do both themselves."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NamedTuple

    class WordAt(NamedTuple):
        """The word at the end of a line."""

        text: str
        """Without quotes."""
        kept: int
        """Characters of the text that bash leaves as they are: it replaces what follows."""
        quote: str
        """The quote in which the line ends; empty for none."""
else:
    from collections import namedtuple

    WordAt = namedtuple("WordAt", ("text", "kept", "quote"))

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^")
"""Characters that mean nothing to bash, wherever they stand in a word; all that are not ASCII do not either."""
_ESCAPED_IN_QUOTES: Final = '"\\$`'


def bash_line(line: str, breaks: str) -> tuple[list[str], WordAt]:
    """The words of a line without quotes, and the one at its end.

    `breaks` are the characters of COMP_WORDBREAKS: bash completes only what follows the last of them in a word.
    """
    words: list[str] = []
    word, kept, quote, is_word, is_escaped = "", 0, "", False, False
    for character in line:
        if is_escaped:
            # In double quotes a backslash stands for itself before most characters.
            word += character if not quote or character in _ESCAPED_IN_QUOTES else f"\\{character}"
            is_escaped = False
        elif character == "\\" and quote != "'":
            is_escaped = is_word = True
        elif quote:
            if character == quote:
                quote = ""
            else:
                word += character
        elif character in "\"'":
            quote, is_word, kept = character, True, len(word)
        elif character.isspace():
            if is_word:
                words.append(word)
            word, kept, is_word = "", 0, False
        else:
            word, is_word = word + character, True
            if character in breaks:
                kept = len(word)
    return words, WordAt(word, kept, quote)


def bash_quoted(text: str, quote: str) -> str | None:
    """A text as bash reads it back, after an open quote or none; None if it cannot be written there.

    Nothing in it is expanded: no variable, no command, no pattern, nothing from the history.
    """
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        return None
    if quote == "'":
        return None if "'" in text else text
    if quote:
        # In double quotes the history is expanded, and a backslash before `!` stays.
        return None if "!" in text else "".join(f"\\{c}" if c in _ESCAPED_IN_QUOTES else c for c in text)
    return "".join(character if character in _PLAIN or ord(character) > 127 else f"\\{character}" for character in text)
