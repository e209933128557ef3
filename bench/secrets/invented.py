"""Invented secrets and look-alikes, put together from parts: no text of the repository looks like a token.

A template is a text with places such as «github», a name in `MAKERS`. «pem» and «putty» have several lines.
"""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from memtui_core.text.redaction.values import words

Maker = Callable[[random.Random], str]
_ALNUM: Final = string.ascii_letters + string.digits
_HEX: Final = "0123456789abcdef"
_BASE32: Final = string.ascii_uppercase + "234567"
_WORD: Final = _ALNUM + "_-"
_PLACE = re.compile("«([a-z0-9_]+)»")
_SYLLABLES: Final = words("ka lo mi ren dor sil vat ber nox tam ulf pra gis hel jon wik zer bal cor fen")


def _of(characters: str, count: int, prefix: str = "", suffix: str = "") -> Maker:
    return lambda chance: prefix + "".join(chance.choices(characters, k=count)) + suffix


def _password(chance: random.Random) -> str:
    """A password as people make them: syllables with digits and, in half of them, a special character."""
    word = "".join(chance.choices(_SYLLABLES, k=2))
    word = word.capitalize() if chance.random() < 0.5 else word
    word = word.replace("o", "0") if chance.random() < 0.3 else word
    special = chance.choice("!#%*+?") if chance.random() < 0.5 else ""
    return f"{word}{chance.randrange(10, 9999)}{special}"


def _base64(count: int) -> Maker:
    return lambda chance: base64.b64encode(chance.randbytes(count)).decode()


def _base64url(count: int) -> Maker:
    return lambda chance: base64.urlsafe_b64encode(chance.randbytes(count)).decode().rstrip("=")


def _login(chance: random.Random) -> str:
    return base64.b64encode(f"{chance.choice(_SYLLABLES)}:{_password(chance)}".encode()).decode()


def _jwt(chance: random.Random) -> str:
    parts = (b'{"alg":"HS256"}', b'{"sub":"' + str(chance.randrange(10**9)).encode() + b'"}', chance.randbytes(32))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def _lines(chance: random.Random, count: int = 4) -> list[str]:
    return [_base64(48)(chance) for _ in range(count)]


def _pem(chance: random.Random) -> str:
    kind = chance.choice(("RSA ", "EC ", "", "OPENSSH "))
    return "\n".join(
        (f"-----BEGIN {kind}PRIV" + "ATE KEY-----", *_lines(chance), f"-----END {kind}PRIV" + "ATE KEY-----")
    )


def _pem_json(chance: random.Random) -> str:
    return _pem(chance).replace("\n", "\\n")


