"""Secrets that are known by their place: private keys, headers, URLs, and the options and files of programs."""

from __future__ import annotations

import re
from typing import Final

from memtui_core.text.redaction.shape import BORDER, END, Shape
from memtui_core.text.redaction.values import is_basic_login, is_key, is_placeholder, is_random

_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{24,}")
_DOCUMENTED: Final = frozenset({"password", "passwd", "pass", "pw", "pwd", "secret", "your_password", "token"})
"""What stands in the place of a password in documentation."""
_QUOTES = r"""(?:\\{0,7}["'`])"""
_COLON = rf"{_QUOTES}?\]?[ \t]{{0,2}}[:=,][ \t]{{0,2}}{_QUOTES}?"
"""Between the name of a header and its value, as text, in JSON or in code."""


def _contains_key(match: re.Match[str]) -> bool:
    return _KEY_MATERIAL.search(match[0]) is not None


def _is_random_value(match: re.Match[str]) -> bool:
    return is_random(match[1])


def _is_random_user(match: re.Match[str]) -> bool:
    return is_key(match[1]) and len(match[1]) >= 20


def _is_login(match: re.Match[str]) -> bool:
    return is_basic_login(match[1])


def _is_written(match: re.Match[str]) -> bool:
    """Whether a password in its own place is written out: no variable, and none of those of documentation."""
    value = match[1]
    return not is_placeholder(value) and value.lower() not in _DOCUMENTED


