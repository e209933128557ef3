"""Groups decide who reads which project."""

from __future__ import annotations

import pytest

from memtui_team.admin.groups import (
    add_members,
    list_groups,
    remove_group,
    remove_members,
    share_project,
    unshare_project,
)
from memtui_team.errors import TeamError
from support.postgres import PostgresServer
from support.teams import Team, make_team, push_session

MEMBERS = {"ana": ("backend",), "bob": ("frontend",)}


def read_by(team: Team, member: str) -> list[str]:
    with team.connected(member) as connection:
        return [row[0] for row in connection.execute("SELECT session_id FROM memtui.sessions ORDER BY 1")]


def test_what_the_administrator_changes_is_what_members_read(one_server: PostgresServer) -> None:
    team = make_team(one_server, MEMBERS)
    with team.connected("ana") as ana:
        push_session(ana, "shop", ["backend"], "1")
    steps = []
    with team.admin() as admin:
        for change in (
            lambda: None,
            lambda: share_project(admin, "shop", "frontend"),
            lambda: remove_members(admin, "frontend", ["bob"]),
            lambda: add_members(admin, "frontend", ["bob"]),
            lambda: unshare_project(admin, "shop", "frontend"),
            lambda: add_members(admin, "backend", ["bob", "ana"]),
            lambda: remove_group(admin, "backend"),
        ):
            change()
            steps.append((read_by(team, "ana"), read_by(team, "bob")))
    # The session is ana's: she sees it to the end, to be able to remove it.
    assert steps == [(["1"], found) for found in ([], ["1"], [], ["1"], [], ["1"], [])]


def test_a_member_goes_on_in_a_project_that_the_administrator_has_shared_further(one_server: PostgresServer) -> None:
    team = make_team(one_server, MEMBERS)
    with team.connected("ana") as ana, team.admin() as admin:
        push_session(ana, "shop", ["backend"], "1")
        share_project(admin, "shop", "frontend")
        push_session(ana, "shop", ["backend"], "2")
        assert admin.execute("SELECT count(*) FROM memtui.projects").fetchone() == (1,)
    assert read_by(team, "bob") == ["1", "2"]


def test_groups_are_listed_as_far_as_one_may_know_them(one_server: PostgresServer) -> None:
    """Who shares a project sees who reads it."""
    team = make_team(one_server, {**MEMBERS, "eve": ("secret",)})
    with team.connected("ana") as ana, team.connected("bob") as bob, team.admin() as admin:
        push_session(ana, "shop", ["backend"], "1")
        share_project(admin, "shop", "frontend")
        backend, frontend = ("backend", ("ana",), ("shop",)), ("frontend", ("bob",), ("shop",))
        assert list_groups(admin) == [backend, ("everyone", (), ()), frontend, ("secret", ("eve",), ())]
        assert list_groups(ana) == list_groups(bob) == [backend, frontend]


def test_unknown_names_change_nothing(one_server: PostgresServer) -> None:
    team = make_team(one_server, MEMBERS)
    with team.connected("ana") as ana, team.admin() as admin:
        push_session(ana, "github.com/a/shop", ["backend"], "1")
        push_session(ana, "github.com/b/shop", ["backend"], "2")
        admin.execute("UPDATE memtui.projects SET name = 'shop'")
        before = list_groups(admin)
        for change, message in (
            (lambda: add_members(admin, "new", ["ana", "zoe"]), r"no member zoe\. The team's members: ana, bob\."),
            (lambda: add_members(admin, "a\nb", []), r"cannot be the name of a group\."),
            (
                lambda: remove_members(admin, "x", ["ana"]),
                r"no group x\. The team's groups: backend, everyone, frontend\.",
            ),
            (lambda: remove_group(admin, "x"), r"no group x\."),
            (
                lambda: share_project(admin, "y", "backend"),
                r"no project y\. Projects: github.com/a/shop, github.com/b/shop\.",
            ),
            (
                lambda: share_project(admin, "shop", "frontend"),
                r"several projects shop\. Use one of: github.com/a/shop, ",
            ),
        ):
            with pytest.raises(TeamError, match=message):
                change()
        assert list_groups(admin) == before
