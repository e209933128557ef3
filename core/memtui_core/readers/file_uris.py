"""Addresses of files, in which programs with an editor write the folder of a session."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

_SCHEME: Final = "file://"


def path_in(address: str) -> str:
    """The path in a `file://` address; any other text as it is."""
    if not address.startswith(_SCHEME):
        return address
    path = unquote(address.removeprefix(_SCHEME).removeprefix("localhost"))
    # The path of a drive: `/c:/code`.
    return path[1:] if path[:1] == "/" and path[2:3] == ":" else path
