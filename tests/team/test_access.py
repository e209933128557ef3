"""What each login may do with every table, view and function of the schema, as the catalog lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SEES: Final[Mapping[str, Mapping[str, int]]] = {
    "ana": {
        "meta": 2,
        "members": 5,
        "devices": 6,
        "groups": 2,
        "group_members": 4,
        "projects": 2,
        "project_groups": 3,
        "sessions": 2,
        "tombstones": 1,
        "turns": 2,
        "mentions": 2,
        "vectors": 2,
    },
    "bob": {
        "meta": 2,
        "members": 5,
        "devices": 6,
        "groups": 2,
        "group_members": 4,
        "projects": 2,
        "project_groups": 3,
        "sessions": 2,
        "tombstones": 0,
        "turns": 2,
        "mentions": 2,
        "vectors": 2,
    },
    "eve": {
        "meta": 2,
        "members": 5,
        "devices": 6,
        "groups": 1,
        "group_members": 1,
        "projects": 1,
        "project_groups": 1,
        "sessions": 1,
        "tombstones": 0,
        "turns": 1,
        "mentions": 1,
        "vectors": 1,
    },
    "a lead": {"meta": 2, "members": 5, "devices": 6, "figures": 4},
    "a revoked device": dict.fromkeys(
        (
            *("meta", "members", "devices", "groups", "group_members", "projects", "project_groups"),
            *("sessions", "tombstones", "turns", "mentions", "vectors"),
        ),
        0,
    ),
    "a stranger": {},
}
"""How many rows a login reads; what is not named is refused. A device of another team on the same server is like one
that was revoked, whose connection is still open.

The groups: backend has ana and bob, frontend ana and dan, and secret eve. Ana has shared `shop` with backend, rex, who
was revoked, `site` with backend and frontend, and eve `vault`; of dan's the sessions are nobody else's any more."""
"""The months are read through their tables only."""

RUNS: Final[Mapping[str, frozenset[str]]] = {
    "ana": frozenset(
        {
            *("this_device", "this_member", "own_devices", "allowed_projects", "known_groups", "turns_with"),
            *("open_project", "open_month", "forget"),
        }
    ),
    "a lead": frozenset({"this_device", "is_lead"}),
    "a stranger": frozenset(),
}

MEMBER_RIGHTS: Final[Mapping[str, frozenset[str]]] = {
    "sessions": frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"}),
    **dict.fromkeys(("turns", "mentions", "vectors"), frozenset({"SELECT", "INSERT", "DELETE"})),
    **dict.fromkeys(
        ("meta", "members", "devices", "groups", "group_members", "projects", "project_groups", "tombstones"),
        frozenset({"SELECT"}),
    ),
}
LEAD_RIGHTS: Final = dict.fromkeys(("meta", "members", "devices", "figures"), frozenset({"SELECT"}))
