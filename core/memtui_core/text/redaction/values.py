"""What the value of a secret looks like: random text, or a password, rather than a word, a name or a placeholder."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Final


def words(text: str) -> tuple[str, ...]:
    """The words of a list."""
    return tuple(text.split())


_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SHA_OR_UUID = re.compile(
    r"(?:sha\d+[:-])?(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
)
_TEMPLATE = re.compile(r"\[redacted:|[$%][{(]|\{|[<\[]|\*\*|\.\.\.|…|xxx|XXX")
"""What a value contains that is made from others, or that is to be filled in."""
_REFERENCE = re.compile(r"[$%#@][A-Za-z_]|[$%]\d|[*.•xX_-]+$")
"""What a value begins with that names a variable, and what a value is that hides another one."""
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+")
_PATH = re.compile(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\](?:[^/\\]*[/\\])*[a-z]{3,}(?:[/\\._-]|$)")
_WORDS = re.compile(r"[A-Za-z]+")
_SPECIAL = re.compile(r"[!@#$%^&*+?~]")
_CHARACTERS = re.compile(r"[A-Za-z0-9+/_.~:%!@#^*=-]+")
_LONGEST_PASSWORD: Final = 128
_PLACEHOLDER_WORDS: Final = words(
    """
    a an the your my our some any this that new old user username name pass passwd password passwort passphrase pwd pw
    pword secret secrets token tokens key keys value val string str text char varchar int uint float bool bytes byte
    array list dict map field input option optional arg args param params kwargs self config conf cfg settings env
    environ var variable default none null nil undefined true false example sample dummy placeholder changeme change me
    redacted hidden masked here insert enter type fake mock test tests stub sha md base hex utf ascii hash hashed hmac
    bcrypt scrypt argon argonid pbkdf aes rsa ed x v id db line col row step part item version temp tmp generated random
    auth api access encrypted plain required min max length long characters chars
    """
)
"""Words that with digits or joined by punctuation are names of variables, algorithms and types, or placeholders."""


def is_random(value: str, length: int = 16) -> bool:
    """Whether a value of at least `length` characters looks random rather than written by a human.

    Random text changes between digits, small and capital letters at every other character; names joined by
    punctuation, versions and dates rarely do, and names in camel case consist of words.
    """
    segments = _SEGMENT.findall(value)
    size = sum(map(len, segments))
    if size < length or len(set(value)) < 8:
        return False
    pieces = [piece for segment in segments for piece in _PIECE.findall(segment)]
    in_words = sum(len(piece) for piece in pieces if len(piece) > 3 and piece.isalpha())
    changes = len(pieces) - len(segments)
    if not any(character.isdigit() for character in value):
        # One in thirty random values of 20 letters and digits has no digit.
        return len(segments) == 1 and size >= 20 and changes >= size / 3 and in_words <= size * 0.3
    return changes >= max(4, size / 5) and in_words <= size * 0.7


def is_hash_or_uuid(value: str) -> bool:
    """Whether a value is a commit, a checksum or a uuid, which are keys of caches and rows."""
    return _SHA_OR_UUID.fullmatch(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value stands for another one: a variable, a template, asterisks."""
    return _TEMPLATE.search(value) is not None or _REFERENCE.match(value) is not None


def is_key(value: str) -> bool:
    """Whether the value of a variable that is named like a key or token is random text, and no path or placeholder."""
    return (
        "=" not in value.rstrip("=")
        and is_random(value)
        and _CHARACTERS.fullmatch(value) is not None
        and not is_placeholder(value)
        and _PATH.match(value) is None
    )


def is_password(value: str, *, quoted: bool, is_prose: bool = False) -> bool:
    """Whether the value behind the word password is one, and not a word, a name in code or a placeholder.

    A password that consists of letters alone cannot be told from a word. In prose a number is no password.
    """
    if not 5 <= len(value) <= _LONGEST_PASSWORD:
        return False
    core = value.rstrip(".,:;?!)")
    letters, has_digits = _WORDS.findall(core), any(character.isdigit() for character in core)
    has_special = _SPECIAL.search(core) is not None
    if is_placeholder(value) or _EMAIL.fullmatch(core) or _PATH.match(core) or "://" in value:
        return False
    if is_random(value):
        return not _DOTTED.fullmatch(core)
    if not letters:
        return core.isdigit() and 6 <= len(core) <= 12 and not is_prose
    if not (has_digits or has_special):
        return False
    if has_special:
        return has_digits or len(letters) > 1
    if _DOTTED.fullmatch(core) or "=" in core:
        return False
    known = [word for word in letters if len(word) < 3 or word.lower() in _PLACEHOLDER_WORDS or _in_words(word)]
    digits = sum(character.isdigit() for character in core)
    if len(known) == len(letters):
        return quoted and len(letters) == 1 and digits > 2 and letters[0][:1].isupper()
    joined = re.search(r"[A-Za-z]{3}[-_./:][A-Za-z0-9]|[0-9][-_./:][A-Za-z]{3}", core)
    return joined is None


def _in_words(word: str) -> bool:
    """Whether a name in camel case consists of words that name variables."""
    return all(piece.lower() in _PLACEHOLDER_WORDS for piece in _PIECE.findall(word))


def is_basic_login(value: str) -> bool:
    """Whether a value is a user and a password as HTTP sends them: joined by a colon, in base64."""
    try:
        user, colon, password = b64decode(value + "=" * (-len(value) % 4), validate=True).decode().partition(":")
    except ValueError:
        return False
    return bool(colon and password) and (user + password).isprintable() and not is_placeholder(password)
