"""Cookies in the options of curl, as browsers copy requests: `-b 'sid=…; theme=dark'`; `redact` finds headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui_core.export.redacted.spans import PrivateSpan
from memtui_core.text.redaction.shape import placeholder
from memtui_core.text.redaction.values import is_random

_FARTHEST: Final = 2_000
"""Characters from the name of the program to the option: a copied request has a line for each header."""
_OPTION: Final = re.compile(r"""(?<=\s)(?:-b|--cookie)(?:[ \t]{1,2}|=)\\?["']?(?=[\w.:-]{1,64}=)""")
_COOKIE: Final = re.compile(r"""[\w.:-]{1,64}+=([^;\s"'`\\]*+)(?:;[ ]?)?+""")
_VALUE: Final = re.compile(r"[A-Za-z0-9._~+/%:=!-]{16,4096}+")


def cookie_spans(text: str) -> Iterator[PrivateSpan]:
    """The values of cookies that look random; what a variable or a placeholder stands for is not there."""
    for option in _OPTION.finditer(text):
        program = text.rfind("curl ", max(0, option.start() - _FARTHEST), option.start())
        if program < 0 or "\n\n" in text[program : option.start()]:
            continue
        at = option.end()
        while cookie := _COOKIE.match(text, at):
            if _VALUE.fullmatch(cookie[1]) and is_random(cookie[1]):
                yield PrivateSpan(cookie.start(1), cookie.end(1), "secret", placeholder("cookie"))
            at = cookie.end()
