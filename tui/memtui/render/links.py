"""Hyperlinks (OSC 8), which only memtui makes: to a web address whose text stands there in full, and to local files.

A link is the name of a style that begins with `LINK`; `LinePainter` gives it to the terminal. Targets are printable
ASCII, so that nothing in them acts on the terminal.
"""

from __future__ import annotations

import os
import re
import socket
from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

from memtui_core.text.machine_folders import machine_of

LINK: Final = "href="
_LONGEST: Final = 2000
"""Characters of a target; terminals ignore longer ones."""
_RUN = re.compile(r"https?://[!#-&(-;=?-Z\[\]_a-z~]+")
_ADDRESS = re.compile(r"https?://[\w.-]+(?::\d+)?(?:[/?#].*)?", re.ASCII)
"""Without a user: what stands before the host could be taken for it."""
_ENDS = ".,;:!?"
_NETWORK = re.compile(r"[\\/]{2}")
"""The beginning of a path on another computer: asking for such a file would connect to it."""


def addresses(text: str) -> list[tuple[int, int, str]]:
    """The web addresses in a text as (start, end, style); one that is cut off by `…` is none."""
    if "://" not in text:
        return []
    found: list[tuple[int, int, str]] = []
    for match in _RUN.finditer(text):
        address = _trimmed(match[0])
        # Of an address that goes on in other characters, only a part would be the target.
        is_whole = text[match.end() : match.end() + 1] <= "~"
        if is_whole and len(address) <= _LONGEST and _ADDRESS.fullmatch(address):
            found.append((match.start(), match.start() + len(address), LINK + address))
    return found


def is_address(text: str) -> bool:
    """Whether a text is a web address and nothing else."""
    return addresses(text) == [(0, len(text), LINK + text)]


def _trimmed(address: str) -> str:
    """The address without the punctuation of the sentence around it."""
    while True:
        short = address.rstrip(_ENDS)
        if short.endswith(")") and short.count("(") < short.count(")"):
            short = short[:-1]
        if short == address:
            return address
        address = short


def file_link(path: str, root: str) -> str:
    """The style of a link to a file that exists; empty for any other path. Relative paths are under `root`.

    With a root on another machine there is no link: a file of this machine with the same path is another one.
    """
    if machine_of(root):
        return ""
    if not path or not (root or path.startswith("/")) or _NETWORK.match(path) or _NETWORK.match(root):
        return ""
    return _file_link(path, root)


@lru_cache(maxsize=4096)
def _file_link(path: str, root: str) -> str:
    file = Path(root, path)
    # Path.is_file raises OSError for a path that is too long, or in a folder that may not be read.
    if not file.is_absolute() or not os.path.isfile(file):  # noqa: PTH113
        return ""
    target = file.as_uri().replace("file://", f"file://{_host()}", 1)
    return LINK + target if len(target) <= _LONGEST else ""


@cache
def _host() -> str:
    return quote(socket.gethostname())
