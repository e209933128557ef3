"""Remove secrets from texts, by the shape of their value, before anything is stored.

A secret becomes `[redacted:<kind>]`; the text around it (the name of the variable, the user of a URL) is kept. A text
may be JSON: no match includes a quote or a backslash around the secret, so that JSON stays valid.

Every shape has markers, substrings without which it cannot occur, and its pattern runs only on texts with a marker. One
automaton looks for all markers at once, which takes a third of the time of a search for each.
Patterns start with a literal and use lookbehind after it, so that the regex engine can skip from literal to literal.
Quantifiers are possessive and start at the border of a token, so that every text takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick

_SHA_OR_UUID = re.compile(r"[0-9a-f]{40}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{24,}")
_PLACEHOLDER = re.compile(r"\[redacted:|[$%<{]|[*.]+$|[xX]+$")
"""Values in the place of a secret: variables, and placeholders to be replaced."""


def redact(text: str) -> str:
    """The text with its secrets replaced. Idempotent."""
    for number in sorted(_possible_shapes(text)):
        text = _SHAPES[number].apply(text)
    return text


def _possible_shapes(text: str) -> Collection[int]:
    """The numbers of the shapes of which the text contains a marker."""
    try:
        found = _MARKERS.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:
        # Half a character, as in a name that is not UTF-8.
        return range(len(_SHAPES))
    return {_SHAPE_OF_MARKER[marker] for marker, _, _ in found} if found else ()


def _is_random(value: str, length: int = 16) -> bool:
    """Whether a value of at least `length` characters looks random rather than written by a human.

    Random text changes between digits, small and capital letters at every other character; names joined by
    punctuation, versions and dates rarely do, and names in camel case consist of words.
    """
    segments = _SEGMENT.findall(value)
    size = sum(map(len, segments))
    if size < length or len(set(value)) < 8 or not any(character.isdigit() for character in value):
        return False
    pieces = [piece for segment in segments for piece in _PIECE.findall(segment)]
    in_words = sum(len(piece) for piece in pieces if len(piece) > 3 and piece.isalpha())
    return len(pieces) - len(segments) >= max(4, size / 5) and in_words <= size * 0.7


@dataclass(frozen=True, slots=True)
class _Shape:
    """One kind of secret; the first group of `pattern` is the secret itself."""

    kind: str
    markers: tuple[str, ...]
    pattern: re.Pattern[str]
    is_secret: Callable[[re.Match[str]], bool] | None

    def apply(self, text: str) -> str:
        return self.pattern.sub(self._replacement, text)

    def _replacement(self, match: re.Match[str]) -> str:
        if self.is_secret is not None and not self.is_secret(match):
            return match[0]
        before, after = match.start(1) - match.start(), match.end(1) - match.start()
        return f"{match[0][:before]}[redacted:{self.kind}]{match[0][after:]}"


def _is_random_key(match: re.Match[str]) -> bool:
    """Whether an `sk-` key is a secret: by a vendor's prefix, its length or its value, since words start with `sk-`."""
    value = match[1][3:]
    if value.startswith(("ant-", "proj-", "svcacct-", "admin-", "or-v1-")):
        return True
    return (value.isalnum() and len(value) >= 40) or _is_random(value, 20)


def _is_random_value(match: re.Match[str]) -> bool:
    return _is_random(match[1])


def _is_assigned_secret(match: re.Match[str]) -> bool:
    """Whether the value of a variable named like a secret is one; hashes and uuids are keys of caches and rows."""
    is_key = match[0][1:4].lower() == "key"
    return _is_random(match[1]) and not (is_key and _SHA_OR_UUID.fullmatch(match[1]))


def _is_password(match: re.Match[str]) -> bool:
    return _PLACEHOLDER.match(match[1]) is None


def _contains_key(match: re.Match[str]) -> bool:
    return _KEY_MATERIAL.search(match[0]) is not None


def _shape(
    kind: str, markers: tuple[str, ...], pattern: str, is_secret: Callable[[re.Match[str]], bool] | None = None
) -> _Shape:
    return _Shape(kind, markers, re.compile(pattern), is_secret)