def _uuid(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


MAKERS: Final[dict[str, Maker]] = {
    "alnum20": _of(_ALNUM, 20),
    "alnum32": _of(_ALNUM, 32),
    "alnum40": _of(_ALNUM, 40),
    "lower30": _of(string.ascii_lowercase + string.digits, 30),
    "hex32": _of(_HEX, 32),
    "hex40": _of(_HEX, 40),
    "hex64": _of(_HEX, 64),
    "word43": _of(_WORD, 43),
    "base64_30": _base64(30),
    "base64_64": _base64(64),
    "base64url_32": _base64url(32),
    "login": _login,
    "password": _password,
    "pin": lambda chance: str(chance.randrange(10**7, 10**9)),
    "uuid": _uuid,
    "sha512": lambda chance: f"sha512-{_base64(64)(chance)}",
    "image": lambda chance: "iVBORw0KGgo" + _base64(90)(chance),
    "jwt": _jwt,
    "pem": _pem,
    "pem_json": _pem_json,
    "putty": lambda chance: "\n".join(_lines(chance)),
    "age": _of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, "AGE-SECRET-" + "KEY-1"),
    "github": _of(_ALNUM, 36, "gh" + "p_"),
    "github_app": _of(_ALNUM, 36, "gh" + "s_"),
    "github_fine": lambda chance: "github_" + "pat_" + _of(_ALNUM, 22)(chance) + "_" + _of(_ALNUM, 59)(chance),
    "gitlab": _of(_WORD, 20, "gl" + "pat-"),
    "gitlab_runner": _of(_WORD, 20, "gl" + "rt-"),
    "slack_bot": lambda chance: (
        "xo" + f"xb-{chance.randrange(10**11, 10**12)}-{chance.randrange(10**12, 10**13)}-" + _of(_ALNUM, 24)(chance)
    ),
    "slack_hook": lambda chance: "/".join(
        ("T" + _of(_BASE32, 10)(chance), "B" + _of(_BASE32, 10)(chance), _of(_ALNUM, 24)(chance))
    ),
    "discord_hook": lambda chance: f"{chance.randrange(10**17, 10**18)}/{_of(_WORD, 68)(chance)}",
    "stripe": _of(_ALNUM, 24, "sk_" + "live_"),
    "stripe_hook": _of(_ALNUM, 32, "wh" + "sec_"),
    "twilio": _of(_HEX, 32, "S" + "K"),
    "sendgrid": lambda chance: "S" + f"G.{_of(_WORD, 22)(chance)}.{_of(_WORD, 43)(chance)}",
    "mailgun": _of(_HEX, 32, "ke" + "y-"),
    "npm": _of(_ALNUM, 36, "np" + "m_"),
    "pypi": _of(_WORD, 160, "py" + "pi-AgEIcHlwaS5vcmc"),
    "huggingface": _of(string.ascii_letters, 34, "h" + "f_"),
    "openai": _of(_WORD, 100, "sk-" + "proj-"),
    "anthropic": _of(_WORD, 93, "sk-" + "ant-api03-", "AA"),
    "groq": _of(_ALNUM, 52, "gs" + "k_"),
    "google": _of(_WORD, 35, "AI" + "za"),
    "google_secret": _of(_WORD, 28, "GOC" + "SPX-"),
    "aws_id": _of(_BASE32, 16, "AK" + "IA"),
    "aws_secret": _of(_ALNUM + "+/", 40),
    "azure_secret": lambda chance: f"{_of(_ALNUM, 3)(chance)}8Q~{_of(_WORD + '.~', 34)(chance)}",
    "digitalocean": _of(_HEX, 64, "do" + "p_v1_"),
    "shopify": _of(_HEX, 32, "shp" + "at_"),
    "telegram": lambda chance: f"{chance.randrange(10**9, 10**10)}:AA{_of(_WORD, 33)(chance)}",
    "atlassian": _of(_WORD, 180, "ATA" + "TT3xFfGF0", "=1A2B3C4D"),
    "linear": _of(_ALNUM, 40, "lin_" + "api_"),
    "notion": lambda chance: "nt" + f"n_{chance.randrange(10**10, 10**11)}{_of(_ALNUM, 35)(chance)}",
    "vault": _of(_WORD, 92, "hv" + "s."),
    "databricks": _of(_HEX, 32, "da" + "pi"),
    "doppler": _of(_ALNUM, 43, "dp" + ".pt."),
    "grafana": lambda chance: "gl" + f"sa_{_of(_ALNUM, 32)(chance)}_{_of(_HEX, 8)(chance)}",
    "sentry": _of(_HEX, 64, "snt" + "ryu_"),
    "postman": lambda chance: "PM" + f"AK-{_of(_HEX, 24)(chance)}-{_of(_HEX, 34)(chance)}",
    "heroku": _of(_WORD, 58, "HR" + "KU-AA"),
    "figma": _of(_WORD, 40, "fi" + "gd_"),
    "terraform": lambda chance: f"{_of(_ALNUM, 14)(chance)}.atl" + f"asv1.{_of(_WORD, 67)(chance)}",
    "newrelic": _of(string.ascii_uppercase + string.digits, 27, "NR" + "AK-"),
    "planetscale": _of(_ALNUM, 43, "pscale_" + "pw_"),
    "docker": _of(_WORD, 27, "dckr_" + "pat_"),
    "tailscale": lambda chance: "ts" + f"key-auth-{_of(_ALNUM, 12)(chance)}CNTRL-{_of(_ALNUM, 32)(chance)}",
}
"""What a place in a template is filled with, by name."""


class Sample(NamedTuple):
    """A text with an invented value in it."""

    template: str
    text: str
    value: str
    """Empty if the template has no place."""


def samples(templates: Sequence[str], count: int, seed: int) -> Iterator[Sample]:
    """So many texts: the templates one after the other, those with a place again and again with other values.

    `⏎` in a template is a line break.
    """
    chance, made = random.Random(seed), 0
    while made < count:
        for template in templates if made == 0 else [one for one in templates if _PLACE.search(one)]:
            place = _PLACE.search(template)
            value = MAKERS[place[1]](chance) if place is not None else ""
            text = template.replace("⏎", "\n")
            yield Sample(template, text.replace(place[0], value) if place is not None else text, value)
            made += 1
            if made == count:
                return
