"""What real folders also hold: broken lines, unknown kinds, files without a conversation, children without a parent."""

from __future__ import annotations

from .blocks import Block
from .ids import stable_uuid
from .infra_files import INFRA
from .infra_files import ROOT as INFRA_ROOT
from .repo import Repo
from .scenes import opening, pr_link
from .shop_files import GITHUB, SHOP
from .shop_files import ROOT as SHOP_ROOT
from .story import Story
from .tools_files import Edit, Grep, Read
from .tools_other import Bash
from .transcript import Files, project_folder, session_file


def tell() -> Files:
    """Return all of them."""
    link = Story(Repo(SHOP_ROOT, SHOP), "odd/link", "2.1.232", "2026-11-19T12:00:00")
    pr_link(link, 214, GITHUB)
    empty = f"{project_folder(SHOP_ROOT)}/{stable_uuid('odd/empty')}.jsonl"
    return {**full_disk(), **orphan(), session_file(link): link.text(), empty: ""}


def full_disk() -> Files:
    """A session of the night in which the disk was full: every kind of line that a reader must survive."""
    story = Story(Repo(INFRA_ROOT, INFRA), "odd/disk", "2.1.237", "2026-11-20T06:12:00", branch="main")
    opening(story, "Backup fails: disk full on db-0")
    story.raw("")
    story.you("Nightly backup failed again, disk full on db-0. Find out what eats it")
    story.claude(
        Read("ansible/backup.yml"),
        Bash(
            "ansible db -a 'df -h /var'",
            (
                "db-0 | CHANGED | rc=0 >>\nFilesystem  Size  Used Avail Use% Mounted on\n"
                "/dev/nvme1n1  80G   80G     0 100% /var"
            ),
        ),
    )
    story.raw("write error: No space left on device")
    story.add(["not", "an", "object"])
    story.line("space-report", free=0, unit="MB")
    story.entry({"type": "user", "message": {"role": "user", "content": None}}, None, story.tick(3))
    story.user(["the old dumps are never deleted", {"type": "text", "text": "I think"}], after=30)
    story.claude(
        Block({"type": "weather_report", "sky": "clear"}),
        (
            "Right: the play writes `shop.dump` and copies it, but 41 dumps of last year's play "
            "are still in `/var/backups`."
        ),
    )
    # Two writers, one lost line end.
    story.you("remove everything older than 14 days, as a task in the play")
    joined = story.lines.pop(-2) + story.lines.pop()
    story.raw(joined)
    story.claude(
        Edit(
            "ansible/backup.yml",
            "    - name: Copy the dump",
            (
                "    - name: Remove old dumps\n      ansible.builtin.command: find /var/backups "
                "-mtime +14 -delete\n    - name: Copy the dump"
            ),
        ),
        Bash("ansible-lint ansible/backup.yml", "Passed: 0 failure(s), 0 warning(s) on 1 files."),
    )
    story.claude("Added **before** the copy, so that a full disk frees itself. 41 dumps (66 GB) will go tonight.")
    story.close_turn()
    return {session_file(story): story.text()}


def orphan() -> Files:
    """A subagent whose parent's file is gone."""
    parent = stable_uuid("odd/orphan")
    agent = Story(
        Repo(INFRA_ROOT, INFRA),
        "odd/orphan/agent",
        "2.1.224",
        "2026-11-14T08:00:00",
        session=parent,
        agent="a71c5e09d2b84f360",
        model="claude-haiku-4-5-20251001",
    )
    agent.user("Which machines does the load balancer talk to, and on which port? Read the Terraform and nginx files.")
    agent.claude(Grep(r"aws_lb|proxy_pass|listen"), Read("terraform/main.tf"))
    agent.claude(
        "The balancer `shop` talks to `web-0` and `web-1` on 443; nginx passes on to port 8000 of the same machine."
    )
    return {f"{project_folder(INFRA_ROOT)}/{parent}/subagents/agent-{agent.agent}.jsonl": agent.text()}