_BORDER = "[A-Za-z0-9_-]"


def _begins(token: str) -> str:
    r"""A lookbehind after a token: the token does not continue a longer one. In JSON, a `\n` may be before it."""
    return rf"(?:(?<!{_BORDER}{token})|(?<=\\[nrtbf]{token}))"


_END = f"(?!{_BORDER})"
_QUOTE = r"""(?:\\?["'`])?"""
_VALUE = rf"""{_QUOTE}([A-Za-z0-9+/_.~-]{{16,512}}+={{0,2}}+)(?![A-Za-z0-9+/_=.~(\[{{$-])"""

_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "key", "token", "secret", "password", "passwd")

_SHAPES: tuple[_Shape, ...] = (
    _shape(
        "private-key",
        ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"),
        r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r'(?:(?:[^-"]|"(?![,:}\]])|-(?!----))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
        r"|(?:[A-Za-z0-9+/=\s]|\\[nr])*+))",
        _contains_key,
    ),
    _shape("api-key", ("sk-",), rf"(sk-{_begins('sk-')}{_BORDER}{{20,512}}+)", _is_random_key),
    _shape("gitlab-token", ("glpat-",), rf"(glpat-{_begins('glpat-')}{_BORDER}{{20,255}}+)"),
    _shape("slack-token", ("xox",), rf"(xox[abeoprs]-{_begins('xox.-')}(?=\S{{0,12}}[0-9]){_BORDER}{{10,255}}+)"),
    _shape(
        "github-token",
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_"),
        rf"(gh[opsru]_{_begins('gh._')}[A-Za-z0-9]{{30,255}}+){_END}",
    ),
    _shape("github-token", ("github_pat_",), rf"(github_pat_{_begins('github_pat_')}[A-Za-z0-9_]{{22,255}}+)"),
    _shape("npm-token", ("npm_",), rf"(npm_{_begins('npm_')}[A-Za-z0-9]{{36,64}}+){_END}"),
    _shape(
        "secret",
        tuple(f"_{name}" for name in _SECRET_NAMES),
        rf"_(?:{'|'.join(_SECRET_NAMES)})"
        rf"{_QUOTE}[ \t]{{0,2}}(?:=>?|:=?)[ \t]{{0,2}}{_VALUE}",
        _is_assigned_secret,
    ),
    _shape(
        "secret",
        ("TOKEN=", "SECRET=", "PASSWORD="),
        rf"(?:TOKEN{_begins('TOKEN')}|SECRET{_begins('SECRET')}|PASSWORD{_begins('PASSWORD')})={_VALUE}",
        _is_random_value,
    ),
    _shape("jwt", ("eyJ",), rf"(eyJ{_begins('eyJ')}{_BORDER}{{10,}}+\.{_BORDER}{{10,}}+\.{_BORDER}{{10,}}+)"),
    _shape("google-key", ("AIza",), rf"(AIza{_begins('AIza')}{_BORDER}{{35}}){_END}"),
    _shape("aws-key", ("AKIA", "ASIA"), rf"(A[KS]IA{_begins('A.IA')}(?<![/+]A.IA)[A-Z0-9]{{16}})(?![A-Za-z0-9/+_-])"),
    _shape(
        "bearer-token",
        ("earer ",),
        r"earer (?<=[Bb]earer )[ \t]{0,3}([A-Za-z0-9._~+/=-]{16,4096}+)",
        _is_random_value,
    ),
    _shape(
        "password",
        ("://",),
        r"""://(?<=[A-Za-z0-9]://)[^\s/:@"'`\\<>?#]{0,128}+:([^\s/@"'`\\?#]{1,256}+)@""",
        _is_password,
    ),
)
"""In the order in which they are replaced."""
_NUMBERED_MARKERS = [(number, marker) for number, shape in enumerate(_SHAPES) for marker in shape.markers]
_SHAPE_OF_MARKER = [number for number, _ in _NUMBERED_MARKERS]
_MARKERS = AhoCorasick([marker for _, marker in _NUMBERED_MARKERS])