PRIVATE_KEYS: Final[tuple[Shape, ...]] = (
    Shape(
        "private-key",
        ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"),
        r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r'(?:(?:[^-"]|"(?![,:}\]])|-(?!----))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
        r"|(?:[A-Za-z0-9+/=\s]|\\[nr])*+))",
        _contains_key,
    ),
    Shape(
        "private-key",
        ("Private-Lines:",),
        r"Private-Lines: ?[0-9]{1,3}(?:\s|\\[nr])++((?:[A-Za-z0-9+/=]{16,}+(?:\r?\n|(?:\\r)?\\n)?+){1,200}+)",
    ),
)
PLACES: Final[tuple[Shape, ...]] = (
    Shape("basic-login", ("asic ",), r"asic (?<=[Bb]asic )[ \t]{0,3}([A-Za-z0-9+/_-]{6,1024}+={0,2}+)", _is_login),
    Shape(
        "basic-login",
        ('"auth', "_auth"),
        rf"auth(?:(?<=[\"_]auth)){_QUOTES}?[ \t]{{0,2}}[:=][ \t]{{0,2}}{_QUOTES}?"
        r"([A-Za-z0-9+/]{8,1024}+={0,2}+)",
        _is_login,
    ),
    Shape(
        "bearer-token",
        ("earer ",),
        r"earer (?<=[Bb]earer )[ \t]{0,3}([A-Za-z0-9._~+/=-]{16,4096}+)",
        _is_random_value,
    ),
    Shape(
        "authorization",
        ("uthorization",),
        rf"uthorization(?<![A-Za-z][Aa]uthorization){_COLON}"
        r"(?:(?:[Tt]oken|(?:api|Api|API)-?[Kk]ey|GenieKey|SSWS|Key|Digest|Bot|OAuth)(?:[ \t]{1,3}|=|:))?(?:token=)?"
        r"([A-Za-z0-9._~+/=:-]{16,4096}+)",
        _is_random_value,
    ),
    Shape(
        "cookie",
        ("ookie",),
        rf"ookie(?<=[Cc]ookie){_COLON}"
        r"(?:[A-Za-z0-9_.-]{1,64}+=[^;\s\"'\\]{0,64}+;[ ]?){0,8}?[A-Za-z0-9_.-]{1,64}+="
        r"([A-Za-z0-9._~+/%:=!-]{16,4096}+)",
        _is_random_value,
    ),
    Shape(
        "webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{30,128}+)",
    ),
    Shape("webhook", ("/api/webhooks/",), rf"/api/webhooks/[0-9]{{15,22}}+/({BORDER}{{40,128}}+)"),
    Shape(
        "webhook",
        ("webhook.office.com/", ".logic.azure.com"),
        r"(?:webhook\.office\.com/webhookb2|\.logic\.azure\.com(?::443)?)/([A-Za-z0-9@/_?&=.%-]{60,512}+)",
    ),
    Shape(
        "password",
        ("://",),
        r"""://(?<=[A-Za-z0-9]://)[^\s/:@"'`\\<>?#\[]{0,128}+:"""
        r"""([^\s/@"'`\\?#]{1,256}+(?=@)|(?![0-9]{1,5}[?#])[^\s/@"'`\\=]{1,256}+)@""",
        _is_written,
    ),
    Shape("url-token", ("://",), r"://(?<=[A-Za-z0-9]://)([A-Za-z0-9_.~-]{20,256}+)@", _is_random_user),
    Shape(
        "signature",
        ("ig=", "ignature="),
        r"ig(?:nature)?=(?:(?<=[?&]sig=)|(?<=;sig=)|(?<=X-Amz-Signature=)|(?<=X-Goog-Signature=)"
        r"|(?<=&Signature=)|(?<=\?Signature=))([A-Za-z0-9%+/_-]{32,1024}+={0,2}+)",
    ),
    Shape(
        "password",
        ("curl ",),
        r"curl (?:(?!\\n|\n|curl ).){0,400}?(?<=\s)(?:-u|--user)(?:[ \t]{1,2}|=)"
        rf"{_QUOTES}?[^\s:\"'`\\]{{1,64}}+:([^\s\"'`\\]{{3,128}}+)",
        _is_written,
    ),
    *(
        Shape("password", (words,), rf"{words}[ \t]{{1,4}}{_QUOTES}?([^\s\"'`\\]{{4,128}}+)", _is_written)
        for words in ("requirepass", "masterauth", "bindpw", "rootpw", "sshpass -p", "IDENTIFIED BY")
    ),
    *(
        Shape(
            "password",
            (words,),
            rf"{words}[ \t]{{1,4}}\S{{1,64}}+[ \t]{{1,4}}{_QUOTES}?([^\s\"'`\\]{{4,128}}+)",
            _is_written,
        )
        for words in (
            "rabbitmqctl add_user",
            "rabbitmqctl change_password",
            "htpasswd -b",
            "htpasswd -bc",
            "htpasswd -cb",
        )
    ),
    Shape("password", ("-pass",), r"-pass(?:in|out)?[ \t]{1,4}pass:([^\s\"'`\\]{4,128}+)", _is_written),
    Shape("password", ("psk=",), rf"psk=(?<![A-Za-z]psk=){_QUOTES}?([^\s\"'`\\]{{8,64}}+)", _is_written),
    Shape("password", ("--auth ",), rf"--auth {_QUOTES}?[^\s:\"'`\\]{{1,64}}+:([^\s\"'`\\]{{3,128}}+)", _is_written),
    Shape(
        "password",
        ("auth=(", "auth: ("),
        rf"auth(?:=|: )\({_QUOTES}[^\s\"'`\\]{{1,64}}+{_QUOTES},[ ]?{_QUOTES}([^\s\"'`\\]{{3,128}}+){_QUOTES}",
        _is_written,
    ),
    Shape(
        "secret", ("aws_secret_access_key ",), r"aws_secret_access_key[ \t]{1,4}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])"
    ),
    Shape(
        "password",
        ("mysql", "mariadb"),
        r"(?:mysql|mariadb)(?:dump|admin|-dump)?(?=[ \t])(?:(?!\\n|\n|mysql|mariadb).){0,200}?(?<=\s)-p"
        r"([^\s\"'`\\-][^\s\"'`\\]{3,128}+)",
        _is_written,
    ),
    Shape(
        "password",
        ("machine ",),
        r"machine (?<![A-Za-z]machine )[^\s.]{1,64}+\.\S{1,128}+(?:\s|\\n)++login\s++\S{1,128}+(?:\s|\\n)++"
        r"password\s++([^\s\"'\\]{3,256}+)",
        _is_written,
    ),
    Shape(
        "password",
        (":5432:",),
        rf":5432:[^:\s\\\"]{{1,64}}+:[^:\s\\\"]{{1,64}}+:([^:\s\\\"'@/]{{4,128}}+){END}",
        _is_written,
    ),
)
"""In the order in which they are replaced, after the tokens."""
