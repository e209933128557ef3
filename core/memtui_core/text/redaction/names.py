"""Values behind names that tell what they are: `api_key = "…"`, `"clientSecret": "…"`, "the password is …".

The markers are a name with the first character of what separates it from its value, in each spelling, so that the word
alone, which every transcript has thousands of times, is not looked at. Each place is looked at once, and what is read
from there is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from memtui_core.text.redaction.values import is_hash_or_uuid, is_key, is_password, words

_ANY, _BORDER, _COMPOUND = "any", "border", "compound"
"""Where a name may begin: anywhere in a longer name, at its beginning or after `_` or `-` or with a capital letter, or
only as the last of several words."""
_PASSWORDS: Final = {
    **dict.fromkeys(("password", "passwd", "passphrase", "passwort", "kennwort", "passcode"), _ANY),
    **dict.fromkeys(("pwd", "pw", "pass", "senha", "contraseña", "mot de passe"), _BORDER),
}
_KEYS: Final = {
    **dict.fromkeys(("token", "secret", "apikey", "credential", "credentials"), _ANY),
    **dict.fromkeys(("api key", "access key", "secret key", "secret_key_base"), _ANY),
    "key": _COMPOUND,
}
_BEFORE_KEY: Final = words(
    """api secret access private account auth encryption signing master license service admin client app webhook deploy
    shared storage subscription function functions host consumer"""
)
"""What a name has before `key`, if no `_` or `-`, when it is the name of a secret."""
_NO_SECRETS: Final = words(
    """public publickey publishable next page continuation cursor sync cache idempotency partition primary foreign sort
    row object index csrf xsrf anon site reset dedupe dedup lookup map hash image input output max min num
    total"""
)
"""What a name has before it if its value may be known to everybody, or is the key of a row."""
_NO_TOKENS: Final = (
    "lock",
    "forward",
    "backward",
    "registration",
    "import",
    "client",
    "request",
    "change",
    "update",
    "creation",
    "action",
    "verification",
    "unit",
)
"""The same for `token`: such tokens tell one request from another."""
_OF_TYPE: Final = re.compile(r"(?:::[A-Za-z]*|[0-9]:)\Z")
"""What is before the last part of a name that is a type, or a part of an address."""
_IN_PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z-]*\Z")
"""What is before the name of a kind in the place of a secret."""
_WELL_KNOWN_KEYS: Final = words(
    "secret api access private encryption signing master auth jwt webhook license crypt hmac"
)
"""What a name has before `key` if no row or cache has such a key: a value that looks like a checksum is a secret."""
_SEPARATORS: Final = ("=", ":", " =", " :", '"', "'", "\\", "`", "]", ">", ",", "\n")
_PROSE: Final = (" is ", " is: ", " was ", " ist ", " lautet ", " est ", " es ", " é ")

_QUOTE = r"""\\{0,7}["'`]"""
_TYPES = (
    r"(?:str|string|String|&(?:'static )?str|std::string|SecretStr|Optional\[str\]|str \| None|Final(?:\[str\])?|any"
    r"|char\s?\*)"
)
_BETWEEN = re.compile(
    rf"(?:(?:{_QUOTE})?[\])]{{0,2}}[ \t]{{0,8}}(?:=>|:=|:-|={{1,3}}|:[ \t]{{0,2}}{_TYPES}[ \t]{{0,2}}=|::?)[ \t]{{0,8}}"
    rf"|(?P<space>[ \t](?:is|was|ist|lautet|est|es|é):?[ \t])"
    rf"|(?P<option>(?<=--token|-secret|-apikey|api-key|assword|-passwd|sphrase)[ \t])"
    rf"|(?P<entry>(?:{_QUOTE})?,?(?:\s|\\n){{0,40}}+(?:{_QUOTE})?[Vv]alue(?:{_QUOTE})?[ \t]{{0,2}}[:=]"
    r"[ \t]{0,2})"
    rf"|(?P<pair>(?:{_QUOTE})?,[ \t]{{0,2}}(?={_QUOTE}))"
    rf"|(?P<tag>>)"
    rf"|(?P<sql>[ \t](?='))"
    rf"|{_QUOTE}[ \t]\{{(?:\s|\\n)++(?:(?:type|description|sensitive)[ \t]*+=[^\n\\]{{0,80}}+(?:\s|\\n)++){{0,3}}+"
    r"default[ \t]*+=[ \t]*+"
    rf"|(?P<word>[ \t])"
    r")"
)
"""From the end of a name to its value."""
_VALUE = re.compile(
    r"(?:(?P<quote>\\{0,7}[\"'`])(?P<quoted>[^\s\"'`\\]{1,512}+)(?=(?P=quote))"
    r"|(?:\\{0,7}[\"'`])?(?P<bare>(?:[^\s\"'`\\<>;,&|(){}\[\]=]|&(?![A-Za-z_.-]{1,40}[=;]|&|\s)){1,512}+={0,2}+)"
    r"(?![(\[{=]|\w))"
)

_ENTRY = re.compile(r"[Nn]ame\\{0,7}[\"']?[ \t]{0,2}[:=][ \t]{0,2}\\{0,7}[\"']?[\w.-]*\Z")
"""What is before a name whose value is an entry of its own: `name: DB_PASSWORD`."""


class NameMarker(NamedTuple):
    """A name in one spelling with what separates it from a value."""

    text: str
    name: str
    start: int
    """Where the name begins in the text of the marker."""
    rule: str
    is_password: bool

    def secret(self, text: str, at: int) -> tuple[int, int, str] | None:
        """Where the value behind the name is that begins at an index, if it is a secret, and its kind."""
        start = at + self.start
        between = _BETWEEN.match(text, start + len(self.name))
        found = _VALUE.match(text, between.end()) if between is not None else None
        if between is None or found is None or not self._names_a_secret(text, start):
            return None
        group = "quoted" if found["quoted"] is not None else "bare"
        value, first = found[group], found.start(group)
        how = between.lastgroup
        if group == "bare":
            if how == "tag" and text[found.end() : found.end() + 2] != "</":
                return None
            value = value.rstrip(".,:?")
        if how in {"tag", "sql"} and not self.is_password:
            return None
        if how == "entry" and not _ENTRY.search(text, max(0, start - 64), start):
            return None
        if self._is_secret(value, text[max(0, start - 24) : start + len(self.name)], group == "quoted", how):
            return first, first + len(value), "password" if self.is_password else "secret"
        return None

    def _names_a_secret(self, text: str, start: int) -> bool:
        before = text[max(0, start - 32) : start]
        if _IN_PLACEHOLDER.search(before):
            return False
        if self.rule == _BORDER:
            last = before[-1:]
            return not last.isalnum() or (self.name[:1].isupper() and last.islower())
        if self.is_password:
            return True
        word = before.rstrip("_-").lower()
        if word.endswith(_NO_SECRETS) or _OF_TYPE.search(before):
            return False
        if self.name.lower() == "token" and word.endswith(_NO_TOKENS):
            return False
        return self.rule != _COMPOUND or before.endswith(("_", "-")) or word.endswith(_BEFORE_KEY)

    def _is_secret(self, value: str, name: str, quoted: bool, how: str | None) -> bool:
        if not self.is_password:
            is_row_key = self.rule == _COMPOUND and not name[:-3].rstrip("_-").lower().endswith(_WELL_KNOWN_KEYS)
            if how == "word" and not (value.isalnum() and "-" not in name):
                return False
            return is_key(value) and not ((is_row_key or how == "word") and is_hash_or_uuid(value))
        if self.name.lower() == "pass" and not quoted and name[-5:-4] != "_":
            return is_key(value)
        if how in {"pair", "word"} and (len(value) < 8 or sum(map(str.isdigit, value)) < 2):
            return False
        return is_password(value, quoted=quoted, is_prose=how in {"space", "word"})


def _markers(names: dict[str, str], *, is_password: bool) -> Iterator[NameMarker]:
    for name, rule in names.items():
        for spelling in dict.fromkeys((name, name.capitalize(), name.upper(), name.replace("api ", "API "))):
            for separator in _SEPARATORS:
                yield NameMarker(f"{spelling}{separator}", spelling, 0, rule, is_password)
            if rule != _COMPOUND and spelling != name.upper():
                yield from (NameMarker(f"{spelling}{verb}", spelling, 0, rule, is_password) for verb in _PROSE)
                yield NameMarker(f"{spelling} ", spelling, 0, rule, is_password)
            if is_password:
                yield NameMarker(f"{spelling} '", spelling, 0, rule, is_password)
    options = ("password", "passwd", "passphrase") if is_password else ("token", "secret", "api-key", "apikey")
    for name in options:
        yield NameMarker(f"-{name} ", name, 1, _ANY, is_password)


NAMES: Final[tuple[NameMarker, ...]] = (*_markers(_PASSWORDS, is_password=True), *_markers(_KEYS, is_password=False))
