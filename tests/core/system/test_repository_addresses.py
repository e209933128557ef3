"""The remotes of repositories: read from their configuration, and compared."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memtui_core.system.projects import locate_project, remote_address, repository_key

KEY = "example.org/ana/shop"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("git@example.org:ana/shop.git", KEY),
        ("git@EXAMPLE.org:ana/shop", KEY),
        ("example.org:ana/shop", KEY),
        ("example.org:/ana/shop.git", KEY),
        ("https://example.org/ana/shop", KEY),
        ("https://example.org/ana/shop.git/", KEY),
        ("HTTPS://ana:secret@Example.Org:8443/ana/shop.git", KEY),
        ("ssh://git@example.org:2222/ana/shop.git", KEY),
        ("git://example.org/ana/shop", KEY),
        (" https://example.org/ana/shop \n", KEY),
        ("https://example.org/ana/Shop", "example.org/ana/Shop"),
        ("https://example.org/ben/shop", "example.org/ben/shop"),
        ("https://other.org/ana/shop", "other.org/ana/shop"),
        ("/srv/git/shop.git", ""),
        ("../shop", ""),
        ("C:/git/shop.git", ""),
        ("C:\\git\\shop.git", ""),
        ("file:///srv/git/shop.git", ""),
        ("", ""),
    ],
)
def test_what_may_differ_in_the_address_of_one_repository(address: str, key: str) -> None:
    """Scheme, user, port, `.git` and the case of the host; a folder is no address."""
    assert repository_key(address) == key


def _git(*arguments: str, at: Path) -> None:
    at.mkdir(parents=True, exist_ok=True)
    settings = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *settings, *arguments], cwd=at, check=True, capture_output=True)


def test_the_remote_of_a_repository_its_worktrees_and_its_submodules(tmp_path: Path) -> None:
    """By git's own files: `origin` comes before others, a submodule has its own."""
    shop, library = tmp_path / "shop", tmp_path / "library"
    for folder in (shop, library):
        _git("init", at=folder)
        _git("commit", "--allow-empty", "-m", "Begin", at=folder)
    assert remote_address(str(shop)) == ""
    _git("remote", "add", "backup", "ssh://nas/shop", at=shop)
    assert remote_address(str(shop)) == "ssh://nas/shop"
    _git("remote", "add", "origin", "git@example.org:ana/shop.git", at=shop)
    _git("config", "url.https://example.org/.insteadOf", "ex:", at=shop)
    _git("worktree", "add", str(tmp_path / "tree"), "-b", "tree", at=shop)
    _git("submodule", "add", str(library), "vendor/library", at=shop)
    _git("config", "remote.origin.url", "https://example.org/ana/library", at=shop / "vendor" / "library")
    folders = [shop, tmp_path / "tree", shop / "vendor" / "library", tmp_path, tmp_path / "absent"]
    assert [remote_address(str(folder)) for folder in folders] == [
        "git@example.org:ana/shop.git",
        "git@example.org:ana/shop.git",
        "https://example.org/ana/library",
        "",
        "",
    ]


def test_a_configuration_that_cannot_be_read_names_no_remote(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: \0\n")
    assert remote_address(str(tmp_path)) == ""
    (tmp_path / ".git").unlink()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_bytes(b'[remote "origin"]\n\xff\xfe\nurl\n[remote "x"] url = y\n url = "z"\n')
    assert remote_address(str(tmp_path)) == "z"


def test_a_folder_of_another_machine_is_not_looked_for_on_this_disk(tmp_path: Path) -> None:
    _git("init", at=tmp_path / "shop")
    (tmp_path / "shop" / "web").mkdir()
    cwd = tmp_path / "shop" / "web"
    assert locate_project(str(cwd)) == ("shop", str(tmp_path / "shop"), None)
    assert locate_project(str(cwd), machine="laptop") == ("web", f"@laptop:{cwd}", None)
    tree = "/home/ana/shop/.worktrees/x"
    assert locate_project(f"{tree}/src", machine="desk") == ("shop", "@desk:/home/ana/shop", f"@desk:{tree}")
    assert locate_project("", "-home-ana-blog", machine="desk") == ("blog", "@desk:", None)
